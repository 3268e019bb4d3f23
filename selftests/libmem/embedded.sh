#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs all tests of libmem on the embedded backend, without module, VM and root,
# on all boards or $HEAPSIM_BOARDS. Prints a TAP document for each program. Exit
# code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
dir=${LIBMEM_TESTS:-${HEAPSIM_BUILD:-$top/build}/selftests/libmem}
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=embedded
# Large numbers are left to check-all.
[ -z "${HEAPSIM_QUICK:-}" ] || export SCALE=${SCALE:-20}
rc=0
# shellcheck source=../allocators.sh
. "$here/../allocators.sh"

"$here/symbols_test" || rc=1
"$dir/header_test" || rc=1
# These tests do not depend on the board, or choose boards themselves.
for test in ctx size buf job random engine access scale heap fork trap \
	endpoint hostile attrs attrs_merge attrs_layout attrs_wire \
	image_view object_share descriptor cancel fence lock; do
	"$dir/${test}_test" || rc=1
done
all="nano tx2 drive-px2 xavier orin orin-nano thor generic-noncoherent
	generic-coherent"
for soc in ${HEAPSIM_BOARDS:-$all}; do
	for test in watch embedded bounce stream semaphore attach idle misuse share export \
		move stream_random gate race object image image_wrap \
		image_object image_inside image_job image_memory pipe \
		pipe_process pipe_hostile timeline; do
		LIBMEM_SOC=$soc "$dir/${test}_test" || rc=1
	done
done
# Programs cannot single-step themselves elsewhere.
if [ "$(uname -m)" = x86_64 ]; then
	boards=(tx2 orin)
	[ -z "${HEAPSIM_QUICK:-}" ] || boards=(tx2)
	for soc in "${boards[@]}"; do
		LIBMEM_SOC=$soc "$dir/precise_test" || rc=1
		LIBMEM_SOC=$soc "$dir/step_test" || rc=1
		LIBMEM_SOC=$soc LIBMEM_PRECISE=1 "$dir/bounce_test" || rc=1
	done
fi
# Programs may have their own allocator, which engines need, too.
"$dir/heap_own_test" || rc=1
"$dir/fork_static_test" || rc=1
for allocator in $allocators; do
	allocator_is_there "$allocator" || { rc=1; continue; }
	LD_PRELOAD=$allocator "$dir/heap_test" || rc=1
	LD_PRELOAD=$allocator LIBMEM_SOC=tx2 "$dir/stream_test" || rc=1
done
# Random lists are compared with a reference.
ROUNDS=${ROUNDS:-${HEAPSIM_QUICK:+150}}
ROUNDS=${ROUNDS:-1000} "$here/attrs_random_test" || rc=1
"$here/gdb_test" || rc=1
"$here/pages_test" || rc=1
"$here/tsan_test" || rc=1
"$here/guide_test" || rc=1
exit "$rc"
