#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of `heapsim run` and its reports, inside the test VM, as root. Prints
# TAP. Exit code: 0 if all passed, else 1. Arguments are regular expressions;
# only tests whose names match are run.
#
# shellcheck disable=SC2317 # tap_try calls the functions

set -u

# shellcheck source=selftests/heapsim/report.sh
. "$(dirname "$0")/report.sh"
module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
wrong=$O/wrong
source=$here/wrong.c
# The seed of random times; HEAPSIM_SEED=N repeats a run.
seed=${HEAPSIM_SEED:-$((SRANDOM % 32768))}

# Runs a test of programs of libmem with the module.
over_kernel() # COMMAND...
{
	local options=(--backend=kernel)

	"$@"
}

# Programs of libmem have the same reports on both backends.
libmem_over_both()
{
	local name twin run

	for name in stale missing-clean conflict early-end lost-cpu-write \
		lost-device-write early open-bracket exit-in-bracket no-begin \
		redundant leak leak-job leak-streams leak-event fork-only \
		missing-calls; do
		for twin in "" right-; do
			run=(report 0)
			[ "$twin$name" != early ] || run=(report_early)
			"${run[@]}" --backend=embedded "$O/mistakes" \
				"$twin$name" || return
			same_numbers >"$tmp/embedded"
			"${run[@]}" --backend=kernel "$O/mistakes" \
				"$twin$name" || return
			same_numbers >"$tmp/kernel"
			diff "$tmp/embedded" "$tmp/kernel" && continue
			echo "$twin$name differs"
			return 1
		done
	done
	LIBMEM_BACKEND=kernel report 0 --backend=auto "$O/mistakes" stale &&
		has 'mem_buf_begin' && sum 1 1
}

# Only the library, which owns the engine's process, sees these mistakes.
libmem_finds()
{
	local name

	report 0 --backend=kernel --leak-check=no "$O/mistakes" illegal &&
		has 'Illegal address' 'variable of the host' \
		    'touched by engine gpu' 'by illegal' 'its kernel' \
		    'at k_store' && sum 1 1 &&
		report 0 --backend=kernel "$O/mistakes" overrun &&
		has 'Overrun' 'offset 16384, 1 byte' \
		    'written by engine gpu' 'by overrun' 'its kernel' \
		    'at k_store' && sum 1 1 || return
	for name in illegal overrun; do
		report 0 --backend=kernel "$O/mistakes" "right-$name" &&
			sum 0 0 && hasnt inline || return
	done
	LIBMEM_ENGINE=inline report 0 --backend=kernel "$O/mistakes" \
		right-overrun && has 'Engines were inline' && sum 0 0
}

# A heap's buffer or a context of libmem must be seen; otherwise it is reported.
nothing_seen()
{
	report 9 --error-exitcode=9 true &&
		has 'No libmem context was seen, and no use of a buffer' &&
		report 0 true &&
		report 0 --error-exitcode=9 --allow-no-context true &&
		report 0 --error-exitcode=9 "$wrong" right &&
		hasnt 'No libmem context' &&
		report 0 --error-exitcode=9 "$wrong-static" right &&
		report 0 --error-exitcode=9 --trace="$tmp/trace" "$wrong" \
			right && report 0 --error-exitcode=9 \
			--backend=kernel "$O/mistakes" nothing &&
		report 9 --error-exitcode=9 --backend=kernel \
			"$O/mistakes-other" right-stale && has 'does not fit'
}

right_program() { report 0 "$wrong" right && sum 0 0 && hasnt 'No error'; }

stale_read()
{
	report 0 "$wrong" stale &&
		has 'Stale read' 'buffer [0-9]+, offset 4200, 24 bytes' \
		    'read by wrong \(process [0-9]+, thread [0-9]+\)' \
		    "at $(at peek PEEK)" \
		    "by $(at stale STALE)" \
		    'by main \(wrong.c:' \
		    'memory was written by engine dma, job 1, submitted by wrong' \
		    "by $(at job_run SUBMIT)" \
		    'by device_fills' 'by stale' 'by main' \
		    'to fix it: begin a bracket for reading' \
		    'DMA_BUF_SYNC_START . DMA_BUF_SYNC_READ' && sum 1 1
}

missing_clean()
{
	report 0 "$wrong" no-end &&
		has 'Missing clean' 'offset 64, 64 bytes' \
		    "at $(at no_end STORE)" \
		    'memory was read by engine dma' 'by device_reads' \
		    'to fix it: end the bracket' && sum 1 1
}

# The sample in the documents for a heap
sample_of_a_heap()
{
	local sample=$build/samples/dma-heap
	local source=$top/Documentation/samples/dma-heap/dma-heap.c

	report 0 "$sample" && sum 0 0 &&
		grep -qx '0 of 65536 bytes are wrong' "$tmp/out" &&
		report 1 "$sample" wrong &&
		grep -qx '65536 of 65536 bytes are wrong' "$tmp/out" &&
		has 'Missing clean' 'buffer [0-9]+ "frame"' \
		    "$(at draw DRAW)" \
		    'engine_copy \(dma-heap.c' &&
		has 'Missing END' 'buffer [0-9]+ "frame"' 'draw \(dma-heap.c' &&
		report 0 "$sample" wrong coherent && sum 0 0 &&
		grep -qx '0 of 65536 bytes are wrong' "$tmp/out"
}

# The sample has two processes. Objects for a GPU are not cached, and a store to
# a read-only object ends the process.
sample_of_objects()
{
	local sample=$build/samples/share-objects

	report 0 --backend=kernel "$sample" && sum 0 0 && hasnt Leaked &&
		grep -qx '0 of 13 frames are wrong' "$tmp/out" &&
		report 0 --backend=kernel "$sample" forgot && sum 0 0 &&
		grep -qx '0 of 13 frames are wrong' "$tmp/out" &&
		report 1 --backend=kernel "$sample" wrong && sum 0 0
}

cpu_while_active()
{
	report 0 "$wrong" while-active &&
		has 'CPU while active' 'buffer [0-9]+ "tensor", offset 70, 1 byte' \
		    'attached to all streams' 'read by wrong' \
		    "at $(at peek PEEK)" \
		    "by $(at while_active ACTIVE)" \
		    'in use by engine gpu, job [0-9]+ on stream 1, submitted by wrong' \
		    "$(at work_submit LAUNCH)" \
		    'to fix it: wait for the stream' && sum 1 1
}

engine_not_attached()
{
	report 0 "$wrong" not-attached &&
		has 'Engine not attached' 'offset 0, 65536 bytes' \
		    'attached to stream 1' \
		    'touched by engine gpu, job [0-9]+ on stream 0, submitted by' \
		    "by $(at not_attached ALONE)" \
		    "to fix it: attach the buffer to the job's stream" &&
		sum 1 1 && over_kernel read_of_what_was_not_attached
}

# Attaches by the module's own commands, and by libmem
attaches()
{
	report 0 "$wrong" not-attached &&
		has 'attached to stream 1' '  to stream 1, [0-9.]+ ms before,' \
		    "attached by $(at not_attached SINGLE)" \
		    '  to the host when allocated, [0-9.]+ ms before,' \
		    "attached by $(at context_alloc MEMORY)" ||
		return
	report 0 --backend=kernel "$O/mistakes" attached-often &&
		has 'buffer [0-9]+ "pixels"' && attach_history &&
		over_kernel clean_twin attached-often
}

cpu_on_device()
{
	report 0 "$wrong" on-device &&
		has 'CPU on device memory' 'offset 5000, 1 byte' \
		    "by $(at on_device DEVICE)" \
		    'to fix it: copy what the CPU needs' && sum 1 1
}

# Without heapsim run the policy is strict, so accesses are refused.
refused_without_run()
{
	local rc

	"$wrong" while-active >"$tmp/out" 2>&1
	rc=$?
	[ "$rc" = 135 ] || { echo "exit code $rc, not SIGBUS"; return 1; }
}

missing_end()
{
	report 0 "$wrong" in-bracket &&
		has 'Missing END' 'begun by wrong' \
		    "by $(at sync_buf SYNC)" \
		    "by $(at in_bracket START)" && sum 1 1
}

# The START is reported, however many stores follow it.
long_bracket()
{
	local command=$O/forgetful/heapsim

	report 0 "$wrong" long-bracket 500 &&
		has 'Missing END' 'begun by wrong' \
		    "by $(at in_bracket START)" \
		    "by $(at long_bracket LONG)" && sum 1 1
}

waste()
{
	report 0 "$wrong" waste && sum 0 0 &&
		has 'No error, but cleans that found nothing' \
		    "5 +327680 +sync_buf \\(.*wrong.c:$(line SYNC)\\)"
}

exit_codes()
{
	report 0 true && report 1 false && report 7 sh -c 'exit 7' &&
		hasnt 'ended by' && report 137 sh -c 'kill -9 $$' &&
		has 'sh was ended by SIGKILL' &&
		report 134 "$wrong" abort && sum 1 1 &&
		report 3 --error-exitcode=3 "$wrong" stale &&
		report 0 --error-exitcode=3 "$wrong" right &&
		report 7 --error-exitcode=3 --allow-no-context sh -c 'exit 7' &&
		report 127 "$tmp/none" && report 126 "$tmp"
}

bad_options()
{
	local option

	for option in --policy=x --evict=x --seed=-1 --seed=x --seed= \
		      --error-exitcode=256 --error-exitcode=-1 --what; do
		report 2 "$option" true || return
		[ -s "$tmp/err" ] || return
	done
	report 2 || return
	report 1 --soc=tx2 true && grep -q generic-noncoherent "$tmp/err" &&
		report 0 --soc=generic-noncoherent true &&
		report 1 --suppressions="$tmp/none" true &&
		report 1 --json=/none/there true
}

full_disk()
{
	local option

	for option in --log-file --json --trace; do
		heapsim run "$option"=/dev/full true 2>"$tmp/err"
		[ $? = 1 ] && grep -q 'No space left' "$tmp/err" || return
	done
}

json()
{
	report 0 --json="$tmp/json" "$wrong" stale || return
	report=$(<"$tmp/json")
	has '"version":1' '"argv":' '"exit_code":0' '"kind":"stale-read"' \
	    '"is_error":true' '"off":4200' '"missing":"start-read"' \
	    '"is_write":false' '"function":"peek"' "\"line\":$(line PEEK)" \
	    '"is_inlined":true' '"type":"engine"' '"function":"job_run"' \
	    '"errors":1' || return
	# Some VMs lack Python.
	! command -v python3 >/dev/null || python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert report["errors"] == report["places"] == 1
assert len(report["findings"]) == 1
' "$tmp/json"
}

# Checks all members of a report in the man page, with several kinds.
json_members()
{
	local name

	for name in stale no-end in-bracket waste while-active not-attached \
		on-device; do
		json_of 0 "$wrong" "$name" || return
	done
	printf '{\n name: known\n kind: *\n}\n' >"$tmp/known"
	json_of 137 "$wrong" killed-after 50000 &&
		json_of 0 --backend=kernel "$O/images" width-for-pitch &&
		json_of 0 --suppressions="$tmp/known" "$wrong" stale &&
		json_of 0 --backend=kernel "$O/mistakes-other" right-stale &&
		json_of 0 --backend=kernel env -i LIBMEM_BACKEND=embedded \
			"$O/mistakes" right-stale &&
		json_of 0 --backend=kernel "$O/mistakes" illegal &&
		json_of 0 --backend=kernel "$O/mistakes" overrun &&
		json_of 0 --backend=kernel "$O/mistakes" leak &&
		json_of 0 --backend=kernel "$O/mistakes" missing-calls &&
		json_is_documented
}

# Checks traces for ui.perfetto.dev, if the VM has Python. Several traces are
# checked at once, since starting Python takes long.
trace_is_sound() # [TRACE]...
{
	! command -v python3 >/dev/null ||
		"$here/trace_check.py" "${@:-$tmp/trace}"
}

trace_right()
{
	report 0 --trace="$tmp/trace" "$wrong" right && sum 0 0 &&
		traced '"START write"' '"END write"' '"START read"' \
		       '"bracket read"' '"clean"' '"invalidate"' '"fill"' \
		       '"submit checksum"' '"name":"checksum"' '"lines":1,' \
		       '"submitter":"wrong"' '"process_name"' '"engines"' \
		       '"events_lost":0' && trace_is_sound &&
		! grep -q '"cat":"finding"' "$tmp/trace" && [ ! -s "$tmp/err" ]
}

trace_wrong()
{
	report 0 --trace="$tmp/trace" "$wrong" stale && sum 1 1 &&
		traced '"cat":"finding"' '"kind":"stale-read"' '"off":4200' \
		       '"missing":"start-read"' '"other":"dma"' &&
		mv "$tmp/trace" "$tmp/stale" &&
		report 0 --trace="$tmp/trace" "$wrong" in-bracket &&
		traced '"kind":"missing-end"' '"bracket write"' &&
		report 0 --trace="$tmp/children" "$wrong" children &&
		report 137 --trace="$tmp/killed" "$wrong" killed-after 50000 &&
		trace_is_sound "$tmp"/{stale,trace,children,killed}
}

trace_held()
{
	report 0 --trace="$tmp/trace" "$wrong" held &&
		traced '"importers"' '"name":"map ' '"name":"vmap wrong"' \
		       '"name":"unmap"' '"cat":"hold"' && trace_is_sound
}

# The trace has the names of kernels of libmem's engines, in order.
trace_works()
{
	report 0 --backend=kernel --trace="$tmp/trace" "$O/mistakes" \
		right-pipeline && sum 0 0 &&
		traced '"submit k_store"' '"kernel":"k_store"' '"stream":1' \
		       '"stream":2' '"submit job"' '"name":"gpu"' \
		       '"name":"dma"' '"submitter":"mistakes"' \
		       '"events_lost":0' &&
		trace_is_sound -s gpu/k_store=6 -s dma/job=10 "$tmp/trace" &&
		report 0 --backend=kernel --trace="$tmp/trace" \
			--leak-check=no "$O/mistakes" illegal &&
		traced '"kind":"illegal-address"' '"name":"k_store"' &&
		trace_is_sound -s gpu/k_store=1 "$tmp/trace"
}

# libmem reports calls itself, as on the embedded backend.
trace_calls()
{
	report 0 --backend=kernel --trace="$tmp/trace" "$O/mistakes" \
		right-calls && sum 0 0 &&
		traced '"attach single"' '"attach host"' '"wait for event"' \
		       '"wait for stream"' '"wait for context"' \
		       '"call host_done"' '"stream":1}' \
		       '"call host_late"' '"stream":' &&
		trace_is_sound -s gpu/k_store=1 "$tmp/trace"
}

# Works of two opens have the same ids and must be kept apart.
trace_works_of_two()
{
	report 0 --trace="$tmp/trace" "$wrong" works-of-two && sum 0 0 &&
		traced '"submit job"' '"status":-125' &&
		trace_is_sound -s gpu/job=6 "$tmp/trace"
}

# A program may choose any name, and exec changes it.
trace_names()
{
	local name=$tmp/a\"\\$'\n\xff'

	ln -s "$wrong" "$name" &&
		report 0 --trace="$tmp/trace" "$name" right &&
		traced '"name":"a\u0022\u005c\u000a\u003f"' &&
		trace_is_sound
}

# Many events must not displace findings, which have their own open.
trace_flood()
{
	background --trace="$tmp/trace" sh -c "kill -STOP \$PPID;
		'$wrong' stale; '$wrong' flood 25000; kill -CONT \$PPID"
	wait "$background" || return
	report=$(<"$tmp/report")
	has 'Stale read' && hasnt 'records lost' &&
		traced '"events lost"' '"kind":"stale-read"' &&
		grep -Eq '[0-9]+ events were lost' "$tmp/err" && trace_is_sound
}

suppressions()
{
	report 0 --gen-suppressions "$wrong" stale || return
	sed -n '/^{$/,/^}$/p' "$tmp/report" >"$tmp/known"
	report 0 --error-exitcode=5 --suppressions="$tmp/known" \
		"$wrong" stale && sum 0 0 && has '1 error is suppressed' ||
		return
	report=
	report 5 --error-exitcode=5 --suppressions="$tmp/known" \
		"$wrong" no-end && sum 1 1
}

match() # ERRORS LINES...
{
	local errors=$1 kind lines

	shift
	for lines; do
		kind='kind: stale-read'
		[[ $lines != kind:* ]] || kind=
		printf '# known\n\n{\n name: x\n %s\n %s\n}\n' "$kind" "$lines"
	done >"$tmp/known"
	report 0 --suppressions="$tmp/known" "$wrong" stale &&
		sum "$errors" "$errors" && return
	cat "$tmp/known"
	return 1
}

suppressions_match_what_they_say()
{
	local what

	for what in "kind: *" "kind: stale-*" "cpu: fun:pe*" \
		    "cpu: obj:*/wrong" "cpu: obj:wrong" "cpu: src:wrong.c" \
		    "cpu: ..." "cpu: src:wrong.c:$(line PEEK)" "by: ..." \
		    "other: engine:*" $'cpu: ...\n cpu: fun:main' \
		    $'by: ...\n by: fun:job_run' "buffer: *" \
		    $'cpu: fun:peek\n cpu: fun:stale'; do
		match 0 "$what" || return
	done
	# None of these suppressions matches.
	match 1 "cpu: fun:stale" "cpu: src:wrong.c:1" "other: device:*" \
		"buffer: x" $'cpu: ...\n cpu: fun:none' "cpu: obj:rong" \
		$'cpu: fun:peek\n cpu: fun:main' "kind: missing-*"
}

bad_suppressions()
{
	local text

	for text in '}:1' $'{\n}:2' $'{\nkind: x\n}:2' $'{\nkind: *\n}:3' \
		    'x:1' $'{\n{:2' $'{\nname: a\nname: b\n}:3' \
		    $'{\ncpu: x\n}:2' $'{\nkind:\n}:2' \
		    $'{\nname: a\nkind: *:3' $'{\nwhat: x\n}:2'; do
		printf '%s\n' "${text%:*}" >"$tmp/known"
		report 1 --suppressions="$tmp/known" true || return
		grep -q "known:${text##*:}: " "$tmp/err" && continue
		echo "wanted line ${text##*:}:"
		cat "$tmp/known" "$tmp/err"
		return 1
	done
}

children()
{
	report 0 "$wrong" children && sum 1 1 &&
		report 0 sh -c "'$wrong' stale & '$wrong' no-end; wait" &&
		sum 2 2 && has "at $(at peek PEEK)" &&
		has "at $(at no_end STORE)"
}

# Prints messages about heapsim in the kernel log.
kernel_log() { dmesg | grep -E 'heapsim|wrong|BUG|WARNING'; }

# quiet COMMAND...: runs a command that must cause no kernel message.
quiet()
{
	local before after

	before=$(kernel_log)
	"$@" || return
	after=$(kernel_log)
	[ "$before" = "$after" ] && return
	diff <(echo "$before") <(echo "$after")
	return 1
}

# The read of each thread is found, at its own page.
threads() # NUMBER
{
	report 0 --json="$tmp/json" "$wrong" threads "$1" && sum "$1" 1 &&
		has 'Stale read' "at $(at peek PEEK)" \
		    "by $(at stale_once THREAD)" \
		    'by device_fills' && hasnt 'lost' || return
	report=$(<"$tmp/json")
	has "\"kind\":\"stale-read\"" "\"count\":$1,\$" "\"dropped\":0,\$" \
	    "\"errors\":$1\$"
}

number_in_json() # NAME
{
	sed -n "s/^ *\"$1\":\([0-9]*\),*\$/\1/p" "$tmp/json"
}

# Records for which there is no room are counted.
threads_in_a_full_queue()
{
	local errors dropped

	report 0 --json="$tmp/json" sh -c "kill -STOP \$PPID
		'$wrong' many 16000; '$wrong' threads 1000
		kill -CONT \$PPID" || return
	errors=$(number_in_json errors)
	dropped=$(number_in_json dropped_errors)
	[ "$dropped" -gt 0 ] && [ $((errors + dropped)) = 17000 ] && return
	echo "errors $errors, lost $dropped"
	return 1
}

# A stack must be that of the access, not of another signal's handler.
other_signals()
{
	report 0 "$wrong" hit 300 && sum 300 1 &&
		has "at $(at peek PEEK)" \
		    "by $(at hit HIT)" \
		    'by device_fills' 'by hit' && hasnt 'on_hit'
}

without_preload()
{
	report 0 "$O/wrong-static" stale &&
		has 'Stale read' "at $(at peek PEEK)" \
		    "by $(at stale STALE)" \
		    'callers unknown' 'linked statically' \
		    'submitted by wrong-static' 'stack unknown' \
		    'linked statically' && sum 1 1 &&
		report 0 env -i "$wrong" no-end 1000 &&
		has "at $(at no_end STORE)" \
		    'callers unknown' 'LD_PRELOAD was cleared' && sum 1 1
}

# The program has other rights than heapsim run: from its file or its starter.
with_other_rights()
{
	local was lib=$build/heapsim

	was=$(stat -c %a /dev/heapsim /dev/dma_heap/noncoherent "$lib") &&
		chmod 666 /dev/heapsim /dev/dma_heap/noncoherent &&
		install -m 4755 -o 65534 "$wrong" "$tmp/wrong-setuid" || return
	report 0 "$tmp/wrong-setuid" no-end 1000 &&
		has "at $(at no_end STORE)" \
		    'callers unknown' 'setuid' 'LD_PRELOAD is ignored' \
		    'submitted by wrong-setuid' 'stack unknown' 'setuid' &&
		sum 1 1 &&
		report 0 setpriv --reuid=65534 --clear-groups "$wrong" \
			no-end 1000 &&
		has "at $(at no_end STORE)" \
		    'callers unknown' 'other rights' && sum 1 1 &&
		chmod 700 "$lib" &&
		report 0 setpriv --reuid=65534 --clear-groups "$wrong" \
			no-end 1000 &&
		has 'callers unknown' 'other rights' && sum 1 1 || return
	# shellcheck disable=SC2086 # three numbers
	set -- $was
	chmod "$1" /dev/heapsim && chmod "$2" /dev/dma_heap/noncoherent &&
		chmod "$3" "$lib"
}

relative_library()
{
	cd "$O" || return
	LD_PRELOAD=./libtouch.so report 0 "$wrong" in-library && sum 1 1 &&
		has 'at touch \(touch.c:9\)' 'by in_library'
}

# A program's own handler of the signal must never get it.
own_signal()
{
	report 0 "$wrong" own-signal 1000 && sum 1 1 &&
		has "at $(at peek PEEK)" &&
		hasnt 'unknown:' &&
		report 0 "$O/wrong-static" own-signal && sum 1 1
}

# Different recursions are one place; its innermost and outermost calls are
# shown.
recursive()
{
	report 0 "$wrong" recursive && sum 16 2 &&
		has "at $(at peek PEEK)" 'by tree' \
		    "by $(at tree TREE)" 'by recursive' 'by main' &&
		[ "$(grep -c 'by tree' <<<"$report")" = 4 ] && return
	echo "$report"
	return 1
}

# One program is killed if it opens a file, and another one drops root.
without_rights()
{
	local how

	for how in sandboxed other-user; do
		report 0 "$wrong" "$how" && sum 1 1 &&
			has "at $(at peek PEEK)" \
			    "by $(at job_run SUBMIT)" || return
	done
	# A missing or different stack would make a second place.
	report 0 "$wrong" rights 13 && sum 13 1 &&
		has "at $(at peek PEEK)" \
		    "by $(at stale STALE)" 'by rights' \
		    "by $(at job_run SUBMIT)"
}

sanitized()
{
	report 0 "$O/wrong-asan" stale &&
		has "at $(at peek PEEK)" \
		    "by $(at job_run SUBMIT)" && sum 1 1
}

inert()
{
	local with without

	without=$("$wrong" look)
	with=$(heapsim run --log-file="$tmp/report" "$wrong" look)
	# SIGRTMAX is one less, and can be handled with and without it.
	[ "$with" = "$without" ] && [[ $with == *"last 0" ]] && return
	echo "$without"
	echo "$with"
	return 1
}

# Prints the time in microseconds.
now() { echo "${EPOCHREALTIME/[.,]/}"; }

# Sleeps without starting a program, which would take time.
sleep_us() # MICROSECONDS
{
	local seconds

	printf -v seconds '%d.%06d' $(($1 / 1000000)) $(($1 % 1000000))
	read -rt "$seconds" -u "$never"
	return 0
}

# lives_begin FROM: starts heapsim run, with a program that ends by itself, in
# $background. If FROM is "program", waits until the program, in $program,
# exists or has already ended. In a process group of its own the command gets
# SIGINT, which background jobs ignore.
lives_begin()
{
	local children=()

	: | tee "$tmp/report" >"$tmp/err"
	set -m
	heapsim run --log-file="$tmp/report" "$wrong" lives 30 </dev/null \
		>/dev/null 2>"$tmp/err" &
	background=$!
	set +m
	program=
	[ "$1" = program ] || return 0
	# The first child belongs to the command itself.
	while [ "${#children[@]}" -lt 2 ] && kill -0 "$background"; do
		read -ra children <"/proc/$background/task/$background/children"
	done 2>/dev/null
	program=${children[1]-}
}

# Waits until no process has a buffer, a mapping or the device. A program whose
# command was killed continues and may not have opened the device yet, which on
# a busy machine may take long.
is_unused()
{
	local refs i

	for ((i = 0; i < 1000; i++)); do
		read -r refs </sys/module/heapsim/refcnt
		[ "$refs" != 0 ] || pgrep -x 'heapsim|wrong' >/dev/null ||
			return 0
		sleep_us 100000
	done
	echo "the module has $refs references:"
	pgrep -lx 'heapsim|wrong'
	heapsim unload --wait 0
	return 1
}

# kill_at WHOM SIGNAL MICROSECONDS: starts a run, and sends the signal after
# this time; sets rc.
kill_at()
{
	local whom=$1 signal=$2 from=program want

	[ "$whom $signal" != "command KILL" ] || from="command"
	lives_begin "$from"
	sleep_us "$3"
	if [ "$whom" = program ]; then
		[ -z "$program" ] || kill "-$signal" "$program"
	else
		kill "-$signal" "$background"
	fi 2>/dev/null
	wait "$background"
	rc=$?
	want=$((128 + $(kill -l "$signal")))
	[ "$rc" = 0 ] || [ "$rc" = "$want" ] || {
		echo "exited with $rc, not $want"
		return 1
	}
	report=$(<"$tmp/report")
	[ "$from" = command ] || has 'ERROR SUMMARY: [0-9]+ errors?' || return
	[ "$rc" != 0 ] || sum "$all_errors" "$all_places" || return
	is_unused
}

# Measures how long a run takes without a kill: $life of the program, and $whole
# of the command. The second run counts, when all files are in memory.
lives_measure()
{
	local begin i

	for i in 1 2; do
		begin=$(now)
		lives_begin program
		life=$(now)
		while kill -0 "${program:-$background}" 2>/dev/null; do
			sleep_us 1000
		done
		life=$(($(now) - life))
		wait "$background" || return
		whole=$(($(now) - begin))
	done
	read -r all_errors all_places <<<"$(sed -nE \
		's/.*SUMMARY: ([0-9]+) .* ([0-9]+) places?/\1 \2/p' \
		"$tmp/report")"
	echo "$all_errors errors of $all_places places, $life us of $whole"
	[ "$all_places" -ge 2 ] && is_unused
}

# At random times of a run, a signal is sent to the program, for which there
# must be a report; to the command, which forwards it and may be printing; and
# SIGKILL to the command, whose program then continues to its end. How long a
# run takes depends on the load: if too few of the first signals are in time,
# each run that ended before its signal updates the measured time.
killed_at_any_moment()
{
	local life whole rc i us span kind nr_hit program background
	local all_errors all_places never

	echo "HEAPSIM_SEED=$seed"
	RANDOM=$seed
	mkfifo "$tmp/never" && exec {never}<>"$tmp/never" &&
		lives_measure || return
	for kind in "program KILL" "command TERM" "command INT" \
		"command KILL"; do
		span=$life
		[[ $kind != *INT && $kind != "command KILL" ]] || span=$whole
		nr_hit=0
		for ((i = 0; i < 5 || (nr_hit < 2 && i < 30); i++)); do
			us=$(((RANDOM << 15 | RANDOM) % span))
			echo "$kind after $us of $span us"
			# shellcheck disable=SC2086 # two words
			kill_at $kind "$us" || return
			if [ "$rc" != 0 ]; then
				nr_hit=$((nr_hit + 1))
			elif [ "$i" -ge 4 ]; then
				span=$((us + 1))
			fi
		done
		echo "$nr_hit came in time"
		[ "$nr_hit" -ge 2 ] || return
	done
}

# Messages of the module at its insertion do not count.
killed_and_removed()
{
	quiet killed_at_any_moment && rmmod heapsim && insmod "$module" test_hooks=1
}

left_running()
{
	report 0 "$wrong" daemon 500 && sum 1 1 &&
		grep -q 'left running' "$tmp/err"
}

background() # ARGUMENT...
{
	: | tee "$tmp/out" >"$tmp/err"
	heapsim run --log-file="$tmp/report" "$@" </dev/null >"$tmp/out" \
		2>"$tmp/err" &
	background=$!
}

# report_exec RC BEFORE ARGUMENT...: like report, but the command replaces a
# shell that has run BEFORE, whose last process is killed afterwards.
report_exec()
{
	local want=$1 before=$2 rc

	shift 2
	sh -c "$before echo \$! >'$tmp/prior'
		exec heapsim run --log-file='$tmp/report' \"\$@\"" sh "$@" \
		</dev/null >"$tmp/out" 2>"$tmp/err"
	rc=$?
	report=$(<"$tmp/report")
	kill "$(<"$tmp/prior")" 2>/dev/null
	[ "$rc" = "$want" ] && ! grep -q 'left running' "$tmp/err" && return
	echo "exec heapsim run $* exited with $rc, wanted $want"
	cat "$tmp/err" "$tmp/report"
	return 1
}

children_before()
{
	local begin=$SECONDS

	report_exec 0 'sleep 300 &' "$wrong" stale && sum 1 1 &&
		report_exec 7 'sleep 300 &' sh -c 'exit 7' &&
		report_exec 0 "(sleep 1; exec '$wrong' stale) &" sleep 3 &&
		sum 0 0 || return
	# Processes that BEFORE left do not belong to the program.
	report_exec 0 "sh -c 'sleep 300 & sleep 1' & sleep 0.2;" sleep 2 ||
		return
	[ $((SECONDS - begin)) -lt 120 ] && return
	echo "it took $((SECONDS - begin)) s"
	return 1
}

asked_to_end_for_another()
{
	local rc

	: >"$tmp/out"
	sh -c "sleep 300 & echo \$! >'$tmp/prior'
		exec heapsim run --log-file='$tmp/report' sh -c \
		'\"$wrong\" stale; echo there; exec sleep 100'" \
		</dev/null >"$tmp/out" 2>"$tmp/err" &
	background=$!
	while [ ! -s "$tmp/out" ]; do sleep 0.1; done
	kill -TERM "$background"
	wait "$background"
	rc=$?
	kill "$(<"$tmp/prior")"
	report=$(<"$tmp/report")
	[ "$rc" = 143 ] && sum 1 1
}

# A command that is asked to end forwards the signal and prints the report.
asked_to_end()
{
	local rc

	background sh -c "'$wrong' stale; echo there; exec sleep 100"
	while [ ! -s "$tmp/out" ]; do sleep 0.1; done
	kill -TERM "$background"
	wait "$background"
	rc=$?
	report=$(<"$tmp/report")
	[ "$rc" = 143 ] && sum 1 1
}

# is_asked_once WHOM BEFORE [PROGRAM]...: checks that the program gets one
# signal if the process group, only the command, or all processes of the
# command's name are sent one. setsid makes a process group, without a fork.
is_asked_once()
{
	local whom=$1 before=$2 rc

	shift 2
	: >"$tmp/out"
	setsid sh -c "$before exec heapsim run --log-file='$tmp/report' \"\$@\"" \
		sh "$@" "$wrong" asked </dev/null >"$tmp/out" 2>"$tmp/err" &
	background=$!
	while [ ! -s "$tmp/out" ]; do sleep 0.1; done
	case $whom in
	group)	kill -TERM -- "-$background" ;;
	one)	kill -TERM "$background" ;;
	name)	pkill -TERM -x heapsim ;;
	line)	pkill -TERM -f '^heapsim run' ;;
	esac
	wait "$background"
	rc=$?
	[ "$rc" = 1 ] && ! pgrep -lx 'heapsim(-group)?' &&
		return
	echo "$whom, '$before': asked $rc times"
	cat "$tmp/err"
	return 1
}

asked_once()
{
	is_asked_once group '' && is_asked_once one '' &&
		is_asked_once name '' && is_asked_once line '' &&
		is_asked_once group '' setsid &&
		is_asked_once group 'sleep 300 &' &&
		is_asked_once group 'sleep 300 &' setsid || return
	is_asked_once one 'sleep 300 &' || return
	pkill -x sleep
}

# The first process of a container inherits orphans of other processes.
first_of_all()
{
	local begin=$SECONDS init

	rm -f "$tmp/go"
	: >"$tmp/out"
	unshare --pid --fork --mount-proc heapsim run \
		--log-file="$tmp/report" sh -c "'$wrong' stale; echo there
		while [ ! -e '$tmp/go' ]; do sleep 0.1; done" \
		</dev/null >"$tmp/out" 2>"$tmp/err" &
	background=$!
	while [ ! -s "$tmp/out" ]; do sleep 0.1; done
	init=$(pgrep -P "$background")
	nsenter -t "$init" -p -m sh -c 'sleep 300 & true' </dev/null \
		>/dev/null 2>&1
	pgrep -P "$init" -x sleep >/dev/null || { echo "no orphan"; return 1; }
	: >"$tmp/go"
	wait "$background" || return
	report=$(<"$tmp/report")
	sum 1 1 || return
	[ $((SECONDS - begin)) -lt 120 ] && return
	echo "it took $((SECONDS - begin)) s"
	return 1
}

wait_is_ended()
{
	background sh -c "sleep 100 & echo \$!; '$wrong' stale"
	while ! grep -q 'left running' "$tmp/err"; do sleep 0.1; done
	kill -INT "$background"
	wait "$background" || return
	kill "$(<"$tmp/out")"
	report=$(<"$tmp/report")
	sum 1 1
}

# Records that a slow reader loses are reported.
reader_that_does_not_read()
{
	background sh -c "kill -STOP \$PPID; '$wrong' many 20000;
		kill -CONT \$PPID"
	wait "$background" || return
	report=$(<"$tmp/report")
	has 'Stale read' "at $(at peek PEEK)" \
	    "by $(at many MANY)" \
	    '[0-9]+ records lost, [1-9][0-9]* of them of errors'
}

lost_waste_is_no_error()
{
	report 0 --error-exitcode=9 --json="$tmp/json" sh -c "kill -STOP \$PPID
		'$wrong' wasteful 20000; kill -CONT \$PPID" && sum 0 0 &&
		has '[1-9][0-9]* records lost, 0 of them of errors' &&
		grep -q '"dropped_errors": *0' "$tmp/json"
}

nested()
{
	report 0 heapsim run --log-file="$tmp/inner" "$wrong" stale &&
		sum 1 1 && report=$(<"$tmp/inner") && sum 1 1 &&
		has "at $(at peek PEEK)"
}

policy()
{
	local seed

	report 1 --policy=off "$wrong" stale && sum 0 0 &&
		report 0 --policy=strict "$wrong" stale && sum 1 1 || return
	for ((seed = 1; seed <= 5; seed++)); do
		report 0 --evict=random --seed="$seed" "$wrong" right &&
			sum 0 0 || return
	done
}

precise()
{
	report 0 "$wrong" pair && sum 1 1 || return
	if [ "$(uname -m)" != x86_64 ]; then
		report 1 --precise true &&
			grep -q 'not on this machine' "$tmp/err"
		return
	fi
	report 0 --precise "$wrong" pair && sum 2 2 &&
		has "by $(at pair FIRST)" \
		    "by $(at pair SECOND)" &&
		report 0 --precise "$wrong" no-end && sum 1 1 &&
		has "at $(at no_end STORE)" &&
		report 0 --precise "$wrong" right && sum 0 0
}

# The tree may be in a folder that only root can read.
unprivileged()
{
	local bin=$tmp/bin

	mkdir -m 755 "$bin" &&
		install "$build/heapsim/heapsim" \
			"$build/heapsim/libheapsim-preload.so" "$wrong" \
			"$bin" && chmod 777 "$tmp" && chmod 600 /dev/heapsim ||
		return
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$bin/heapsim" run "$bin/wrong" stale 2>"$tmp/err"
	# As heapsim info says it.
	grep -q 'access denied.*group video' "$tmp/err" ||
		{ cat "$tmp/err"; return 1; }
	chmod 666 /dev/heapsim /dev/dma_heap/noncoherent &&
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$bin/heapsim" run --log-file="$tmp/nobody" \
			"$bin/wrong" stale
	report=$(<"$tmp/nobody")
	sum 1 1 && has "at $(at peek PEEK)" 'by job_run'
}

without_module()
{
	rmmod heapsim && report 1 --backend=kernel true &&
		grep -q 'heapsim load' "$tmp/err" && report 0 true &&
		has 'No libmem context was seen' 'heapsim load' &&
		insmod "$module" test_hooks=1
}

try "a right program has no finding" right_program
try "a program that is not seen does not pass" nothing_seen
try "a stale read is reported with both sides and lines" stale_read
try "a missing clean is reported at the store" missing_clean
try "the sample of a heap does as its page says" sample_of_a_heap
try "the sample of objects is right, and ended where it is wrong" sample_of_objects
try "a touch of managed memory that is in use is reported" cpu_while_active
try "a job on memory of another stream is reported" engine_not_attached
try "a report lists how the memory was attached" attaches
try "a touch of device memory is reported" cpu_on_device
try "without heapsim run a touch of device memory is refused" refused_without_run
try "a missing END is reported at its START" missing_end
is_quick || try "a missing END has its stack after any number of stores" long_bracket
try "redundant maintenance is summed up by place" waste
try "it exits as the program does, or as an option says" exit_codes
try "bad options are refused" bad_options
try "a report that cannot be written is an error" full_disk
try "the report is JSON, too" json
if command -v python3 >/dev/null; then
	is_quick || try "members of the JSON report are those of the man page" json_members
else
	echo "# no python3: its members are not compared"
fi
try "a right run is traced" trace_right
is_quick || try "findings are in the trace" trace_wrong
is_quick || try "holders of a buffer are in the trace" trace_held
is_quick || try "jobs of libmem's engines are in the trace" trace_works
is_quick || try "waits, attaches and host functions are in the trace" trace_calls
is_quick || try "works of several opens are not mixed up" trace_works_of_two
is_quick || try "any name is fit for the trace" trace_names
is_quick || try "lost events are reported, and cost no finding" trace_flood
try "suppressed findings are not reported" suppressions
is_quick || try "suppressions match what they say" suppressions_match_what_they_say
is_quick || try "bad suppressions are refused with their line" bad_suppressions
try "children and what they exec are followed" children
try "threads that block all signals have stacks" threads 8
is_quick || try "a thousand threads fault at once" quiet threads 1000
is_quick || try "findings without room are counted" threads_in_a_full_queue
is_quick || try "signals that arrive at the same time spoil no stack" other_signals
try "a program that cannot be preloaded is seen from outside" without_preload
try "a program with other rights has no stack, and the report says so" with_other_rights
is_quick || try "a library of a relative path has lines" relative_library
try "a program keeps the signal that it takes" own_signal
is_quick || try "a function that calls itself is listed twice in a row" recursive
try "a program that gives up its rights goes on, and has stacks" without_rights
is_quick || try "a program with AddressSanitizer works" sanitized
try "a program that uses no buffer sees no difference" inert
echo "# HEAPSIM_SEED=$seed"
is_quick || try "program and command may be killed at any moment" killed_and_removed
try "processes that a program leaves running are waited for" left_running
is_quick || try "children from before do not belong to the program" children_before
is_quick || try "with children from before, signals are forwarded, too" asked_to_end_for_another
try "a signal to end goes to the program" asked_to_end
is_quick || try "a signal goes to the program once, whoever else gets it" asked_once
is_quick || try "as the first of a container it waits for its program alone" first_of_all
is_quick || try "a wait for processes can be ended" wait_is_ended
is_quick || try "records that are not read are reported as lost" reader_that_does_not_read
is_quick || try "lost records of waste are no error" lost_waste_is_no_error
is_quick || try "it runs in itself" nested
try "the policy is of the program alone" policy
try "random eviction shows more than accesses" over_kernel eviction_shows
is_quick || try "a seed gives the same bytes and report" over_kernel eviction_repeats
try "each access is seen in precise mode" precise
try "it needs no privilege" unprivileged
is_quick || try "libmem over both backends: one report" libmem_over_both
try "mistakes that only libmem sees are reported with the module" libmem_finds
try "without the module it says what to do" without_module
tap_end
