# SPDX-License-Identifier: LGPL-2.1-or-later
#
# CMake package, named as the vendor's: find_package(vpi) or find_package(VPI),
# with the target vpi. Installed in lib/cmake/vpi of the vendor's folder layout.

get_filename_component(vpi_home "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(vpi_VERSION "${PACKAGE_VERSION}")
set(vpi_INCLUDE_DIRS "${vpi_home}/include")
set(vpi_LIBRARIES vpi)

if(NOT TARGET vpi)
	add_library(vpi SHARED IMPORTED)
	set_target_properties(vpi PROPERTIES
		IMPORTED_LOCATION "${vpi_home}/lib/libmem-vpi.so.0"
		IMPORTED_SONAME libmem-vpi.so.0
		INTERFACE_INCLUDE_DIRECTORIES "${vpi_home}/include"
		INTERFACE_LINK_LIBRARIES "${vpi_home}/lib/libmem.so.0")
endif()

# What the headers are to be like, where the program names an earlier version
set(vpi_asked "${${CMAKE_FIND_PACKAGE_NAME}_FIND_VERSION}")
if(vpi_asked AND vpi_asked VERSION_LESS 2)
	foreach(vpi_language C CXX)
		set_property(TARGET vpi APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
			"$<$<COMPILE_LANGUAGE:${vpi_language}>:-includevpi/legacy-0.4.h>")
	endforeach()
elseif(vpi_asked AND vpi_asked VERSION_LESS 4)
	math(EXPR vpi_asked "1000000 *
		${${CMAKE_FIND_PACKAGE_NAME}_FIND_VERSION_MAJOR} + 10000 *
		${${CMAKE_FIND_PACKAGE_NAME}_FIND_VERSION_MINOR}")
	set_property(TARGET vpi APPEND PROPERTY
		INTERFACE_COMPILE_DEFINITIONS "NV_VPI_VERSION_API=${vpi_asked}")
endif()
