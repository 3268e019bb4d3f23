# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For scripts that run inside the test VM: module_insert inserts the module
# anew, on_boards does so for one board after the other, run_tests runs test
# programs, run_surface those of a surface in libmem/compat. $top is the tree.

module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
limit=${HEAPSIM_LIMIT:-240}	# seconds for one program
# Those that have CUDA.
# shellcheck disable=SC2034 # the scripts'
gpu_boards=(nano tx2 drive-px2 xavier orin orin-nano thor)

module_insert() # PARAMETER...
{
	local i

	# The last fput of a process that has just ended may be under way.
	for ((i = 0; i < 50; i++)); do
		[ -d /sys/module/heapsim ] || break
		rmmod heapsim 2>/dev/null && break
		sleep 0.1
	done
	insmod "$module" "$@"
}

# Calls COMMAND BOARD for each board of $HEAPSIM_BOARDS, else of those that are
# named, with the module inserted for it. False if one failed.
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

# The buffers and jobs that the module has still, a line each of its state.
left_over()
{
	local state=/sys/kernel/debug/heapsim/state name nr

	[ -r "$state" ] || echo "no $state"
	while read -r name nr; do
		[[ $name != @(bufs|jobs) || $nr = 0 ]] || echo "$name $nr"
	done <"$state"
}

# A test of its own: what a program has ended with is gone.
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

# Runs DIR/TEST_test for each test, and looks what it leaves. TAP of each; false
# if one failed.
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

# Runs the programs that selftests/SURFACE/tests.sh has for a board on each
# board. TAP of each; false if one failed.
run_surface() # SURFACE BOARD...
{
	local surface=$1
	local -x CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=kernel

	shift
	# shellcheck source=selftests/nvsci/tests.sh
	. "$top/selftests/$surface/tests.sh"
	on_boards surface_on_board "$@"
}

# For run_surface().
surface_on_board() # BOARD
{
	local -x LIBMEM_SOC=$1

	# shellcheck disable=SC2046,SC2154 # names are words; run_surface()'s
	run_tests "${HEAPSIM_BUILD:-$top/build}/selftests/$surface" \
		$(tests_of "$1")
}
