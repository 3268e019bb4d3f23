#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All tests of libmem, inside the test VM with the module inserted, and then
# inserted anew for other boards, all or $HEAPSIM_BOARDS: TAP, one document a
# program. Exit code: 0 if all passed, else 1.

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
		image_wrap image_object image_inside)

	# Jobs are the same whatever the board, but for who can do them.
	is_quick && [ "$1" != generic-noncoherent ] || tests+=(image_job)
	# What comes of mistakes is the kind of memory's matter.
	case $1 in
	nano | orin* | generic-coherent) ;;
	*) tests+=(misuse) ;;
	esac
	run_tests "$dir" "${tests[@]}" || failed=1
	# As many programs as there is time for.
	LIMIT_S=${LIMIT_S:-$seconds} run_tests "$dir" stream_random || failed=1
	return "$failed"
}

# A foreign dma-buf for the tests, where the kernel has one.
modprobe vgem 2>/dev/null

# No module in them; a kernel that looks for mistakes of its own finds none
# there, and takes long.
looks_for_mistakes()
{
	[ -e /sys/kernel/debug/kmemleak ]
}

looks_for_mistakes || "$here/symbols_test" || rc=1
looks_for_mistakes || "$dir/header_test" || rc=1
# Sharing an object takes long there.
! looks_for_mistakes || export NR=${NR:-200}
# Random sequences of the model's: the embedded backend has them all, too.
! is_quick || export ROUNDS=${ROUNDS:-4}
run_tests "$dir" ctx size buf job watch random endpoint hostile attrs \
	attrs_merge object_share descriptor cancel || rc=1
# The module's default is generic-noncoherent.
on_board generic-noncoherent || rc=1
on_boards on_board "${gpu_boards[@]}" generic-coherent || rc=1
# A descriptor is dear where software emulates the machine.
is_quick || SCALE=20 run_tests "$dir" scale || rc=1
# On another kernel, or machine, than where it was built.
is_quick || looks_for_mistakes ||
	env -u LIBMEM_BACKEND "$dir/engine_test" || rc=1
exit "$rc"
