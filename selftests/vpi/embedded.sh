#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the VPI and NvBufSurface APIs on the embedded backend, without module,
# VM and root, on each board or on $HEAPSIM_BOARDS. Prints a TAP document for
# each program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/vpi/tests.sh
. "$here/tests.sh"
dir=${HEAPSIM_BUILD:-$top/build}/selftests/vpi
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=embedded
rc=0

"$here/symbols_test" || rc=1
"$here/report_test" || rc=1
"$dir/format_test" || rc=1
read -ra boards <<<"${HEAPSIM_BOARDS:-nano tx2 drive-px2 xavier orin orin-nano thor}"
for soc in "${boards[@]}"; do
	for test in $(tests_of "$soc") opencv legacy_opencv; do
		LIBMEM_SOC=$soc timeout -k 5 600 "$dir/${test}_test" || rc=1
	done
done
exit "$rc"
