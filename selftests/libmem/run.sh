#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All tests of libmem, inside the test VM with the module inserted: TAP, one
# document a program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
dir=${LIBMEM_TESTS:-${HEAPSIM_BUILD:-$top/build}/selftests/libmem}
export CMOCKA_MESSAGE_OUTPUT=TAP
rc=0

# A foreign dma-buf for the tests, where the kernel has one.
modprobe vgem 2>/dev/null

"$here/symbols_test" || rc=1
"$dir/header_test" || rc=1
for test in ctx buf job watch random; do
	LIBMEM_BACKEND=kernel "$dir/${test}_test" || rc=1
done
# No module in it, but another kernel, or machine, than where it was built.
"$dir/engine_test" || rc=1
exit "$rc"
