#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh heap [NR]: compares heapsim's heap with the kernel's, with 100 and with
# NR (50,000) live buffers. run.sh overhead: measures the cost of checks. run.sh
# libmem [ROUNDS]: measures a launch, checks and attribute lists. run.sh object
# [ROUNDS]: measures an object of another process. run.sh precise [ROUNDS]:
# measures an access that is tracked precisely, on x86-64. run.sh cuda [ROUNDS]:
# compares calls of the CUDA API with those of libmem. Without an argument all
# of these are run. The last four use the embedded backend, without a VM. If the
# module is not inserted, the others build it and run in a VM, with the kernel
# KERNEL (6.12).

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
bench=${O:-$top/build/selftests/bench}/bench

fail() { echo "bench: $*" >&2; exit 1; }

# These benchmarks do not use the module, so they run on this machine.
for what in libmem object precise cuda; do
	if [ "${1:-$what}" = "$what" ] && [ -z "${HEAPSIM_VM:-}" ]; then
		make --no-print-directory -s -C "$here" O="${bench%/*}" \
			BUILD="$top/build" "${bench%/*}/$what" >/dev/null ||
			fail "not built"
		LIBMEM_BACKEND=embedded "${bench%/*}/$what" "${2:-9}"
		[ $# = 0 ] || exit 0
	fi
done

if [ ! -c /dev/heapsim ] && [ -z "${HEAPSIM_VM:-}" ]; then
	export KERNEL=${KERNEL:-6.12}
	make --no-print-directory -s -C "$here" O="${bench%/*}" all ||
		fail "not built"
	"$top/selftests/vm/build-module" "$KERNEL" || fail "no module"
	exec "$top/selftests/vm/run" -t 900 -- "$here/run.sh" "$@"
fi

what=${1:-both}
[ $# = 0 ] || shift
uname -srm
if [ "$what" != heap ]; then
	"$here/overhead.sh"
	[ "$what" != overhead ] || exit 0
fi
[ -x "$bench" ] || fail "no $bench: run make bench"
[ -c /dev/heapsim ] || fail "no /dev/heapsim: is heapsim.ko inserted?"
if [ ! -e /sys/class/dma_heap/system ]; then
	fail "the peer is the kernel's own system heap, and" \
		"$(uname -r) has none: run with KERNEL=6.12"
fi
exec "$bench" "$@"
