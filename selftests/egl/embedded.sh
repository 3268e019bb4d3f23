#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the EGL API on the embedded backend, without module, VM and root, on
# each board that has CUDA or on $HEAPSIM_BOARDS. Prints a TAP document for each
# program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/egl/tests.sh
. "$here/tests.sh"
dir=${HEAPSIM_BUILD:-$top/build}/selftests/egl
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=embedded
rc=0

"$here/symbols_test" || rc=1
for language in c99 c11 cpp; do
	"$dir/header_${language}_test" || rc=1
done
for soc in ${HEAPSIM_BOARDS:-nano tx2 drive-px2 xavier orin orin-nano thor}; do
	for test in $(tests_of "$soc"); do
		LIBMEM_SOC=$soc timeout -k 5 300 "$dir/${test}_test" || rc=1
	done
done
"$here/report_test" || rc=1
exit "$rc"
