#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [[PARAMS:]PROGRAM]...: runs the tests of the real module inside the
# test VM, where the module is inserted. For PARAMS:PROGRAM it is inserted anew
# with these parameters. Prints the TAP of each program, then a line with the
# results of each. Exits with 1 if anything failed.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
# shellcheck source=selftests/vm/boards.sh
. "$top/selftests/vm/boards.sh"
export O=${O:-${HEAPSIM_BUILD:-$top/build}/selftests/device}
export CMOCKA_MESSAGE_OUTPUT=TAP

programs=("$@")
[ $# -gt 0 ] || programs=(uapi_test heap_test buf_test bracket_test cdev_test
	dma_test fence_test swsync_test knobs_test import_test lock_test record_test
	stack_test policy_test precise_test faults_test trace_test reopen_test
	unload_test.sh
	test_hooks=1:stream_test uring_test rights_test
	rights_race_test soc=thor:stream_test rights_test rights_race_test
	stress_test test_hooks=0:hooks_test
	'user_limit_mb=16 fill=2097152:limit_test'
	'mem_accounting=1 user_limit_mb=16:limit_test')
[ $# -gt 0 ] || is_quick || programs+=(vmap=cpu:import_test vmap=cpu:policy_test
	soc=orin:stream_test rights_test rights_race_test)

# Other exporters and importers; if the kernel lacks one, its tests are skipped.
for name in vgem brd udmabuf; do
	modprobe -q "$name" || echo "# no module $name"
done
# vivid has two cameras: one with vmalloc memory, one with contiguous memory.
modprobe -q vivid n_devs=2 allocators=0,1 || echo "# no module vivid"
for _ in {1..50}; do
	compgen -G '/dev/video*' >/dev/null && break
	sleep 0.1
done

run() # PARAMS PATH
{
	local words rc

	read -ra words <<<"$1"
	if [ -n "$1" ] && ! module_insert test_hooks=1 "${words[@]}"; then
		echo "not ok 1 - insmod with $1"
		echo "1..1"
		return 1
	fi
	timeout -k 5 "$limit" "$2" &
	wait "$!"
	rc=$?
	# timeout leads a group. A child that a failed test has left would hold
	# the pipe to tee open for ever.
	kill -KILL -- "-$!" 2>/dev/null
	return "$rc"
}

# Prints how many tests of a program passed, failed and were skipped.
summary()
{
	awk -v rc="$2" -v name="$1" '
		/^(not )?ok .*# SKIP/ { skipped++; next }
		/^not ok/ { failed++; next }
		/^ok/ { passed++ }
		/^1\.\./ { planned = substr($1, 4) }
		END {
			seen = passed + failed + skipped
			if (rc == 124 || rc == 137)
				why = ", TIMED OUT"
			else if (rc)
				why = ", exit code " rc
			if (seen != planned)
				why = why ", " planned + 0 " planned"
			printf("# %s: %d passed, %d failed, %d skipped%s\n",
			       name, passed, failed, skipped, why)
			exit(failed || rc || seen != planned || !seen)
		}' "$3"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
totals=()
failed=0
for program in "${programs[@]}"; do
	params=${program%"${program##*:}"}
	case ${program##*:} in
	*.sh) path=$here/${program##*:} ;;
	*)    path=$O/${program##*:} ;;
	esac
	run "${params%:}" "$path" 2>&1 </dev/null | tee "$log"
	rc=${PIPESTATUS[0]}
	totals+=("$(summary "$program" "$rc" "$log")") || failed=1
done
printf '%s\n' "${totals[@]}"
exit "$failed"
