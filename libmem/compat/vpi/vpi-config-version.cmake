# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs for VPI 0.4 to 4 compile: Documentation/vpi.rst.

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../../../include/vpi/VersionDef.h"
	vpi_numbers REGEX "^#define NV_VPI_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" vpi_numbers "${vpi_numbers}")
string(REPLACE ";" "." PACKAGE_VERSION "${vpi_numbers}")

if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
	set(PACKAGE_VERSION_EXACT TRUE)
endif()
if(NOT PACKAGE_FIND_VERSION VERSION_LESS 0.4 AND
   NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
	set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
