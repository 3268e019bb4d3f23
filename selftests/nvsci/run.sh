#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the NvSciBuf-shaped surface over the module, inside the test VM: it
# is inserted for one board after the other, all or $HEAPSIM_BOARDS. TAP, one
# document a program. Exit code: 0 if all passed, else 1.

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=selftests/vm/boards.sh
. "$top/selftests/vm/boards.sh"

run_surface nvsci "${gpu_boards[@]}" generic-noncoherent \
	generic-coherent
