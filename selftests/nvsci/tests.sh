# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Lists the tests that embedded.sh and run.sh run on a board.

tests_of() # BOARD
{
	echo list image object ipc share media sync sync_share
	# Generic boards have no CUDA.
	[[ $1 = generic-* ]] || echo guide guide_cpp sync_cuda
}
