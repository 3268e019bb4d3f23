#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the NvSciBuf-shaped surface over the module, inside the test VM: it
# is inserted for one board after the other, all or $HEAPSIM_BOARDS. TAP, one
# document a program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/vm/boards.sh
. "$top/selftests/vm/boards.sh"
# shellcheck source=selftests/nvsci/tests.sh
. "$here/tests.sh"
dir=${HEAPSIM_BUILD:-$top/build}/selftests/nvsci
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=kernel

on_board() # BOARD
{
	local -x LIBMEM_SOC=$1

	# shellcheck disable=SC2046 # names are words
	run_tests "$dir" $(tests_of "$1")
}

on_boards on_board "${gpu_boards[@]}" generic-noncoherent generic-coherent
