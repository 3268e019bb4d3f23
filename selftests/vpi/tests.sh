# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What embedded.sh and run.sh run on each board.

# shellcheck disable=SC2034 # theirs
tests=(array image interop legacy nvbuf stream submit transform view)
