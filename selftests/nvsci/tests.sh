# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What embedded.sh and run.sh run on a board.

tests_of() # BOARD
{
	echo list image object ipc share media
	# CUDA is not of generic boards.
	[[ $1 = generic-* ]] || echo guide guide_cpp
}
