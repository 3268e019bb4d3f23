#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the EGL API with the module, inside the test VM. The module is inserted
# for one board after the other, all that have CUDA or $HEAPSIM_BOARDS. Prints a
# TAP document for each program. Exit code: 0 if all passed, else 1.

top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=selftests/vm/boards.sh
. "$top/selftests/vm/boards.sh"

run_surface egl "${gpu_boards[@]}"
