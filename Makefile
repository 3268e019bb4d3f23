# SPDX-License-Identifier: GPL-2.0-only
#
# Builds, demonstrates, checks and installs heapsim. Kbuild lists the files of
# the module. All build outputs are in build/.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := all

# Neither kbuild nor make itself supports such a path.
ifneq ($(words x$(CURDIR)x)$(findstring :,$(CURDIR)),1)
$(error A folder whose name has a blank or a colon cannot be built in: $(CURDIR))
endif

VERSION := 0.1.0
BUILD := $(CURDIR)/build

# The Debian kernel that a VM boots: 6.1, 6.12, newest, 6.1-arm64,
# newest-arm64-16k, debug, kcsan.
KERNEL ?= 6.1
KERNEL_FROM := $(origin KERNEL)
export KERNEL

# The kernel that "make modules" builds for: the running one if its headers are
# installed, otherwise the newest kernel whose headers are installed.
RUNNING := $(shell uname -r)
RELEASE ?= $(shell { ls -d /lib/modules/*/build/Makefile 2>/dev/null | \
	sed 's|^/lib/modules/||; s|/build/Makefile$$||' | sort -V; \
	test -e /lib/modules/$(RUNNING)/build/Makefile && echo $(RUNNING); } | \
	tail -n 1)
KDIR ?= /lib/modules/$(RELEASE)/build

DESTDIR ?=
PREFIX ?= /usr/local
UDEVDIR ?= /usr/lib/udev/rules.d
MODULEDIR ?= /lib/modules/$(RELEASE)/updates
DOCDIR ?= $(PREFIX)/share/doc/heapsim
DKMSDIR ?= /usr/src/heapsim-$(VERSION)
INSTALL ?= install

# The vendor APIs, each in a folder of libmem/compat
COMPAT := cuda nvsci vpi nvbuf egl

MODULE := $(BUILD)/kmod/$(RELEASE)/heapsim.ko
# Parameters for load and vm: make load PARAMS='soc=orin policy=record'
PARAMS ?=

##@ Try it
setup: ## Install the packages that build, demo and check need
	@selftests/setup

help: ## This text
	@awk -f selftests/check/help.awk Makefile

# The demo's copy of IMAGE, since the VM may not see the folder of the original.
DEMO_IMAGE := $(BUILD)/demo/photo-source

demo: ## Boot a VM, insert the module, show stale bytes (IMAGE=photo)
	@selftests/setup demo
	@echo "Building the demo and the module (kernel $(KERNEL))."
	@$(MAKE) -s -C selftests/demo O=$(BUILD)/selftests/demo all
	@test -z "$$IMAGE" || { $(BUILD)/selftests/demo/demo -c "$$IMAGE" && \
		install -D -m 644 -- "$$IMAGE" $(DEMO_IMAGE); }
	@selftests/vm/build-module $(KERNEL) >/dev/null
	@selftests/vm/build-programs $(KERNEL) demo >/dev/null
	@selftests/vm/kernel $(KERNEL) >/dev/null
	@OUT=$(BUILD)/demo selftests/vm/run -t 600 -- selftests/demo/run.sh \
		$${IMAGE:+$(DEMO_IMAGE)}
	@echo
	@echo "The pictures are in build/demo/, the whole at a glance in" \
		"build/demo/overview.png."

# CMD is passed to the shell without make's expansion: CMD='echo $HOME'.
unexport CMD
vm: export VM_CMD = $(value CMD)
vm: ## A shell in a VM with module and command, or CMD='...' (KERNEL=, PARAMS=)
	@selftests/setup demo
	@echo "Building the module (kernel $(KERNEL)) and the command."
	@selftests/vm/build-module $(KERNEL) >/dev/null
	@selftests/vm/build-programs $(KERNEL) libmem libmem >/dev/null
	@selftests/vm/build-programs $(KERNEL) heapsim heapsim >/dev/null
	@selftests/vm/kernel $(KERNEL) >/dev/null
	@selftests/vm/run -p "$(PARAMS)" \
		$(if $(value CMD),-t 3600 -- bash -c "$$VM_CMD",-i)

##@ Build
all: modules user ## The module for this machine, all else

modules: needs-headers ## The module for this machine (RELEASE=, KDIR=)
	@KDIR="$(KDIR)" selftests/check/build-here "$(RELEASE)"

user: libmem $(COMPAT) heapsim ## All but the module

# All missing packages are reported together, before anything is built.
needs:
	@selftests/setup -n build

needs-headers:
	@selftests/setup -n $(if $(wildcard $(KDIR)/Makefile),build,module)
	@test -n "$(RELEASE)" -a -e "$(KDIR)/Makefile" || { \
		echo "No kernel headers$(RELEASE:%= (KDIR=$(KDIR))): apt-get install" \
		     "linux-headers-amd64. 'make user' and 'make" \
		     "install-user' do without the module." >&2; exit 1; }

libmem: needs ## The library, shared and static
	@$(MAKE) -C libmem O=$(BUILD)/libmem PKGCONFIG_OUT=$(BUILD)/pkgconfig all

cuda: ## The CUDA-shaped libraries: libmem-cuda, libmem-cudart
nvsci: ## The NvSciBuf-shaped libraries: libmem-nvscibuf, libmem-nvmedia
vpi: ## The VPI-shaped library: libmem-vpi
nvbuf: ## The NvBufSurface-shaped library: libmem-nvbuf
egl: ## The EGL- and OpenGL-shaped libraries: libmem-egl, libmem-gl

$(COMPAT): needs libmem
	@$(MAKE) -C libmem/compat/$@ O=$(BUILD)/$@ LIBMEM=$(BUILD)/libmem \
		PKGCONFIG_OUT=$(BUILD)/pkgconfig all

heapsim: needs libmem ## The command, its man pages
	@$(MAKE) -C libmem/tools O=$(BUILD)/heapsim PREFIX="$(PREFIX)" all

clean: ## Remove all that was built
	rm -rf build .checkpatch-camelcase.*
	@find . -name __pycache__ -prune -exec rm -rf {} +

distclean: clean ## The same, and the cache of kernels (~/.cache/heapsim)
	selftests/vm/kernel --clean

##@ Check
check: ## The tests, as far as 10 minutes suffice, on KERNEL (6.1)
	@selftests/setup check
	@selftests/check/run check

check-more: ## What check leaves out: boards, sanitizers, vendor APIs in the VM
	@selftests/setup check
	@selftests/check/run more

check-kernels: ## The module and libmem on the other kernels, in the short form
	@selftests/setup check
	@selftests/check/run kernels

check-style: ## checkpatch, sparse, shellcheck, headers, licences, layers
	@selftests/setup check
	@selftests/check/run style

check-model: ## The model under ASan and UBSan, with gcc and clang
	@selftests/setup check
	@selftests/check/run model

check-vm: ## The VM runner itself (KERNEL=)
	@selftests/setup check
	@selftests/check/run vm

check-device: ## The real module in a VM (KERNEL=)
	@selftests/setup check
	@selftests/check/run device

check-libmem: ## The library, in the process and in a VM (KERNEL=)
	@selftests/setup check
	@selftests/check/run libmem

check-cuda: ## The CUDA surface; where its boards differ from a discrete GPU
	@selftests/setup check
	@rm -f build/selftests/cuda/differences
	@selftests/check/run cuda; rc=$$?; echo; \
		cat build/selftests/cuda/differences; exit $$rc

check-nvsci: ## The NvSciBuf surface, in the process and in a VM (KERNEL=)
	@selftests/setup check
	@selftests/check/run nvsci

check-vpi: ## Those of VPI and NvBufSurface, likewise (KERNEL=)
	@selftests/setup check
	@selftests/check/run vpi

check-egl: ## The EGL surface, in the process and in a VM (KERNEL=)
	@selftests/setup check
	@selftests/check/run egl

check-heapsim: ## The command, in a VM; what is installed (KERNEL=)
	@selftests/setup check
	@selftests/check/run heapsim

corpus: ## Programs with one mistake each, and corrected, in a VM (KERNEL=)
	@selftests/setup check
	@selftests/check/run corpus

check-clients: ## Other people's programs on the heaps, in a VM (KERNEL=)
	@selftests/setup clients
	@selftests/check/run clients

check-debug: ## Device and libmem tests on KASAN, lockdep, KCSAN kernels
	@selftests/setup check debug
	@selftests/check/run debug

check-all: ## All of it on every kernel, with a table
	@selftests/setup all
	@selftests/check/run all

check-coverage: ## Which lines of the module its tests run, by file
	@selftests/setup check debug
	@selftests/check/coverage

bench: ## Our heap beside the kernel's own, what watching costs (6.12)
	@selftests/setup bench
	@KERNEL=$(if $(filter file,$(KERNEL_FROM)),6.12,$(KERNEL)) \
		selftests/bench/run.sh

##@ Install
# Files that root wrote to build/ are given back to the owner of the tree.
define installed
	@test -n "$(DESTDIR)" || test "$$(id -u)" != 0 || ldconfig
	@test ! -d build || test "$$(id -u)" != 0 || \
		chown -R --reference=Makefile build
endef
# depmod is skipped on a machine without kmod or without this kernel, which has
# no list of modules.
modules_changed = @test -n "$(DESTDIR)" -o \
	! -e "/lib/modules/$(RELEASE)/modules.dep" || \
	{ PATH="$$PATH:/usr/sbin:/sbin"; ! command -v depmod >/dev/null || \
	depmod "$(RELEASE)"; }
# $(call part,FOLDER,TARGET) makes a target of one part of the tree.
part = @$(MAKE) -C $(1) O=$(BUILD)/$(notdir $(1:%/tools=%/heapsim)) \
	LIBMEM=$(BUILD)/libmem PKGCONFIG_OUT=$(BUILD)/pkgconfig \
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" $(2)
# Like part, with a line end, so that $(foreach) puts each call on a line.
define compat_part
$(call part,$(1),$(2))

endef

install: no-dkms modules install-user ## Module and all else (DESTDIR=, PREFIX=)
	$(INSTALL) -d "$(DESTDIR)$(MODULEDIR)" "$(DESTDIR)$(UDEVDIR)"
	$(INSTALL) -m 644 "$(MODULE)" "$(DESTDIR)$(MODULEDIR)/heapsim.ko"
	$(INSTALL) -m 644 kmod/60-heapsim.rules "$(DESTDIR)$(UDEVDIR)"
	$(modules_changed)

install-user: user ## All but the module: libmem, heapsim, headers, documents
	$(INSTALL) -d "$(DESTDIR)$(PREFIX)/include/linux"
	$(INSTALL) -m 644 include/uapi/linux/heapsim.h \
		"$(DESTDIR)$(PREFIX)/include/linux"
	$(call part,libmem,install)
	$(foreach p,$(COMPAT),$(call compat_part,libmem/compat/$(p),install))
	$(call part,libmem/tools,install)
	@set -e; find README.md COPYING Documentation -name man -prune -o \
		-type f ! -name Makefile -print | while read -r file; do \
			$(INSTALL) -D -m 644 "$$file" "$(DESTDIR)$(DOCDIR)/$$file"; \
		done
	$(installed)

# The module is removed for all kernels.
uninstall: ## What install and install-user put there
	$(call part,libmem/tools,uninstall)
	$(foreach p,$(COMPAT),$(call compat_part,libmem/compat/$(p),uninstall))
	$(call part,libmem,uninstall)
	rm -f "$(DESTDIR)$(MODULEDIR)/heapsim.ko" \
		"$(DESTDIR)"/lib/modules/*/updates/heapsim.ko \
		"$(DESTDIR)$(PREFIX)/include/linux/heapsim.h"
	test -d "$(DKMSDIR)" || rm -f "$(DESTDIR)$(UDEVDIR)/60-heapsim.rules"
	rm -rf "$(DESTDIR)$(DOCDIR)"
	@rmdir "$(DESTDIR)$(PREFIX)/include/linux" "$(DESTDIR)$(MODULEDIR)" \
		2>/dev/null || :
	$(modules_changed)
	$(installed)

# "make install" and dkms would overwrite each other's module.
no-dkms:
	@test -n "$(DESTDIR)" -o ! -d "$(DKMSDIR)" || { \
		echo "dkms has the module: 'make dkms-uninstall' before, or" \
		     "'make install-user' for all else." >&2; exit 1; }

# dkms builds from /usr/src and needs only the sources of the module.
dkms-install: ## The module by dkms, for this kernel and those to come; udev rule
	@command -v dkms >/dev/null || { \
		echo "No dkms: apt install dkms" >&2; exit 1; }
	@test ! -e "$(MODULEDIR)/heapsim.ko" || { \
		echo "$(MODULEDIR)/heapsim.ko is from 'make install': 'make" \
		     "uninstall' before, then 'make install-user'." >&2; exit 1; }
	test -z "$$(dkms status heapsim/$(VERSION))" || \
		dkms remove heapsim/$(VERSION) --all
	rm -rf "$(DKMSDIR)"
	$(INSTALL) -d "$(DKMSDIR)" "$(UDEVDIR)"
	cp -R Kbuild dkms.conf COPYING LICENSES kmod include "$(DKMSDIR)"
	$(INSTALL) -m 644 kmod/60-heapsim.rules "$(UDEVDIR)"
	dkms add heapsim/$(VERSION)
	dkms install heapsim/$(VERSION) -k "$(RELEASE)"

dkms-uninstall: ## Take it from dkms again
	dkms remove heapsim/$(VERSION) --all
	rm -rf "$(DKMSDIR)" "$(UDEVDIR)/60-heapsim.rules"

load: modules ## Insert the module on this very machine (PARAMS='soc=orin')
	@test "$(RELEASE)" = "$(RUNNING)" || { \
		echo "The module is for $(RELEASE), this is $(RUNNING):" \
		     "try 'make vm'." >&2; exit 1; }
	insmod "$(MODULE)" $(PARAMS)

unload: ## Remove it again
	rmmod heapsim

.PHONY: setup help demo vm all modules user needs needs-headers libmem \
	$(COMPAT) heapsim clean distclean check check-more \
	check-style check-vm check-model check-device check-libmem check-cuda \
	check-nvsci check-vpi check-egl check-heapsim corpus check-clients check-debug \
	check-kernels check-coverage check-all bench install install-user uninstall no-dkms dkms-install dkms-uninstall \
	load unload
