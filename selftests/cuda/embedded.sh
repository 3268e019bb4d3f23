#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests of the CUDA-shaped surface with the board in the process, on
# each board or on $HEAPSIM_BOARDS. Needs no module, VM or root. Prints one TAP
# document for each program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
dir=${HEAPSIM_BUILD:-$top/build}/selftests/cuda
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=embedded
rc=0
# shellcheck source=../allocators.sh
. "$here/../allocators.sh"

"$here/symbols_test" || rc=1
"$here/heapsim-cu_test" || rc=1
"$dir/header_test" || rc=1
# Arithmetic is the same on all boards, so one is enough.
for test in half number; do
	LIBMEM_SOC=tx2 timeout -k 5 600 "$dir/${test}_test" || rc=1
done
read -ra boards <<<"${HEAPSIM_BOARDS:-nano tx2 drive-px2 xavier orin orin-nano thor}"
for soc in "${boards[@]}"; do
	for test in array device driver kernel launch limits object pool \
		runtime semaphore share texture; do
		LIBMEM_SOC=$soc timeout -k 5 600 "$dir/${test}_test" || rc=1
	done
	for test in "$dir"/version_test-*; do
		LIBMEM_SOC=$soc timeout -k 5 600 "$test" || rc=1
	done
done
# Engines share the heap of programs with other allocators, too; the tests of
# libmem run with these in the short form as well.
[ -n "${HEAPSIM_QUICK:-}" ] ||
	for allocator in $allocators; do
		allocator_is_there "$allocator" || { rc=1; continue; }
		for test in kernel runtime launch; do
			LD_PRELOAD=$allocator LIBMEM_SOC=tx2 \
				timeout -k 5 600 "$dir/${test}_test" || rc=1
		done
	done
"$here/guide_test" || rc=1
"$here/calls_test" || rc=1
"$here/report.sh" || rc=1
exit "$rc"
