#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the CUDA-shaped surface over the module, inside the test VM: it is
# inserted for one board after the other, all or $HEAPSIM_BOARDS. TAP, one
# document a program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
dir=${HEAPSIM_BUILD:-$top/build}/selftests/cuda
module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
limit=${HEAPSIM_LIMIT:-240}	# seconds for one program
export CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=kernel
rc=0

insert() # PARAMS
{
	local i

	# The last fput of a process that has just ended may be under way.
	for ((i = 0; i < 50; i++)); do
		rmmod heapsim 2>/dev/null && break
		sleep 0.1
	done
	insmod "$module" "$@"
}

all="nano tx2 drive-px2 xavier orin orin-nano thor"
read -ra boards <<<"${HEAPSIM_BOARDS:-$all}"
for soc in "${boards[@]}"; do
	if ! insert "soc=$soc"; then
		echo "not ok 1 - insmod with soc=$soc"
		echo "1..1"
		rc=1
		continue
	fi
	tests="driver runtime semaphore share"
	# In the process all are tried.
	is_quick || tests+=" array device limits pool texture"
	for test in $tests; do
		LIBMEM_SOC=$soc timeout -k 5 "$limit" \
			"$dir/${test}_test" || rc=1
	done
	is_quick || for test in 10020-thread 13000; do
		LIBMEM_SOC=$soc timeout -k 5 "$limit" \
			"$dir/version_test-$test" || rc=1
	done
	# Reports of any other board are made in the same way.
	[ "$soc" != tx2 ] || is_quick || "$here/report.sh" || rc=1
done
"$here/samples" "${boards[@]}" || rc=1
exit "$rc"
