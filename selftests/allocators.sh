# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Other allocators than the C library's, for LD_PRELOAD. The dynamic linker
# ignores one that is not installed, so a test of it would pass without it.

# shellcheck disable=SC2034 # for who sources it
allocators="libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2"

# Prints a failed test if it is not installed.
allocator_is_there() # ALLOCATOR
{
	ldconfig -p | grep -qF "$1 " && return
	echo "not ok 1 - engines_with_$1"
	echo "# $1 is not installed: make setup"
	echo "1..1"
	return 1
}
