#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All tests of libmem, inside the test VM with the module inserted, and then
# inserted anew for other boards, all or $HEAPSIM_BOARDS: TAP, one document a
# program. Exit code: 0 if all passed, else 1.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
dir=${LIBMEM_TESTS:-${HEAPSIM_BUILD:-$top/build}/selftests/libmem}
export CMOCKA_MESSAGE_OUTPUT=TAP
limit=${HEAPSIM_LIMIT:-240}	# seconds for one program
module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
rc=0

insert() # PARAMS
{
	local i

	# The last fput of a process that has just ended may be under way.
	for ((i = 0; i < 50; i++)); do
		rmmod heapsim 2>/dev/null && break
		sleep 0.1
	done
	insmod "$module" test_hooks=1 "$@"
}

# A foreign dma-buf for the tests, where the kernel has one.
modprobe vgem 2>/dev/null

"$here/symbols_test" || rc=1
"$dir/header_test" || rc=1
# Random sequences of the model's: the embedded backend has them all, too.
! is_quick || export ROUNDS=${ROUNDS:-4}
for test in ctx size buf job watch random endpoint hostile attrs \
	attrs_merge object_share descriptor; do
	LIBMEM_BACKEND=kernel "$dir/${test}_test" || rc=1
done
all="nano tx2 drive-px2 xavier orin orin-nano thor generic-coherent"
read -ra boards <<<"${HEAPSIM_BOARDS:-$all}"
# The module's default is generic-noncoherent.
for soc in "" "${boards[@]}"; do
	if [ -z "$soc" ] || insert "soc=$soc"; then
		tests="stream semaphore attach access share export object"
		tests+=" image image_wrap image_object image_job"
		# What comes of mistakes is the kind of memory's matter.
		case $soc in
		nano | orin* | generic-coherent) ;;
		*) tests+=" misuse" ;;
		esac
		for test in $tests; do
			LIBMEM_BACKEND=kernel timeout -k 5 "$limit" \
				"$dir/${test}_test" || rc=1
		done
		# As many programs as there is time for.
		LIBMEM_BACKEND=kernel LIMIT_S="${LIMIT_S:-5}" \
			timeout -k 5 "$limit" "$dir/stream_random_test" || rc=1
	else
		echo "not ok 1 - insmod with soc=$soc"
		echo "1..1"
		rc=1
	fi
done
# A descriptor is dear where software emulates the machine.
is_quick || SCALE=20 LIBMEM_BACKEND=kernel timeout -k 5 "$limit" "$dir/scale_test" || rc=1
# No module in it, but another kernel, or machine, than where it was built. One
# that looks for mistakes of its own finds none there, and takes long.
is_quick || [ -e /sys/kernel/debug/kmemleak ] || "$dir/engine_test" || rc=1
exit "$rc"
