#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests of the CUDA-shaped surface over the module, inside the test VM.
# The module is inserted for one board after the other, all or $HEAPSIM_BOARDS.
# Prints one TAP document for each program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
# shellcheck source=selftests/vm/boards.sh
. "$top/selftests/vm/boards.sh"
dir=${HEAPSIM_BUILD:-$top/build}/selftests/cuda
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=kernel
rc=0

tests=(driver runtime semaphore share)
# A quick run leaves these out, as embedded.sh runs all tests.
is_quick || tests+=(array device limits pool texture)

on_board() # BOARD
{
	local -x LIBMEM_SOC=$1
	local failed=0 test

	run_tests "$dir" "${tests[@]}" || failed=1
	is_quick || for test in 10020-thread 13000; do
		timeout -k 5 "$limit" "$dir/version_test-$test" || failed=1
	done
	# One board is enough for reports, which do not depend on the board.
	[ "$1" != tx2 ] || is_quick || "$here/report.sh" || failed=1
	return "$failed"
}

on_boards on_board "${gpu_boards[@]}" || rc=1
"$here/samples" || rc=1
exit "$rc"
