# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by tests of reports: runs programs and checks their reports. $source
# is the source of the program; $options are the options of each run.
#
# shellcheck disable=SC2154 # source is the caller's

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${HEAPSIM_BUILD:-$top/build}
O=${O:-$build/selftests/heapsim}
PATH=$build/heapsim:$PATH
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
only=${*:-.}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
options=()

try() # NAME COMMAND...
{
	[[ ! $1 =~ $only ]] || tap_try "$@"
}

# report RC ARGUMENT...: checks that heapsim run exits with RC, and sets
# $report.
report()
{
	local want=$1 rc

	shift
	: >"$tmp/report"
	"${command:-heapsim}" run "${options[@]}" --log-file="$tmp/report" \
		"$@" </dev/null >"$tmp/out" 2>"$tmp/err"
	rc=$?
	report=$(<"$tmp/report")
	[ "$rc" = "$want" ] && return
	echo "heapsim run $* exited with $rc, wanted $want"
	cat "$tmp/err" "$tmp/report"
	return 1
}

# report_early ARGUMENT...: like report 0, for "early" of mistakes.c. It is
# repeated until the CPU has read while the job was running, however slow the
# machine is.
report_early()
{
	local ms

	for ms in 100 1000 10000; do
		MISTAKES_JOB_MS=$ms report 0 "$@" >"$tmp/early" && return
		# EX_TEMPFAIL: the job had already ended.
		grep -q ' exited with 75, ' "$tmp/early" || break
	done
	cat "$tmp/early"
	return 1
}

# has REGEX...: checks that lines of the report match, in this order.
has()
{
	local line

	while [ $# -gt 0 ] && read -r line; do
		[[ $line =~ $1 ]] && shift
	done <<<"$report"
	[ $# -gt 0 ] || return 0
	echo "not in the report, or not there: $1"
	echo "$report"
	return 1
}

hasnt() # REGEX
{
	[[ $report =~ $1 ]] || return 0
	echo "in the report: $1"
	echo "$report"
	return 1
}

# line MARK: prints the number of the source line with the mark. No program is
# started, since that is slow in the VM.
line()
{
	local nr=0 text

	while IFS= read -r text; do
		nr=$((nr + 1))
		[[ $text != *"/* $1 */"* ]] || echo "$nr"
	done <"$source"
}

# Checks that the report lists only the last attaches of "attached-often".
attach_history()
{
	local source=$here/mistakes.c ago='[0-9.]+ ms before,'
	local by='attached by attached_often \(mistakes.c'

	has 'Engine not attached' 'attached to the host$' \
	    "  to the host in stream 0, $ago" "$by:$(line NEWEST)\)" \
	    "  to all streams when stream 2 was destroyed, $ago" \
	    "$by:$(line SECOND)\)" \
	    "  to stream 2, $ago" "$by:$(line THIRD)\)" \
	    "  to the host in stream 1, $ago" "$by:$(line FOURTH)\)" \
	    'touched by engine gpu, job [0-9]+ on stream 1' && sum 1 1 || return
	[ "$(grep -c 'attached by' <<<"$report")" = 4 ] && return
	echo "not four attaches"
	return 1
}

sum() # ERRORS PLACES
{
	has "^==heapsim== ERROR SUMMARY: $1 errors? from $2 places?\$"
}

# json_of RC ARGUMENT...: like report, and adds the JSON report to those that
# json_is_documented checks.
json_of()
{
	nr_jsons=$((${nr_jsons:-0} + 1))
	report "$1" --json="$tmp/$nr_jsons.json" "${@:2}"
}

# Checks that the reports have the members that the man page documents.
json_is_documented()
{
	"$here/json_check.py" "$top/Documentation/man/heapsim-run.rst" \
		"$tmp"/*.json
}
