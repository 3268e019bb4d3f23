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

# try NAME [COMMAND...]: without a command, that of this name is run.
try()
{
	[ $# -gt 1 ] || set -- "$1" "$1"
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

# at FUNCTION MARK: prints the regular expression of a frame at a marked line.
at() { echo "$1 \\(${source##*/}:$(line "$2")\\)"; }

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

# traced TEXT...: checks that the trace has all texts.
traced()
{
	local text

	for text; do
		grep -qF -- "$text" "$tmp/trace" && continue
		echo "not in the trace: $text"
		head -c 20000 "$tmp/trace"
		return 1
	done
}

# Replaces numbers that differ in each run, and the name of the program.
same_numbers()
{
	sed -E 's/(process|thread|buffer|job) [0-9]+/\1 N/g' "$tmp/report"
}

# Checks that the corrected twin of a mistake in mistakes.c has no finding.
clean_twin() # NAME
{
	report 0 "$O/mistakes" "right-$1" && sum 0 0 && hasnt Leaked
}

# A wait would not have helped the reader.
read_of_what_was_not_attached()
{
	local source=$here/mistakes.c

	report 0 "$O/mistakes" not-attached-read &&
		has 'Engine not attached' 'Stale read' 'attached to the host' \
		    "by $(at not_attached_read UNATTACHED)" \
		    "to fix it: attach the buffer to the job's stream" &&
		hasnt 'wait for the stream' && sum 2 2 &&
		clean_twin not-attached-read
}

# Eviction exposes mistakes that accesses alone do not show.
eviction_shows()
{
	local source=$here/mistakes.c program=$O/mistakes

	report 0 "$program" late-store && sum 0 0 &&
		report 0 --evict=random --seed=2 "$program" late-store &&
		has 'Lost device write' '"frame"' "at $(at poke POKE)" \
		    "by $(at late_store LATE)" "at $(at device_fills FILL)" &&
		report 0 --evict=random --seed=2 "$program" right-late-store &&
		sum 0 0
}

# With eviction, bytes are old that otherwise only might be. The same seed gives
# the same bytes and the same report.
eviction_repeats()
{
	local source=$here/mistakes.c partly=("$O/mistakes" partly) old

	report 0 "${partly[@]}" && has 'Possible stale read' \
		"by $(at partly PARTLY)" && hasnt ' Stale read' &&
		grep -qx '0 old bytes' "$tmp/out" || return
	report 0 --evict=random --seed=1 "${partly[@]}" &&
		has ' Stale read' "by $(at partly PARTLY)" \
		    "at $(at partly WHOLE)" || return
	old=$(<"$tmp/out")
	same_numbers >"$tmp/once"
	[ "$old" != '0 old bytes' ] &&
		report 0 --evict=random --seed=1 "${partly[@]}" &&
		[ "$(<"$tmp/out")" = "$old" ] &&
		same_numbers | diff "$tmp/once" - &&
		report 0 --evict=random --seed=2 "${partly[@]}" &&
		[ "$(<"$tmp/out")" != "$old" ] &&
		report 0 --evict=random --seed=1 "$O/mistakes" right-partly &&
		sum 0 0 && return
	echo "$old, then $(<"$tmp/out")"
	return 1
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
