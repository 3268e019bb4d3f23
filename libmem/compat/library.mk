# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The common part of the Makefiles of the vendor layers: libraries over libmem,
# shared and static, their pkg-config files, their installation, and a folder
# that has the layout of the vendor's SDK.
#
#   make [O=DIR]           build into DIR (default build/PART); libmem is taken
#                          from LIBMEM (default build/libmem)
#   make install           into DESTDIR, below PREFIX, libraries in LIBDIR,
#                          headers in INCLUDEDIR, apart from a vendor's own
#   make uninstall         remove what install put there
#   make clean
#
# A Makefile sets, before it includes this file:
#
#   src              its folder: $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
#   part             its name: cuda
#   names            its libraries: libmem-cuda libmem-cudart; NAME.pc.in lies in
#                    its folder
#   NAME_sources     their sources without .c, in the folder or below it
#   NAME_map         their version scripts
#   headers          files of include/compat to install; folders are kept
#   INCLUDEDIR       where the headers are installed
#   flags            additional compiler flags
#   home_lib         folder of the libraries in the vendor's layout: lib
#   home_names       names of the vendor's libraries in that folder: libcuda.so;
#                    empty: there is no folder with the vendor's layout
#
# It may set:
#
#   NAME_needs       own libraries that NAME is linked with: libmem-cuda
#   NAME_libs        other libraries, as linker flags
#   NAME_objects     objects in addition to those of the sources
#   home_more        commands that put more into the folder $(1), which has the
#                    vendor's layout; $(2) is the folder of programs
#   install_more, uninstall_more   commands
#
# and defines targets of its own after it.

top := $(abspath $(src)/../../..)
O ?= $(top)/build/$(part)
out := $(abspath $(O))
LIBMEM ?= $(top)/build/libmem
# pkg-config files for use from the build tree, without an installation
PKGCONFIG_OUT ?= $(top)/build/pkgconfig

version := 0.1.0

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
BINDIR ?= $(PREFIX)/bin
INSTALL ?= install

makefiles := $(src)/Makefile $(top)/libmem/compat/library.mk

CFLAGS ?= -O2 -g
warnings := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow
# As in libmem: no tail calls, so that stacks contain each caller.
cflags := -std=gnu11 -fPIC -fvisibility=hidden -pthread $(warnings) \
	  -D_GNU_SOURCE $(flags) -I$(src) -I$(top)/include/compat \
	  -I$(top)/include $(CPPFLAGS) $(CFLAGS) -fno-optimize-sibling-calls

objects_of = $($(1)_sources:%=$(out)/%.o) $($(1)_objects)
folders := $(sort $(patsubst %/,%,$(dir $(foreach n,$(names),$(call \
	objects_of,$(n))))) $(out))

home_last := $(out)/home/$(home_lib)/$(lastword $(home_names))

all: $(foreach n,$(names),$(out)/$(n).so $(out)/$(n).so.0 $(out)/$(n).a \
	$(PKGCONFIG_OUT)/$(n).pc) $(if $(home_names),$(home_last))

$(folders) $(PKGCONFIG_OUT):
	mkdir -p $@

$(out)/%.o: $(src)/%.c $(makefiles) | $(folders)
	$(CC) $(cflags) -MMD -MP -c -o $@ $<

# $ORIGIN: the libraries find each other in their common folder.
define library
$(out)/$(1).so.$(version): $(call objects_of,$(1)) $(src)/$($(1)_map) \
		$(LIBMEM)/libmem.so $(out)/libmem.so.0 $(out)/libmem-trap.so.0 \
		$($(1)_needs:%=$(out)/%.so)
	$$(CC) $$(cflags) -shared -static-libgcc -Wl,-soname,$(1).so.0 \
		-Wl,-z,defs,-z,nodelete,-z,now -Wl,-rpath,'$$$$ORIGIN' \
		-Wl,--version-script=$(src)/$($(1)_map) $$(LDFLAGS) -o $$@ \
		$(call objects_of,$(1)) \
		$(if $($(1)_needs),-L$(out) $($(1)_needs:lib%=-l%)) \
		-L$(LIBMEM) -lmem $($(1)_libs)

$(out)/$(1).a: $(call objects_of,$(1))
	rm -f $$@
	$$(AR) rcs $$@ $$^
endef
$(foreach n,$(names),$(eval $(call library,$(n))))

$(out)/libmem.so.0 $(out)/libmem-trap.so.0: | $(out)
	ln -sfr $(LIBMEM)/$(@F) $@

$(out)/%.so $(out)/%.so.0: $(out)/%.so.$(version)
	ln -sf $(<F) $(out)/$*.so.0
	ln -sf $(<F) $(out)/$*.so

comma := ,

# pkg-config cannot handle paths with a bar or a blank.
pc = sed -e 's|@PREFIX@|$(1)|; s|@INCLUDEDIR@|$(2)|; s|@LIBDIR@|$(3)|' \
	 -e 's|@RPATH@|$(4)|; s|@VERSION@|$(version)|'

$(PKGCONFIG_OUT)/%.pc: $(src)/%.pc.in $(makefiles) | $(PKGCONFIG_OUT)
	$(call pc,$(out),$(top)/include/compat,$(out), -Wl$(comma)-rpath$(comma)$(out)) $< >$@

# home DIR,DESTDIR,HEADERS,LIBRARIES,LIBMEM,PROGRAMS: makes a folder that build
# systems accept as the vendor's. The files with names of the vendor's libraries
# are linker scripts. Links are made by force, since two makes may do it at once.
shared := $(names:%=%.so.0)
define home
	rm -rf "$(2)$(1)"
	$(INSTALL) -d "$(2)$(1)/$(home_lib)"
	ln -sfn "$(3)" "$(2)$(1)/include"
	ln -sf $(shared:%="$(4)/%") "$(5)/libmem.so.0" "$(5)/libmem-trap.so.0" \
		"$(2)$(1)/$(home_lib)"
	$(call home_more,$(2)$(1),$(6))
	for name in $(home_names); do \
		mkdir -p "$$(dirname "$(2)$(1)/$(home_lib)/$$name")" && \
		echo 'INPUT($(shared:%=$(1)/$(home_lib)/%)' \
			'$(1)/$(home_lib)/libmem.so.0)' \
			>"$(2)$(1)/$(home_lib)/$$name" || exit 1; \
	done
endef

$(home_last): $(names:%=$(out)/%.so) $(makefiles)
	$(call home,$(out)/home,,$(top)/include/compat,$(out),$(LIBMEM),$(src))

home_installed := $(LIBDIR)/heapsim/$(part)

install: all
	$(INSTALL) -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(DESTDIR)$(INCLUDEDIR)"
	for name in $(names); do \
		$(INSTALL) -m 755 $(out)/$$name.so.$(version) \
			"$(DESTDIR)$(LIBDIR)" && \
		ln -sf $$name.so.$(version) \
			"$(DESTDIR)$(LIBDIR)/$$name.so.0" && \
		ln -sf $$name.so.0 "$(DESTDIR)$(LIBDIR)/$$name.so" && \
		$(INSTALL) -m 644 $(out)/$$name.a "$(DESTDIR)$(LIBDIR)" && \
		$(call pc,$(PREFIX),$(INCLUDEDIR),$(LIBDIR),) \
			$(src)/$$name.pc.in | $(INSTALL) -m 644 /dev/stdin \
			"$(DESTDIR)$(LIBDIR)/pkgconfig/$$name.pc" || exit 1; \
	done
	for name in $(headers); do \
		$(INSTALL) -D -m 644 "$(top)/include/compat/$$name" \
			"$(DESTDIR)$(INCLUDEDIR)/$$name" || exit 1; \
	done
	$(install_more)
	$(if $(home_names),$(call home,$(home_installed),$(DESTDIR),$(INCLUDEDIR),$(LIBDIR),$(LIBDIR),$(BINDIR)))

uninstall:
	for name in $(names); do \
		rm -f "$(DESTDIR)$(LIBDIR)/$$name".so \
			"$(DESTDIR)$(LIBDIR)/$$name".so.0 \
			"$(DESTDIR)$(LIBDIR)/$$name".so.$(version) \
			"$(DESTDIR)$(LIBDIR)/$$name".a \
			"$(DESTDIR)$(LIBDIR)/pkgconfig/$$name.pc"; \
	done
	rm -f $(headers:%="$(DESTDIR)$(INCLUDEDIR)"/%)
	test ! -d "$(DESTDIR)$(INCLUDEDIR)" || \
		find "$(DESTDIR)$(INCLUDEDIR)" -depth -type d -empty -delete
	$(uninstall_more)
	rm -rf "$(DESTDIR)$(home_installed)"
	rmdir "$(DESTDIR)$(LIBDIR)/heapsim" 2>/dev/null || :

clean:
	rm -rf $(out)
	rm -f $(names:%=$(PKGCONFIG_OUT)/%.pc)

.PHONY: all install uninstall clean
.SECONDARY:

-include $(wildcard $(folders:%=%/*.d))
