# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For scripts that run inside the test VM. module_insert inserts the module
# anew; on_boards does so for one board after the other; run_tests runs test
# programs; run_surface runs the tests of one API in libmem/compat. The script
# that sources this file sets $top to the top folder of the tree.

module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
limit=${HEAPSIM_LIMIT:-240}	# seconds for one program
# The boards that have CUDA.
# shellcheck disable=SC2034 # used by the scripts that source this file
gpu_boards=(nano tx2 drive-px2 xavier orin orin-nano thor)

module_insert() # PARAMETER...
{
	local i

	# The module may still be in use: the last fput of a process that has
	# just ended is delayed.
	for ((i = 0; i < 50; i++)); do
		[ -d /sys/module/heapsim ] || break
		rmmod heapsim 2>/dev/null && break
		sleep 0.1
	done
	insmod "$module" "$@"
}

# Calls COMMAND BOARD for each board of $HEAPSIM_BOARDS, or else of the
# arguments, with the module inserted for it. Returns false if one failed.
on_boards() # COMMAND BOARD...
{
	local command=$1 boards soc failed=0

	shift
	read -ra boards <<<"${HEAPSIM_BOARDS:-$*}"
	for soc in "${boards[@]}"; do
		if module_insert test_hooks=1 "soc=$soc"; then
			"$command" "$soc" || failed=1
		else
			echo "not ok 1 - insmod with soc=$soc"
			echo "1..1"
			failed=1
		fi
	done
	return "$failed"
}

# Prints how many buffers and jobs the module still has, unless there are none.
left_over()
{
	local state=/sys/kernel/debug/heapsim/state name nr

	[ -r "$state" ] || echo "no $state"
	while read -r name nr; do
		[[ $name != @(bufs|jobs) || $nr = 0 ]] || echo "$name $nr"
	done <"$state"
}

# Reports as a test whether the module has released all objects of a program
# that has ended.
nothing_is_left() # TEST
{
	local i left

	for ((i = 0; i < 50; i++)); do
		left=$(left_over)
		[ -n "$left" ] || break
		sleep 0.1
	done
	[ -z "$left" ] || echo -n "not "
	echo "ok 1 - nothing_is_left_by_${1}_test"
	[ -z "$left" ] || echo "# ${left//$'\n'/, }"
	echo "1..1"
	[ -z "$left" ]
}

# Runs DIR/TEST_test for each test, and checks that it leaves nothing in the
# module. Prints the TAP of each. Returns false if one failed.
run_tests() # DIR TEST...
{
	local dir=$1 test failed=0

	shift
	for test; do
		timeout -k 5 "$limit" "$dir/${test}_test" || failed=1
		nothing_is_left "$test" || failed=1
	done
	return "$failed"
}

# Runs on each board the programs that selftests/SURFACE/tests.sh lists for it.
# Prints the TAP of each. Returns false if one failed.
run_surface() # SURFACE BOARD...
{
	local surface=$1
	local -x CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=kernel

	shift
	# shellcheck source=selftests/nvsci/tests.sh
	. "$top/selftests/$surface/tests.sh"
	on_boards surface_on_board "$@"
}

# Called by on_boards for run_surface().
surface_on_board() # BOARD
{
	local -x LIBMEM_SOC=$1

	# shellcheck disable=SC2046,SC2154 # names are words; run_surface()'s
	run_tests "${HEAPSIM_BUILD:-$top/build}/selftests/$surface" \
		$(tests_of "$1")
}
