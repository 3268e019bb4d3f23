#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs all tests of libmem inside the test VM with the module, which is then
# inserted anew for other boards, all or $HEAPSIM_BOARDS. Prints a TAP document
# for each program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
# shellcheck source=selftests/vm/boards.sh
. "$top/selftests/vm/boards.sh"
dir=${LIBMEM_TESTS:-${HEAPSIM_BUILD:-$top/build}/selftests/libmem}
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=kernel
seconds=5
! is_quick || seconds=2
rc=0

on_board() # BOARD
{
	local failed=0
	local tests=(stream semaphore attach access share export object image
		image_wrap image_object image_inside pipe pipe_process
		pipe_hostile timeline)

	# Boards differ only in the engines that can do a job.
	is_quick && [ "$1" != generic-noncoherent ] || tests+=(image_job)
	# The results of mistakes depend only on the kinds of memory.
	case $1 in
	nano | orin* | generic-coherent) ;;
	*) tests+=(misuse) ;;
	esac
	run_tests "$dir" "${tests[@]}" || failed=1
	# The number of random programs is limited by the time.
	LIMIT_S=${LIMIT_S:-$seconds} run_tests "$dir" stream_random || failed=1
	return "$failed"
}

# vgem, if the kernel has it, provides dma-bufs of another driver.
modprobe vgem 2>/dev/null

# Returns true on a debug kernel, which is slow and would find no errors in
# tests that do not use the module.
looks_for_mistakes()
{
	[ -e /sys/kernel/debug/kmemleak ]
}

# They depend at most on the architecture; embedded.sh runs them here, too.
is_quick || looks_for_mistakes || "$here/symbols_test" || rc=1
is_quick || looks_for_mistakes || "$dir/header_test" || rc=1
# Sharing an object takes long there.
! looks_for_mistakes || export SCALE=${SCALE:-50}
# Random sequences of the model's: the embedded backend has them all, too.
! is_quick || export ROUNDS=${ROUNDS:-2} SCALE=${SCALE:-20}
run_tests "$dir" ctx size buf job watch random endpoint hostile attrs \
	attrs_merge object_share descriptor cancel fence bounce || rc=1
# It compares CPU times, of which a debug kernel's checks are the most.
looks_for_mistakes || run_tests "$dir" idle || rc=1
# The module's default is generic-noncoherent.
on_board generic-noncoherent || rc=1
[ "${HEAPSIM_BOARDS:-}" = generic-noncoherent ] ||
	on_boards on_board "${gpu_boards[@]}" generic-coherent || rc=1
# Making descriptors is slow under emulation.
is_quick || SCALE=${SCALE:-20} run_tests "$dir" scale || rc=1
# The VM has another kernel, and maybe another architecture, than this machine.
is_quick || looks_for_mistakes ||
	env -u LIBMEM_BACKEND "$dir/engine_test" || rc=1
exit "$rc"
