#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of `heapsim run` for programs that use libmem's embedded backend,
# without module, VM and root. Each mistake has a corrected twin. Prints TAP.
# Exit code: 0 if all passed, else 1. Arguments are regular expressions; only
# tests whose names match are run.
#
# shellcheck disable=SC2317 # tap_try calls the functions

set -u

# shellcheck source=selftests/heapsim/report.sh
. "$(dirname "$0")/report.sh"
wrong=$O/mistakes
source=$here/mistakes.c
options=(--backend=embedded)
unset LIBMEM_BACKEND LIBMEM_SOC LIBMEM_EVICT LIBMEM_SEED HEAPSIM_STACKS \
      HEAPSIM_RUN

stale_read()
{
	report 0 "$wrong" stale &&
		has 'Stale read' 'buffer 1 "frame", offset 4200, 24 bytes' \
		    'read by mistakes \(process [0-9]+, thread [0-9]+\)' \
		    "at $(at peek PEEK)" "by $(at stale STALE)" 'by main' \
		    'written by engine dma, job 1, submitted by mistakes' \
		    "at $(at device_fills FILL)" 'by stale' 'by main' \
		    'to fix it: begin a bracket for reading' \
		    'mem_buf_begin\(buf, MEM_READ\)' && sum 1 1 &&
		hasnt 'DMA_BUF' && hasnt Leaked && clean_twin stale
}

missing_clean()
{
	report 0 "$wrong" missing-clean &&
		has 'Missing clean' 'offset 64, 64 bytes' \
		    "at $(at poke POKE)" "by $(at missing_clean STORE)" \
		    'memory was read by engine dma' \
		    "at $(at device_reads SUM)" \
		    'mem_buf_end\(buf, MEM_WRITE\)' && sum 1 1 &&
		clean_twin missing-clean
}

write_conflict()
{
	report 0 "$wrong" conflict &&
		has 'Write conflict' "at $(at poke POKE)" \
		    "by $(at conflict CONFLICT)" 'memory was written by' \
		    "at $(at device_fills FILL)" && clean_twin conflict
}

# Checks the first words of all findings, in their order.
headlines() # TEXT
{
	local got

	got=$(sed -nE 's/^==heapsim== ([A-Z][a-zA-Z ]+): .*/\1/p' <<<"$report" |
		paste -sd,)
	[ "$got" = "$1,ERROR SUMMARY" ] && return
	echo "$got"
	return 1
}

# One mistake is one finding, and what else it led to stands below it. Other
# mistakes, also with the same buffer, are findings of their own.
early_end()
{
	local same='    for the same reason,'

	report 0 "$wrong" early-end &&
		has 'Missing clean' "by $(at early_end AFTER)" \
		    "$same Write conflict:$" '    2 lines$' \
		    "$same Lost CPU write:$" '    2 lines$' 'to fix it' \
		    'Missing clean' "by $(at early_end OTHER)" \
		    "$same Write conflict:$" '    1 line$' 'to fix it' &&
		headlines \
		    'Missing clean,Missing clean,Stale read,Lost device write' &&
		sum 11 4 || return
	printf '{\n name: known\n kind: missing-clean\n}\n' >"$tmp/known"
	report 0 --suppressions="$tmp/known" "$wrong" early-end &&
		headlines \
		    'Write conflict,Write conflict,Stale read,Lost device write' &&
		has "by $(at early_end AFTER)" "$same Lost CPU write:$" &&
		sum 7 4 && clean_twin early-end
}

lost_cpu_write()
{
	report 0 "$wrong" lost-cpu-write &&
		has 'Lost CPU write' "at $(at poke POKE)" \
		    "by $(at lost_cpu_write LOST)" \
		    'dropped by mistakes \(process' \
		    "at $(at lost_cpu_write DROP)" && sum 1 1 &&
		clean_twin lost-cpu-write
}

lost_device_write()
{
	report 0 "$wrong" lost-device-write &&
		has 'Lost device write' "at $(at poke POKE)" \
		    "by $(at lost_device_write BESIDE)" \
		    "at $(at device_fills FILL)" && sum 1 1 &&
		clean_twin lost-device-write
}

unbracketed_access()
{
	report_early "$wrong" early &&
		has 'Read before the fence' "at $(at peek PEEK)" \
		    "by $(at early EARLY)" 'mem_job_wait' && sum 1 1 &&
		clean_twin early
}

missing_end()
{
	report 0 "$wrong" open-bracket &&
		has 'Missing END' "at $(at begin BEGIN)" \
		    "by $(at open_bracket OPEN)" && sum 1 1 &&
		clean_twin open-bracket
}

# No code of the program runs at its end.
missing_end_at_exit()
{
	report 0 "$wrong" exit-in-bracket &&
		has 'Missing END' "at $(at begin BEGIN)" \
		    "by $(at exit_in_bracket EXIT)" \
		    'Leaked buffer' && sum 1 1 && clean_twin exit-in-bracket
}

unmatched_end()
{
	report 0 "$wrong" no-begin &&
		has 'END without START' "at $(at end END)" \
		    "by $(at no_begin NOBEGIN)" && sum 1 1 &&
		clean_twin no-begin
}

system_call()
{
	report 0 "$wrong" by-call &&
		has 'Stale read' "at $(at by_call CALL)" 'by main' && sum 1 1 &&
		clean_twin by-call
}

waste()
{
	report 0 "$wrong" redundant &&
		has 'cleans that found nothing' \
		    "^==heapsim== +5 +81920 +\"frame\" redundant .*:$(line CLEAN)\\)" \
		    'invalidates that had nothing to do' \
		    "^==heapsim== +3 +49152 +\"frame\" redundant .*:$(line INVAL)\\)" &&
		sum 0 0 && clean_twin redundant && hasnt 'No error'
}

cpu_while_active()
{
	report 0 "$wrong" while-active &&
		has 'CPU while active' '"pixels", ' 'attached to all streams' \
		    "at $(at peek PEEK)" "by $(at while_active ACTIVE)" \
		    'in use by engine .* on stream [0-9]+, submitted' \
		    "at $(at start_kernel LAUNCH)" 'mem_stream_sync' && sum 1 1 &&
		clean_twin while-active
}

struct_while_active()
{
	report 0 "$wrong" struct-while-active &&
		has 'CPU while active' '"pixels", offset 64, 1 byte' \
		    'written by mistakes' \
		    "at $(at struct_while_active STRUCT)" \
		    '"pixels", offset 4096, 1 byte' 'read by mistakes' \
		    "at $(at struct_while_active PATH)" &&
		# If the kernel is still running, the next wait drops the lines.
		{ sum 2 2 >/dev/null || { sum '[0-9]+' 3 &&
			has 'Lost CPU write' \
			    "at $(at struct_while_active STRUCT)"; }; } &&
		clean_twin struct-while-active
}

engine_not_attached()
{
	report 0 "$wrong" not-attached &&
		has 'Engine not attached' 'attached to the host' \
		    'touched by engine gpu, job 1 on stream 1' \
		    "at $(at start_kernel LAUNCH)" "by $(at not_attached ATTACH)" \
		    'its kernel' "at $(at k_store KERNEL)" \
		    'mem_stream_attach' && sum 1 1 && clean_twin not-attached
}

# Rights are dropped before a context is opened, however libmem is linked.
without_rights()
{
	local how

	for how in "" -archive -static; do
		MISTAKES_SANDBOX=1 report 0 "$wrong$how" stale &&
			has 'Stale read' "at $(at peek PEEK)" \
			    "by $(at stale STALE)" 'by main' && sum 1 1 ||
			return
	done
}

# The access ends the program, and the report explains it.
use_after_free()
{
	report 139 --leak-check=no "$wrong" freed &&
		has 'Use after free' 'buffer 1 "pixels", offset 100, 1 byte' \
		    'read by mistakes' "at $(at peek PEEK)" \
		    "by $(at freed FREED)" 'freed or unmapped by mistakes' \
		    "at $(at freed FREE)" 'to fix it' 'ended by SIGSEGV' &&
		sum 1 1 && clean_twin freed &&
		report 139 --leak-check=no "$wrong" freed-buf &&
		has 'Use after free' 'buffer 1 "frame"' 'read by mistakes' \
		    "by $(at freed_buf GONE)" 'unmapped by mistakes' \
		    "at $(at freed_buf DESTROY)" && sum 1 1 &&
		clean_twin freed-buf &&
		report 139 --leak-check=no "$wrong" unmapped-buf &&
		has 'Use after free' 'buffer 1 "frame"' 'read by mistakes' \
		    "by $(at unmapped_buf AWAY)" 'unmapped by mistakes' \
		    "at $(at unmapped_buf UNMAP)" && sum 1 1 &&
		clean_twin unmapped-buf
}

# The report lists the allocation and the attaches, newest first.
attaches()
{
	report 0 --json="$tmp/json" "$wrong" attached-often &&
		attach_history && python3 - "$tmp/json" <<'EOF' || return
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    one = json.load(f)["findings"][0]
all = one["attaches"]
what = [(a["attach"], a["by"], a["stream"]) for a in all]
assert what == [("host", "call", 0), ("global", "stream-destroyed", 2),
                (2, "call", 2), ("host", "call", 1)], what
times = [one["time_ns"]] + [a["time_ns"] for a in all]
assert times == sorted(times, reverse=True) and times[-1] > 0, times
assert all[0]["stack"][0]["function"] == "attached_often", all
EOF
	report 0 --json="$tmp/json" "$wrong" not-attached &&
		has 'to the host when allocated, [0-9.]+ ms before,' \
		    "attached by $(at make_memory MEMORY)" &&
		grep -q '"by": *"allocation"' "$tmp/json" &&
		report 0 "$wrong" while-active &&
		has '  to all streams when allocated' \
		    'attached by make_memory' && report 0 "$wrong" on-device &&
		hasnt 'attached' && clean_twin attached-often
}

# Under heapsim run no access is refused.
cpu_on_device()
{
	report 0 "$wrong" on-device &&
		has 'CPU on device memory' "at $(at peek PEEK)" \
		    "by $(at on_device DEVICE)" \
		    'to fix it: copy what the CPU needs' 'mem_copy\(\)' &&
		sum 1 1 && clean_twin on-device
}

atomic_on_uncached()
{
	report 0 --soc=tx2 "$wrong" on-uncached &&
		has 'Atomic on uncached memory: atomic' 'do not work' \
		    '"pixels", offset 0, 1 byte' 'touched by engine gpu' \
		    "by $(at on_uncached UNCACHED)" 'its kernel' \
		    "at $(at k_count COUNT)" 'to fix it: keep what' \
		    'mem_alloc\(\)' && sum 1 1 &&
		report 0 --soc=xavier "$wrong" on-uncached && sum 0 0 &&
		report 0 --soc=tx2 "$wrong" right-on-uncached && sum 0 0
}

illegal_address()
{
	report 0 --leak-check=no "$wrong" illegal &&
		has 'Illegal address' 'address 0x[0-9a-f]+, variable of the host' \
		    'touched by engine gpu' "by $(at illegal ILLEGAL)" \
		    'its kernel' "at $(at k_store KERNEL)" \
		    'to fix it: pass the kernel a pointer' && sum 1 1 &&
		clean_twin illegal
}

failed_kernel()
{
	report 0 --leak-check=no "$wrong" failed &&
		has 'Failed kernel' 'ended by exit or fork' \
		    'run by engine gpu' "by $(at failed FAILED)" 'its kernel' \
		    'at k_leave' 'to fix it: make the kernel return' &&
		sum 1 1 && clean_twin failed
}

not_the_dgpus()
{
	report 0 --leak-check=no --soc=drive-px2 "$wrong" on-dgpu &&
		has 'Illegal address' 'address 0x[0-9a-f]+, managed memory' \
		    'touched by engine dgpu' "at $(at on_dgpu DGPU)" \
		    'its kernel' "at $(at k_store KERNEL)" && sum 1 1 &&
		report 0 --soc=drive-px2 "$wrong" right-on-dgpu && sum 0 0
}

overrun()
{
	report 0 "$wrong" overrun &&
		has 'Overrun' 'offset 16384, 1 byte' 'written by engine gpu' \
		    "by $(at overrun OVERRUN)" 'its kernel' 'at k_store' \
		    'to fix it: keep indexes' &&
		sum 1 1 && clean_twin overrun
}

overrun_by_cpu()
{
	report 0 --soc=tx2 "$wrong" cpu-overrun &&
		has 'Overrun' '"pixels", offset 16384, 1 byte' \
		    'written by mistakes' "at $(at poke POKE)" \
		    "by $(at cpu_overrun BEHIND)" &&
		sum 1 1 && clean_twin cpu-overrun
}

leaked_buffers()
{
	report 0 "$wrong" leak &&
		has 'Leaked buffer' 'buffer 1 "leaked" and 2 more, 49152 bytes' \
		    'allocated by mistakes' "at $(at make MAKE)" \
		    "by $(at leak_one LEAK)" \
		    'LEAK SUMMARY: 3 objects \(49152 bytes\) from 1 place' &&
		sum 0 0 && clean_twin leak
}

leaked_names()
{
	report 0 "$wrong" leak-memory &&
		has 'Leaked buffer' 'buffer 1 "pixels", 16384 bytes' &&
		sum 0 0 && clean_twin leak-memory
}

# Two bytes that are far apart must not be reported as one long access.
two_apart()
{
	report 0 "$wrong" apart && has 'CPU while active' \
		'"pixels", 2 accesses between offset 0 and 16383$' \
		"at $(at apart APART)" && sum 2 1 && hasnt '16384 bytes' &&
		clean_twin apart
}

leaked_job()
{
	report 0 "$wrong" leak-job &&
		has 'Leaked job' '    1 job$' 'submitted by mistakes' \
		    "at $(at leak_job JOB)" && sum 0 0 && clean_twin leak-job
}

leaked_stream()
{
	report 0 "$wrong" leak-streams &&
		has 'Leaked stream' '    1 stream$' 'created by mistakes' \
		    "at $(at leak_streams STREAM)" \
		    'LEAK SUMMARY: 1 object \(0 bytes\) from 1 place' &&
		sum 0 0 && clean_twin leak-streams
}

leaked_event()
{
	report 0 --json="$tmp/json" "$wrong" leak-event &&
		has 'Leaked event' '    1 event$' 'created by mistakes' \
		    "at $(at leak_event EVENT)" && sum 0 0 &&
		grep -q '"kind": *"leaked-event"' "$tmp/json" &&
		grep -q '"leaks": *1,' "$tmp/json" && clean_twin leak-event
}

leaked_registration()
{
	report 0 --soc=xavier "$wrong" leak-registration &&
		has 'Leaked registration' 'buffer [0-9]+, 16384 bytes' \
		    'registered by mistakes' \
		    "at $(at leak_registration REGISTER)" \
		    'LEAK SUMMARY: 1 object \(16384 bytes\) from 1 place' &&
		sum 0 0 && report 0 --soc=xavier "$wrong" \
		right-leak-registration && sum 0 0 && hasnt Leaked
}

freed_registration()
{
	report 0 --soc=xavier --json="$tmp/json" "$wrong" free-registered &&
		has 'Wrapped memory is gone: the program had freed it' \
		    'used by mistakes' \
		    "at $(at free_registered UNREGISTER)" \
		    'to fix it: unregister it first' &&
		sum 1 1 && grep -q '"kind": *"wrapped-gone"' "$tmp/json" &&
		report 0 --soc=xavier "$wrong" right-free-registered && sum 0 0
}

missing_calls()
{
	report 0 --error-exitcode=9 --json="$tmp/json" "$wrong" missing-calls &&
		has 'Calls that are not supported:' \
		    "cudaGraphLaunch \\(3 times\\), first by $(at launch_graph GRAPH)" \
		    'a_call_whose_name_is_longer_than_that_of_a_buffer \(1 time\)' &&
		[ "$(grep -c cudaGraphLaunch "$tmp/report")" = 1 ] &&
		sum 0 0 || return
	python3 - "$tmp/json" <<'EOF' || return
import json, sys
all = json.load(open(sys.argv[1]))
calls = [f for f in all["findings"] if f["kind"] == "missing-call"]
assert [(f["call"], f["count"]) for f in calls] == [
	("cudaGraphLaunch", 2),
	("a_call_whose_name_is_longer_than_that_of_a_buffer", 1),
	("cudaGraphLaunch", 1)], calls
assert all["errors"] == 0 and not any(f["is_error"] for f in calls), calls
assert not any(f["buffer"] for f in calls), calls
assert calls[0]["cpu"]["stack"][0]["function"] == "launch_graph", calls
EOF
	printf '{\n name: known\n kind: missing-call\n call: cuda*\n}\n' \
		>"$tmp/known"
	report 0 --suppressions="$tmp/known" "$wrong" missing-calls &&
		hasnt cudaGraph && has 'a_call_whose' && sum 0 0 &&
		printf '{\n name: known\n kind: *\n buffer: *\n}\n' \
			>"$tmp/known" &&
		report 0 --suppressions="$tmp/known" "$wrong" missing-calls &&
		has 'cudaGraphLaunch \(3 times\)' &&
		report 0 --gen-suppressions "$wrong" missing-calls &&
		sed -n '/^{/,/^}/p' "$tmp/report" >"$tmp/known" &&
		grep -q '^  call: cudaGraphLaunch$' "$tmp/known" &&
		report 0 --suppressions="$tmp/known" "$wrong" missing-calls &&
		hasnt 'Calls that' && clean_twin missing-calls &&
		hasnt 'Calls that'
}

leaks_are_asked_for()
{
	report 0 --error-exitcode=9 "$wrong" leak &&
		report 0 --leak-check=no "$wrong" leak && hasnt Leak &&
		hasnt LEAK &&
		report 9 --error-exitcode=9 --leak-check=error "$wrong" leak &&
		sum 3 1 &&
		report 2 --leak-check=perhaps "$wrong" leak
}

# HOW: with libmem.a, statically, with AddressSanitizer, or by clang.
linked() # HOW
{
	report 0 "$wrong-$1" stale &&
		has 'Stale read' "at $(at peek PEEK)" "by $(at stale STALE)" \
		    "at $(at device_fills FILL)" 'by stale' && sum 1 1 &&
		report 0 "$wrong-$1" redundant &&
		has "frame\" redundant .*:$(line CLEAN)\\)" && sum 0 0 &&
		report 0 "$wrong-$1" right-stale && sum 0 0
}

# All threads report the same place at the same time.
threads()
{
	report 0 "$wrong" threads &&
		has 'Stale read' 'and [0-9]+ more, .*; 640 reads in all' &&
		sum 640 1 && clean_twin threads
}

forks()
{
	report 0 "$wrong" forks && has "at $(at peek PEEK)" &&
		has "by $(at forks FORKS)" && sum 2 2 && hasnt Leaked &&
		report 0 "$wrong" right-forks &&
		sum 0 0 && report 0 "$wrong" fork-only && sum 0 0 &&
		hasnt Leaked
}

killed_by_itself()
{
	report 137 "$wrong" killed &&
		has 'Stale read' "at $(at peek PEEK)" "by $(at stale STALE)" &&
		sum 1 1
}

# Findings reported before the kill must be kept.
killed_at_any_moment()
{
	local i pid

	for i in {1..20}; do
		rm -f "$tmp/pid"
		# Discard the "busy" that the previous program printed.
		: >"$tmp/out"
		# shellcheck disable=SC2016 # the other shell's
		heapsim run --backend=embedded --log-file="$tmp/report" \
			sh -c 'echo $$ >"$1.new"; mv "$1.new" "$1"
			       exec "$2" busy' - "$tmp/pid" "$wrong" \
			>"$tmp/out" 2>&1 &
		while ! grep -q busy "$tmp/out" || [ ! -s "$tmp/pid" ]; do
			sleep 0.01
		done
		sleep "0.0$((RANDOM % 100 + 20))"
		pid=$(<"$tmp/pid")
		kill -KILL "$pid"
		wait $!
		[ $? = 137 ] || { echo "not 137"; return 1; }
		report=$(<"$tmp/report")
		has 'Stale read' "at $(at peek PEEK)" \
			'ERROR SUMMARY: [1-9][0-9]* errors? from 1 place' ||
			return
	done
}

# Findings for which there is no room are counted.
full_table()
{
	local errors dropped

	report 7 --error-exitcode=7 "$wrong" many 20000 || return
	errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\) .*/\1/p' <<<"$report")
	dropped=$(sed -n 's/.*== \([0-9]*\) records lost.*/\1/p' <<<"$report")
	# Each buffer has an error and a redundant clean.
	[ "${dropped:-0}" -gt 0 ] && [ "$errors" -gt 1000 ] &&
		[ "$((errors + dropped))" -ge 20000 ] &&
		[ "$((errors + dropped))" -le 40000 ] && clean_twin many &&
		hasnt lost && return
	echo "errors $errors, lost $dropped"
	return 1
}

json()
{
	report 0 --json="$tmp/json" --soc=tx2 "$wrong" stale &&
		python3 - "$tmp/json" <<'EOF'
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    all = json.load(f)
assert all["backend"] == "embedded" and all["contexts"] == 1, all
assert all["soc"] == "tx2" and all["line_size"] == 64, all
assert all["errors"] == 1 and all["leaks"] == 0, all
one = all["findings"]
one = [f for f in one if f["is_error"]][0]
assert one["kind"] == "stale-read" and one["missing"] == "start-read", one
assert one["cpu"]["stack"][0]["function"] == "peek", one
other = one["other"]
assert other["type"] == "engine" and other["job"] == 1, other
assert 0 < other["time_ns"] < one["time_ns"], one
assert other["stack"][0]["function"] == "device_fills", other
assert other["stream"] == 0 and other["kernel"] == [], other
EOF
}

# Checks all members of a report in the man page, with several kinds.
json_members()
{
	local name

	nr_jsons=1
	report_early --json="$tmp/1.json" "$wrong" early || return
	for name in stale missing-clean early-end open-bracket no-begin \
		redundant leak while-active not-attached on-device illegal overrun \
		missing-calls; do
		json_of 0 "$wrong" "$name" || return
	done
	printf '{\n name: known\n kind: *\n}\n' >"$tmp/known"
	json_of 0 "$wrong-other" right-stale &&
		json_of 0 env -i "$wrong" right-stale &&
		json_of 137 "$wrong" killed &&
		json_of 0 "$O/images" read-after-unlock &&
		json_of 0 --suppressions="$tmp/known" "$wrong" stale &&
		json_is_documented
}

suppressions()
{
	report 0 --gen-suppressions "$wrong" stale && has 'kind: stale-read' &&
		sed -n '/^{/,/^}/p' <<<"$report" >"$tmp/known" &&
		report 0 --error-exitcode=3 --suppressions="$tmp/known" \
			"$wrong" stale && has '1 error is suppressed' && sum 0 0
	printf '{\n name: odd\n kind: cake\n}\n' >"$tmp/known"
	report 1 --suppressions="$tmp/known" true
	grep -q 'known:3: cake: unknown kind, valid ones are: .*overrun' \
		"$tmp/err" || { cat "$tmp/err"; return 1; }
	report 1 --suppressions="$tmp" true
	grep -qx "heapsim run: $tmp: Is a directory" "$tmp/err" ||
		{ cat "$tmp/err"; return 1; }
	printf '{\n name: old\n kind: leaked-*\n cpu: ...\n cpu: fun:leak_one\n}\n' \
		>"$tmp/known"
	report 0 --error-exitcode=3 --leak-check=error \
		--suppressions="$tmp/known" "$wrong" leak && hasnt Leaked &&
		sum 0 0
}

boards()
{
	local soc

	for soc in commodore ''; do
		report 2 --soc="$soc" "$wrong" stale || return
		grep -qx "heapsim run: --soc=$soc: unknown board, valid ones are: .*tx2, .*\
generic-noncoherent" "$tmp/err" && continue
		cat "$tmp/err"
		return 1
	done
		report 0 --policy=off "$wrong" stale && sum 0 0 &&
		report 0 --policy=strict --evict=none "$wrong" stale && sum 1 1
}

# A program that follows the rules has the right bytes with any eviction.
right_under_eviction()
{
	local seed name

	for seed in {1..20}; do
		for name in frames partly while-active; do
			report 0 --evict=random --seed="$seed" "$wrong" \
				"right-$name" && sum 0 0 || return
		done
	done
	report 0 --evict=random --seed=1 "$wrong" frames &&
		has 'Stale read' "by $(at frames FRAMES)"
}

# trace RC ARGUMENT...: runs with a trace, and checks it for Perfetto.
trace()
{
	report "$1" --trace="$tmp/trace" "${@:2}" &&
		"$here/trace_check.py" "$tmp/trace"
}

# The programs are right, also with eviction, so the trace has no findings.
trace_of_buffers()
{
	trace 0 --evict=random --seed=1 "$wrong" right-frames && sum 0 0 &&
		traced '"START write"' '"END write"' '"START read"' \
		       '"bracket read"' '"clean"' '"invalidate"' '"fill"' \
		       '"touch"' '"evict"' '"submit checksum"' \
		       '"name":"checksum"' '"name":"fill","ts"' \
		       '"submitter":"mistakes"' '"process_name"' '"engines"' \
		       '"soc":"generic-noncoherent"' '"events_lost":0' &&
		! grep -q '"kind":"[^r]' "$tmp/trace" && [ ! -s "$tmp/err" ]
}

# The trace has the names of kernels, and their streams.
trace_of_streams()
{
	trace 0 "$wrong" right-pipeline && sum 0 0 &&
		traced '"submit k_store"' '"kernel":"k_store"' '"stream":1' \
		       '"stream":2' '"name":"copy"' '"name":"gpu"' \
		       '"name":"dma"' '"invalidate"' &&
		"$here/trace_check.py" -s gpu/k_store=6 "$tmp/trace" &&
		trace 0 "$wrong" pipeline &&
		has 'CPU while active' "by $(at pipeline PIPELINE)" &&
		traced '"kind":"cpu-while-active"' '"missing":"sync"'
}

# The trace has calls of the host, with their streams.
trace_of_calls()
{
	trace 0 "$wrong" right-calls && sum 0 0 &&
		traced '"attach single"' '"attach host"' '"wait for event"' \
		       '"wait for stream"' '"wait for context"' \
		       '"call host_done"' '"stream":1}' \
		       '"call host_late"' '"stream":2}' &&
		trace 0 "$wrong" right-early && traced '"wait for job"'
}

# The trace has each frame from its present to its return, and while it is held.
# The last ones have left the pipe when an end disconnects.
trace_of_frames()
{
	local place

	for place in same other process; do
		trace 0 "$O/frames" right-go-round "$place" && sum 0 0 &&
			"$here/trace_check.py" -a frame "$tmp/trace" &&
			traced '"present frame' '"acquire frame 30"' \
			       '"frame 30 held"' '"release frame 30"' \
			       '"return frame 27"' '"pipe":1,"number":30' ||
			return
		# Streams of one context need no fence.
		[ "$place" = same ] || traced '"signal fence"' || return
	done
	# The engine of the producer is slow, so the consumer waits for it.
	trace 0 --soc=tx2 "$O/frames" right-images-go-round process &&
		traced '"wait for fence"' &&
		"$here/trace_check.py" -a fence "$tmp/trace"
}

# The trace has each occurrence of a finding at its time and thread.
trace_of_findings()
{
	trace 0 "$wrong" stale && sum 1 1 &&
		traced '"cat":"finding"' '"kind":"stale-read"' '"off":4200' \
		       '"missing":"start-read"' '"other":"dma"' &&
		trace 0 --leak-check=no "$wrong" illegal &&
		traced '"kind":"illegal-address"' '"status":-14' &&
		trace 0 "$wrong" open-bracket &&
		traced '"kind":"missing-end"' '"bracket write"'
}

# The trace is sound with many processes, and if they are killed.
trace_of_many()
{
	trace 0 "$wrong" threads && sum 640 1 &&
		[ "$(grep -c '"kind":"stale-read"' "$tmp/trace")" = 640 ] &&
		trace 0 "$wrong" forks && sum 2 2 &&
		trace 137 "$wrong" killed && traced '"kind":"stale-read"' &&
		trace 0 sh -c 'exit 0' && trace 127 /no/such/program
}

# The ring is read while the program runs; events lost otherwise are reported.
trace_that_is_lost()
{
	trace 0 --leak-check=no "$wrong" many 30000 || return
	# shellcheck disable=SC2016 # the other shell's
	trace 0 sh -c 'kill -STOP $PPID; "$1" many 20000; kill -CONT $PPID' \
		- "$wrong" && traced '"events lost"' &&
		grep -q '^heapsim run: [1-9][0-9]* events were lost' \
			"$tmp/err" && hasnt 'Leaked'
}

# Only the first access to a page is detected without --precise.
precise()
{
	report 0 "$wrong" second && sum 1 1 && hasnt "by $(at second LINE_4)" ||
		return
	if [ "$(uname -m)" != x86_64 ]; then
		report 1 --precise "$wrong" second &&
			grep -q 'not on this machine' "$tmp/err"
		return
	fi
	report 0 --precise "$wrong" second && sum 2 2 &&
		has "by $(at second LINE_2)" "by $(at second LINE_4)" &&
		report 0 --precise "$wrong" right-second && sum 0 0
}

environment()
{
	LIBMEM_BACKEND=kernel report 1 "$wrong" stale &&
		grep -q 'LIBMEM_BACKEND=kernel$' "$tmp/err" &&
		LIBMEM_BACKEND=embedded report 0 "$wrong" stale && sum 1 1 &&
		LIBMEM_BACKEND=embedded report 0 --backend=auto "$wrong" stale &&
		sum 1 1 && LIBMEM_BACKEND="what" report 1 "$wrong" stale &&
		report 2 --backend=what "$wrong" stale &&
		LIBMEM_SOC=xavier report 0 --json="$tmp/json" "$wrong" stale &&
		grep -q '"soc":"\?.*xavier' "$tmp/json"
}

# setting NAME=VALUE REGEX: an invalid value is reported, whether the command
# finds it in the environment or the program has set it.
setting()
{
	local text="$1: unknown $2"

	env "$1" heapsim run "${options[@]}" "$wrong" nothing \
		>"$tmp/out" 2>&1
	if [ $? != 1 ] || ! grep -q "^heapsim run: $text" "$tmp/out"; then
		cat "$tmp/out"
		return 1
	fi
	report 3 env "$1" "$wrong" nothing &&
		has '1 context was not opened: Invalid argument' "  $text"
}

settings()
{
	setting LIBMEM_SOC=tx3 'board, valid ones are: .*, tx2, ' &&
		setting LIBMEM_POLICY=lax \
			'policy, valid ones are: strict, record, off' &&
		setting LIBMEM_EVICT=lru 'eviction, valid ones are: none, random' &&
		setting LIBMEM_ENGINE=v8 \
			'kind of engine, valid ones are: process, inline' || return
	report 3 env LIBMEM_EVICT=random LIBMEM_SEED=x "$wrong" nothing &&
		has '  LIBMEM_SEED=x: not a number' &&
		report 3 env LIBMEM_BACKEND=user "$wrong" nothing && has \
		'LIBMEM_BACKEND=user: unknown backend, .* kernel, embedded' &&
		report 0 env LIBMEM_SOC= LIBMEM_POLICY= "$wrong" nothing &&
		hasnt 'not opened' || return
	# An option overrides the environment.
	LIBMEM_SOC=tx3 report 0 --soc=tx2 "$wrong" nothing
}

children_open_none()
{
	report 0 "$wrong" open-in-child && has \
		'1 context was not opened: Operation not permitted' \
		'  a host function, or a child of fork\(\), opens none' &&
		hasnt 'the module simulates'
}

# A context that is not opened for want of memory says nothing of boards.
limits()
{
	# shellcheck disable=SC2016 # the other shell's
	report 3 --soc=tx2 sh -c 'ulimit -v 1000000; exec "$0" nothing' \
		"$wrong" && has '1 context was not opened: Cannot allocate' \
		'needs many addresses \(ulimit -v\)' &&
		hasnt 'the module simulates' || return
	(
		ulimit -f 100
		heapsim run "${options[@]}" "$wrong" nothing >"$tmp/out" 2>&1
		[ $? = 1 ]
	) && grep -q '^heapsim run: files may not be .* (ulimit -f)$' \
		"$tmp/out" && return
	cat "$tmp/out"
	return 1
}

without_the_module()
{
	[ ! -e /dev/heapsim ] || return 0
	report 3 env LIBMEM_BACKEND=kernel "$wrong" nothing &&
		has 'not opened: No such file' 'module is not loaded'
}

# The report says that inline kernels were not checked.
inline_engines()
{
	local text='Engines were inline: kernels ran in the program' soc

	LIBMEM_ENGINE=inline report 0 --json="$tmp/json" --leak-check=no \
		"$wrong" not-attached && has "$text" 'were not checked' &&
		sum 0 0 && grep -q '"inline_contexts": *1,' "$tmp/json" &&
		report 0 --json="$tmp/json" "$wrong" not-attached &&
		hasnt "$text" && grep -q '"inline_contexts": *0,' "$tmp/json" &&
		LIBMEM_ENGINE=inline report 9 --error-exitcode=9 \
			--leak-check=no "$wrong" not-attached &&
		has "$text" '--error-exitcode.* is an error' '--allow-inline' &&
		LIBMEM_ENGINE=inline report 0 --error-exitcode=9 \
			--leak-check=no --allow-inline "$wrong" not-attached ||
		return
	# Where boards run kernels in the program by design, nothing is missed.
	for soc in tx2 thor; do
		report 0 --error-exitcode=9 --soc="$soc" "$wrong" \
			right-not-attached && hasnt "$text" || return
	done
}

auto_without_module()
{
	report 0 --backend=auto "$wrong" stale && sum 1 1
}

without_libmem()
{
	report 5 sh -c 'exit 5' && has 'No libmem context was seen' && sum 0 0 &&
		report 0 env && grep -qE '^LD_PRELOAD=/.*/libmem-trap.so.0$' \
			"$tmp/out" && report 0 "$wrong" nothing &&
		hasnt 'No libmem' && sum 0 0
}

# A program that was not watched must not pass, whatever else is reported.
other_version()
{
	report 0 --json="$tmp/json" "$wrong-other" right-stale &&
		has 'libmem [0-9.]+ in .*/mistakes-other \(process [0-9]+\)' \
		    'does not fit this heapsim \([0-9.]+\)' && sum 0 0 &&
		grep -q '"program": *".*/mistakes-other"' "$tmp/json" &&
		report 9 --error-exitcode=9 "$wrong-other" right-stale ||
		return
	# shellcheck disable=SC2016 # the other shell's
	report 9 --error-exitcode=9 --allow-no-context sh -c \
		'"$0" right-stale; "$0-other" right-stale' "$wrong" &&
		has 'does not fit' && report 0 --error-exitcode=9 "$wrong" \
		right-stale && hasnt 'does not fit'
}

many_of_another_version()
{
	# shellcheck disable=SC2016 # the other shell's
	report 9 --error-exitcode=9 sh -c \
		'for i in $(seq 20); do "$0" right-stale; done' \
		"$wrong-other" && has '5 more processes were not watched' &&
		[ "$(grep -c 'does not fit' <<<"$report")" = 15 ]
}

nothing_seen()
{
	report 9 --error-exitcode=9 true && has 'No libmem context was seen' \
		'--error-exitcode.* is an error' '--allow-no-context' &&
		report 0 true &&
		report 0 --error-exitcode=9 --allow-no-context \
			--json="$tmp/json" true &&
		grep -q '"is_seen": *false' "$tmp/json" &&
		report 0 --error-exitcode=9 --json="$tmp/json" "$wrong" \
			nothing && grep -q '"is_seen": *true' "$tmp/json" &&
		report 0 --error-exitcode=9 "$wrong-static" right-stale
}

# unwatched COMMAND [ARGUMENT...]: after a watched process the command runs one
# that cannot open the file of the records: that is an error, and is reported.
unwatched()
{
	local name=$1

	# shellcheck disable=SC2016 # the other shell's
	report 9 --error-exitcode=9 --json="$tmp/json" sh -c \
		'"$0" right-stale; exec "$@"' "$wrong" "$@" \
		"$tmp/mistakes" stale &&
		has "$tmp/mistakes( \(deleted\))? .*opened a context" \
		    '--error-exitcode.* is an error' &&
		hasnt 'No libmem context' && grep -q '"unwatched": *\[ *$' \
			"$tmp/json" || return
	# A process that was told of the run says so itself.
	if [ "$name" = env ]; then
		[ ! -s "$tmp/err" ]
	else
		[ "$(grep -c '^libmem: heapsim run does not watch process ' \
			"$tmp/err")" = 1 ]
	fi || { cat "$tmp/err"; return 1; }
	# shellcheck disable=SC2016 # the other shell's
	report 0 --error-exitcode=9 --allow-no-context sh -c \
		'"$0" right-stale; exec "$@"' "$wrong" "$@" \
		"$tmp/mistakes" right-stale
}

# One watched context must not hide others. The program is found by the users
# and in the mount namespaces of these tests.
unwatched_contexts()
{
	chmod 755 "$tmp" && cp "$wrong-archive" "$tmp/mistakes" &&
		unwatched env -i || return
	if unshare -U -r true 2>/dev/null; then
		unwatched unshare -U -r || return
	else
		echo "# no user namespaces"
	fi
	[ "$(id -u)" = 0 ] || {
		echo "# not root: other users are not tested"
		return 0
	}
	unwatched setpriv --reuid 65534 --regid 65534 --clear-groups &&
		unwatched unshare -m -p -f --mount-proc || return
	chown 65534 "$tmp/mistakes" && chmod u+s "$tmp/mistakes" &&
		unwatched nice -n 0
}

# More of them than are listed are counted.
many_unwatched()
{
	# shellcheck disable=SC2016 # the other shell's
	report 9 --error-exitcode=9 sh -c \
		'for i in $(seq 20); do env -i "$0" right-stale; done' \
		"$wrong" && has 'At least [1-5] more opened one' &&
		[ "$(grep -c 'opened a context' <<<"$report")" = 15 ]
}

# opened RC COMMAND: after a command of the shell, a program that opens libmem by
# dlopen(), has its handler of SIGSEGV, and reads a file into managed memory that
# no one has touched.
opened()
{
	cat >"$tmp/opened.py" <<'EOF_PY'
import ctypes, faulthandler, os, sys
mem = ctypes.CDLL(sys.argv[1])
mem.mem_alloc.argtypes = [ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint64,
                          ctypes.c_uint, ctypes.c_void_p]
ctx, p = ctypes.c_void_p(), ctypes.c_void_p()
assert mem.mem_ctx_open(None, ctypes.byref(ctx)) == 0
MANAGED, GLOBAL = 6, 1
assert mem.mem_alloc(ctx, MANAGED, 65536, GLOBAL, ctypes.byref(p)) == 0
faulthandler.enable()
area = (ctypes.c_ubyte * 65536).from_address(p.value)
file = os.open(sys.argv[1], os.O_RDONLY)
assert os.readv(file, [area]) == 65536
assert bytes(area[:4]) == b"\x7fELF"
mem.mem_free.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
assert mem.mem_free(ctx, p) == 0
mem.mem_ctx_close.argtypes = [ctypes.c_void_p]
mem.mem_ctx_close(ctx)
EOF_PY
	# shellcheck disable=SC2016 # the other shell's
	report "$1" sh -c "$2"' exec python3 "$0" "$1"' "$tmp/opened.py" \
		"$build/libmem/libmem.so.0"
}

opened_by_dlopen()
{
	opened 0 '' && sum 0 0 && hasnt 'System calls' &&
		opened 1 'LD_PRELOAD=' && grep -q 'Bad address' "$tmp/err" &&
		has 'System calls of process [0-9]+ did not pass through libmem' \
		    'LD_PRELOAD was replaced'
}

# An engine that ends late, as on a busy machine, is not reported as left over.
late_engine()
{
	local pid

	heapsim run --backend=embedded --leak-check=no \
		--log-file="$tmp/report" "$wrong" stopped-engine \
		2>"$tmp/err" &
	pid=$!
	sleep 1.5
	pkill -CONT -P "$pid" || return
	wait "$pid" && [ ! -s "$tmp/err" ] && return
	cat "$tmp/err" "$tmp/report"
	return 1
}

own_handler()
{
	report 42 "$wrong" segv && sum 1 1 && report 0 "$wrong" right-segv
}

# libmem's tests watch, too: both they and the command get all violations.
watchers()
{
	report 0 env CMOCKA_MESSAGE_OUTPUT=TAP LIBMEM_BACKEND=embedded \
		"$build/selftests/libmem/watch_test" && hasnt 'No libmem' &&
		has 'ERROR SUMMARY: [1-9]'
}

# The program checks how much stack a reported access needs. The job may begin
# between the store's fault and the store, which is still one error.
small_stack()
{
	report 0 "$build/selftests/libmem/embedded_test" stack && sum 1 1
}

# The sample in the documents: findings name the right process.
two_processes()
{
	local sample=$build/samples/share-objects
	local source=$top/Documentation/samples/share-objects/share-objects.c
	local draw look

	draw=$(at draw DRAW)
	look=$(at look_at MARK)
	report 0 --soc=tx2 "$sample" && sum 0 0 && hasnt Leaked &&
		grep -qx '0 of 13 frames are wrong' "$tmp/out" &&
		report 1 --soc=tx2 "$sample" forgot &&
		grep -qx '2 of 13 frames are wrong' "$tmp/out" &&
		has 'Missing clean' '"frame"' "$draw" \
		    'memory was read by engine dma' 'frames_begin' 'by camera' &&
		report 1 --soc=tx2 "$sample" wrong &&
		has 'Write to a read-only object' "$look" 'by viewer' &&
		sum 1 1 &&
		report 0 --soc=xavier "$sample" forgot && sum 0 0 &&
		grep -qx '0 of 13 frames are wrong' "$tmp/out" &&
		report 1 --soc=xavier "$sample" wrong &&
		has 'Write to a read-only object' "$look"
}

# Two instructions of a library without symbols, whose name is that of a C
# library, are one place.
nameless_functions()
{
	cat >"$tmp/odd.c" <<-'END'
		static void store(volatile char *at)
		{
			at[0] = 1;
			at[65535] = 2;
		}
		void (*const odd_store)(volatile char *at) = store;
	END
	cat >"$tmp/odd_main.c" <<-'END'
		#include <libmem.h>
		extern void (*const odd_store)(volatile char *at);
		int main(void)
		{
			struct mem_ctx *ctx;
			struct mem_buf *buf;
			struct mem_job *job;
			void *at;

			if (mem_ctx_open(NULL, &ctx) ||
			    mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, 65536, "",
					  &buf) || mem_buf_map(buf, &at))
				return 1;
			odd_store(at);
			if (mem_job_checksum(buf, 0, 65536, &job) ||
			    mem_job_wait(job, MEM_WAIT_FOREVER, NULL))
				return 2;
			mem_job_destroy(job);
			mem_buf_destroy(buf);
			mem_ctx_close(ctx);
			return 0;
		}
	END
	gcc -shared -fPIC -O1 -s "$tmp/odd.c" -o "$tmp/libc-odd.so" &&
		gcc -g -I"$top/include" "$tmp/odd_main.c" -o "$tmp/odd" \
			-L"$build/libmem" -lmem "$tmp/libc-odd.so" \
			-Wl,-rpath,"$tmp:$(realpath "$build/libmem")" &&
		report 0 "$tmp/odd" &&
		has 'Missing clean' 'at \?\?\? \(in .*/libc-odd.so' 'by main' \
		    'have no names' 'libc6-dbg' && sum 2 1 &&
		report 0 "$wrong" stale && hasnt 'have no names'
}

try stale_read
try missing_clean
try write_conflict
try one_mistake_is_one_finding early_end
try lost_cpu_write
try lost_device_write
try unbracketed_access
try missing_end
try missing_end_at_exit
try unmatched_end
try a_system_call_is_its_callers system_call
try waste_is_reported_by_place waste
try cpu_while_active
try struct_while_active
try engine_not_attached
try read_of_what_was_not_attached
try use_after_free
try a_program_that_gives_up_rights_is_watched without_rights
try attaches_are_reported attaches
try cpu_on_device
try atomic_on_uncached
try illegal_address
try failed_kernel
try not_the_dgpus
try overrun
try overrun_by_cpu
try leaked_buffers_are_reported leaked_buffers
try leaked_buffers_have_their_names leaked_names
try bytes_that_lie_apart_are_no_length two_apart
try a_c_library_without_symbols_is_one_place nameless_functions
try leaked_jobs_are_reported leaked_job
try leaked_streams_are_reported leaked_stream
try leaked_events_are_reported leaked_event
try leaked_registrations_are_reported leaked_registration
try freed_registrations_are_reported freed_registration
try leaks_are_errors_if_asked leaks_are_asked_for
try missing_calls_are_reported missing_calls
try libmem_a linked archive
try static_program linked static
try address_sanitizer linked asan
try compiled_by_clang linked clang
try objects_of_two_processes two_processes
try threads_at_one_place threads
try forks_and_exec forks
try killed_by_itself
try killed_at_any_moment
try findings_without_room_are_counted full_table
try json
try json_has_the_members_of_the_man_page json_members
try suppressions
try boards_and_policies boards
try eviction_shows_more_than_accesses eviction_shows
try a_seed_gives_the_same_bytes_and_report eviction_repeats
try right_programs_are_right_under_eviction right_under_eviction
if command -v python3 >/dev/null; then
	try trace_of_buffers
	try trace_of_streams
	try trace_of_waits_and_calls trace_of_calls
	try trace_of_frames
	try trace_of_findings
	try trace_of_processes_and_threads trace_of_many
	try lost_events_of_a_trace_are_reported trace_that_is_lost
else
	echo "# no python3: traces are not checked"
fi
try precise
try environment
try unknown_settings_are_named settings
try a_context_that_a_child_opens_is_reported children_open_none
try limits_that_are_too_low_are_reported limits
try a_backend_without_its_module_is_reported without_the_module
try inline_engines_are_reported_and_do_not_pass inline_engines
if [ -e /dev/heapsim ]; then
	echo "# a module is loaded: auto is not tried"
else
	try auto_without_module
fi
try without_libmem
try another_version_of_libmem_does_not_pass other_version
try many_of_another_version_are_counted many_of_another_version
try a_program_that_is_not_seen_does_not_pass nothing_seen
try a_context_that_is_not_watched_does_not_pass unwatched_contexts
try contexts_that_are_not_watched_are_counted many_unwatched
if command -v python3 >/dev/null; then
	try a_program_that_opens_libmem_by_dlopen_is_watched opened_by_dlopen
else
	echo "# no python3: dlopen() of libmem is not tested"
fi
try a_late_engine_is_not_reported late_engine
try own_handler
try a_watched_touch_takes_little_stack small_stack
try watchers_get_violations_too watchers
tap_end
