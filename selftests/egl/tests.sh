# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Lists the tests that embedded.sh and run.sh run on a board.

tests_of() # BOARD
{
	echo cases stream pointers frame image sync process guide
}
