# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What embedded.sh and run.sh run on a board.

tests_of() # BOARD
{
	echo array image interop legacy nvbuf stream submit transform version view
}
