#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Measures inside the VM the cost of checks: the same pipeline with policy off,
# with the default policy, under `heapsim run`, and under valgrind's memcheck
# with policy off. All are measured alternately, so that other load affects all
# of them; results are medians. Prints whether `heapsim run` needs at most 1.5
# times as long. The exit code is 1 beyond 4 times, which a busy machine cannot
# explain.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build/selftests/bench}
PATH=$top/build/heapsim:$PATH
rounds=${ROUNDS:-5}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The program prints the nanoseconds of a frame.
one() # NAME COMMAND...
{
	"${@:2}" >>"$tmp/$1" 2>>"$tmp/log" || { cat "$tmp/log"; exit 1; }
}

median() { sort -n "$tmp/$1" | sed -n "$(((rounds + 1) / 2))p"; }

row() # NAME TEXT
{
	local ns off

	ns=$(median "$1")
	off=$(median off)
	printf '%-40s %9d.%03d ms %5d.%02d\n' "$2" $((ns / 1000000)) \
		$((ns / 1000 % 1000)) $((ns / off)) $((ns * 100 / off % 100))
}

for ((i = 0; i < rounds; i++)); do
	one off "$O/pipeline" -o
	one tracked "$O/pipeline"
	one watched heapsim run --error-exitcode=9 "$O/pipeline"
	one memcheck valgrind -q "$O/pipeline" -o 3
	echo "# round $((i + 1)) of $rounds"
done
printf '\n%-40s %16s %8s\n' "a 1080p frame" median ratio
row off "policy off"
row tracked "tracked"
row watched "heapsim run"
row memcheck "policy off, valgrind's memcheck"
watched=$(($(median watched) * 100 / $(median off)))
if [ "$watched" -le 150 ]; then
	printf '\nheapsim run, bar 1.5: held\n'
else
	printf '\nheapsim run, bar 1.5: not held\n'
fi
[ "$watched" -le 400 ] || { echo "more than 4 times: a defect"; exit 1; }
