# SPDX-License-Identifier: GPL-2.0-only
#
# How to build, try, check and install heapsim; Kbuild says what is in the
# module. All that is built lies in build/.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := all

# Neither kbuild nor make itself can.
ifneq ($(words x$(CURDIR)x)$(findstring :,$(CURDIR)),1)
$(error A folder whose name has a blank or a colon cannot be built in: $(CURDIR))
endif

VERSION := 0.1.0
BUILD := $(CURDIR)/build

# Which Debian kernel a VM boots: 6.1, 6.12, newest, 6.1-arm64, debug.
KERNEL ?= 6.1
KERNEL_FROM := $(origin KERNEL)
export KERNEL

# Which kernel a module for this machine is for: the running one if its headers
# are there, else the newest of those that are.
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
DKMSDIR ?= /usr/src/heapsim-$(VERSION)
INSTALL ?= install

MODULE := $(BUILD)/kmod/$(RELEASE)/heapsim.ko
# Parameters for load: make load PARAMS='soc=orin policy=record'
PARAMS ?=

##@ Try it
help: ## This text
	@awk -f selftests/check/help.awk Makefile

# A copy of IMAGE, which may lie where the VM does not see it.
DEMO_IMAGE := $(BUILD)/demo/photo-source

demo: ## Boot a VM, insert the module, show stale bytes (IMAGE=photo)
	@selftests/setup demo
	@$(MAKE) -s -C selftests/demo O=$(BUILD)/selftests/demo all
	@test -z "$$IMAGE" || { $(BUILD)/selftests/demo/demo -c "$$IMAGE" && \
		install -D -m 644 -- "$$IMAGE" $(DEMO_IMAGE); }
	@selftests/vm/build-module $(KERNEL) >/dev/null
	@selftests/vm/build-programs $(KERNEL) demo >/dev/null
	@selftests/vm/kernel $(KERNEL) >/dev/null
	@echo "Booting a VM (kernel $(KERNEL))."
	@OUT=$(BUILD)/demo selftests/vm/run -t 600 -- selftests/demo/run.sh \
		$${IMAGE:+$(DEMO_IMAGE)}
	@echo
	@echo "The pictures are in build/demo/, the whole at a glance in" \
		"build/demo/overview.png."

# The shell's text, not make's: CMD='echo $HOME'.
unexport CMD
vm: export VM_CMD = $(value CMD)
vm: ## A shell in a VM with the module loaded, or CMD='...' (KERNEL=)
	@selftests/setup demo
	@selftests/vm/build-module $(KERNEL) >/dev/null
	@selftests/vm/run $(if $(value CMD),-t 3600 -- bash -c "$$VM_CMD",-i)

##@ Build
all: modules libmem cuda heapsim ## The module for this machine, all else

modules: ## The module for this machine (RELEASE=, KDIR=)
	@test -n "$(RELEASE)" -a -e "$(KDIR)/Makefile" || { \
		echo "No kernel headers (KDIR=$(KDIR)):" \
		     "apt install gcc libc6-dev linux-headers-amd64" >&2; exit 1; }
	@KDIR="$(KDIR)" selftests/check/build-here "$(RELEASE)"

libmem: ## The library, shared and static
	@$(MAKE) -C libmem O=$(BUILD)/libmem PKGCONFIG_OUT=$(BUILD)/pkgconfig all

cuda: libmem ## The CUDA-shaped libraries: libmem-cuda, libmem-cudart
	@$(MAKE) -C libmem/compat/cuda O=$(BUILD)/cuda LIBMEM=$(BUILD)/libmem \
		PKGCONFIG_OUT=$(BUILD)/pkgconfig all

heapsim: libmem ## The command, its man pages
	@$(MAKE) -C libmem/tools O=$(BUILD)/heapsim PREFIX="$(PREFIX)" all

clean: ## Remove all that was built
	rm -rf build .checkpatch-camelcase.*
	@find . -name __pycache__ -prune -exec rm -rf {} +

##@ Check
check: ## Style, model, VM, device, libmem, command, corpus on KERNEL (6.1)
	@selftests/setup check
	@selftests/check/run check

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

check-heapsim: ## The command, in a VM; what is installed (KERNEL=)
	@selftests/setup check
	@selftests/check/run heapsim

corpus: ## Programs with one mistake each, and corrected, in a VM (KERNEL=)
	@selftests/setup check
	@selftests/check/run corpus

check-clients: ## Other people's programs on the heaps, in a VM (KERNEL=)
	@selftests/setup clients
	@selftests/check/run clients

check-debug: ## Device and libmem tests on a KASAN, lockdep, kmemleak kernel
	@selftests/setup check debug
	@selftests/check/run debug

check-all: ## All of it on every kernel, with a table
	@selftests/setup all
	@selftests/check/run all

bench: ## Our heap beside the kernel's own, what watching costs (6.12)
	@selftests/setup bench
	@KERNEL=$(if $(filter file,$(KERNEL_FROM)),6.12,$(KERNEL)) \
		selftests/bench/run.sh

##@ Install
install: all ## Module, udev rule, libmem, headers, heapsim (DESTDIR=)
	$(INSTALL) -d "$(DESTDIR)$(MODULEDIR)" "$(DESTDIR)$(UDEVDIR)" \
		"$(DESTDIR)$(PREFIX)/include/linux"
	$(INSTALL) -m 644 "$(MODULE)" "$(DESTDIR)$(MODULEDIR)/heapsim.ko"
	$(INSTALL) -m 644 kmod/60-heapsim.rules "$(DESTDIR)$(UDEVDIR)"
	$(INSTALL) -m 644 include/uapi/linux/heapsim.h \
		"$(DESTDIR)$(PREFIX)/include/linux"
	@$(MAKE) -C libmem O=$(BUILD)/libmem \
		PKGCONFIG_OUT=$(BUILD)/pkgconfig PREFIX="$(PREFIX)" \
		DESTDIR="$(DESTDIR)" install
	@$(MAKE) -C libmem/compat/cuda O=$(BUILD)/cuda LIBMEM=$(BUILD)/libmem \
		PKGCONFIG_OUT=$(BUILD)/pkgconfig PREFIX="$(PREFIX)" \
		DESTDIR="$(DESTDIR)" install
	@$(MAKE) -C libmem/tools O=$(BUILD)/heapsim PREFIX="$(PREFIX)" \
		DESTDIR="$(DESTDIR)" install
	test -n "$(DESTDIR)" || { depmod "$(RELEASE)" && ldconfig; }

uninstall: ## What install put there
	rm -f "$(DESTDIR)$(MODULEDIR)/heapsim.ko" \
		"$(DESTDIR)$(UDEVDIR)/60-heapsim.rules" \
		"$(DESTDIR)$(PREFIX)/include/linux/heapsim.h"
	@$(MAKE) -C libmem O=$(BUILD)/libmem \
		PKGCONFIG_OUT=$(BUILD)/pkgconfig PREFIX="$(PREFIX)" \
		DESTDIR="$(DESTDIR)" uninstall
	@$(MAKE) -C libmem/compat/cuda O=$(BUILD)/cuda LIBMEM=$(BUILD)/libmem \
		PKGCONFIG_OUT=$(BUILD)/pkgconfig PREFIX="$(PREFIX)" \
		DESTDIR="$(DESTDIR)" uninstall
	@$(MAKE) -C libmem/tools O=$(BUILD)/heapsim PREFIX="$(PREFIX)" \
		DESTDIR="$(DESTDIR)" uninstall
	test -n "$(DESTDIR)" || { depmod "$(RELEASE)" && ldconfig; }

# dkms looks at the sources in /usr/src; the module's are all it needs.
dkms-install: ## Let dkms build the module for each kernel of this machine
	@command -v dkms >/dev/null || { \
		echo "No dkms: apt install dkms" >&2; exit 1; }
	test -z "$$(dkms status heapsim/$(VERSION))" || \
		dkms remove heapsim/$(VERSION) --all
	rm -rf "$(DKMSDIR)"
	$(INSTALL) -d "$(DKMSDIR)"
	cp -R Kbuild dkms.conf COPYING LICENSES kmod include "$(DKMSDIR)"
	dkms add heapsim/$(VERSION)
	dkms install heapsim/$(VERSION) -k "$(RELEASE)"

dkms-uninstall: ## Take it from dkms again
	dkms remove heapsim/$(VERSION) --all
	rm -rf "$(DKMSDIR)"

load: modules ## Insert the module on this very machine (PARAMS='soc=orin')
	@test "$(RELEASE)" = "$(RUNNING)" || { \
		echo "The module is for $(RELEASE), this is $(RUNNING):" \
		     "try 'make vm'." >&2; exit 1; }
	insmod "$(MODULE)" $(PARAMS)

unload: ## Remove it again
	rmmod heapsim

.PHONY: help demo vm all modules libmem cuda heapsim clean check \
	check-style check-vm check-model check-device check-libmem check-cuda \
	check-heapsim corpus check-clients check-debug check-all bench \
	install uninstall dkms-install dkms-uninstall load unload
