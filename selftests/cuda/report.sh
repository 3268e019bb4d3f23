#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of `heapsim run` for CUDA programs, each with a mistake and a corrected
# twin. The board is in the process, or, with LIBMEM_BACKEND=kernel in the test
# VM, the module is inserted for a tx2. Prints TAP. Exit code: 0 if all passed,
# else 1. Arguments are regular expressions that select tests by their names.
#
# shellcheck disable=SC2317 # tap_try calls the functions

set -u

# shellcheck source=selftests/heapsim/report.sh
. "$(dirname "$0")/../heapsim/report.sh"
here=$(cd "$(dirname "$0")" && pwd)
wrong=$build/selftests/cuda/mistakes
source=$here/mistakes.cu
options=(--soc=tx2 "--backend=${LIBMEM_BACKEND:-embedded}")
unset LIBMEM_BACKEND LIBMEM_SOC LIBMEM_EVICT LIBMEM_SEED HEAPSIM_STACKS \
      HEAPSIM_RUN

# at FUNCTION MARK: prints the regex of a frame in FUNCTION at the line of MARK
at() { echo "$1\\(\\) \\(mistakes.cu:$(line "$2")\\)\$"; }

# The report has no functions of heapsim, and no calls of libmem, which the
# program has not made.
of_cuda()
{
	hasnt 'heapsim_cu' && hasnt 'cuda_runtime' && hasnt 'heapsim::' &&
		hasnt 'mem_[a-z]+' && hasnt 'stream 0' && hasnt 'engine ,'
}

# The twin has no finding, and no warning that its engines are still running,
# since these end shortly after the program.
clean_twin()
{
	report 0 "$wrong" "right-$1" && sum 0 0 && hasnt Leaked || return
	! grep 'left running' "$tmp/err"
}

synchronise='cudaStreamSynchronize\(\), cudaEventSynchronize\(\)'

cpu_while_active()
{
	report 0 "$wrong" while-active &&
		has 'CPU while active' 'attached to all streams' \
		    'to all streams when allocated' \
		    "attached by $(at while_active MANAGED)" \
		    'read by mistakes' "at $(at while_active ACTIVE)" \
		    'in use by engine gpu, job [1-9][0-9]* on the NULL stream, submitted by mistakes' \
		    "at $(at while_active LAUNCH)" 'by main' 'its kernel' \
		    'at void \(anonymous namespace\)::add<int>\(int\*, int, int\) \(mistakes.cu:' \
		    'to fix it: wait for the work' "$synchronise" \
		    'cudaDeviceSynchronize\(\)' \
		    'cudaStreamAttachMemAsync\(\)' && sum 1 1 && of_cuda &&
		clean_twin while-active
}

# The program's first mistake reads a line into the cache; the second reads it.
stale_read()
{
	report 0 "$wrong" stale &&
		has 'CPU while active' "at $(at stale EARLY)" \
		    "at $(at stale DONE)" 'its kernel' \
		    'at open_gate\(int volatile\*\) \(mistakes.cu:' \
		    'Stale read' "at $(at stale STALE)" \
		    'memory was written by engine gpu, job [1-9][0-9]* on the NULL stream,' \
		    "at $(at stale LATE)" 'its kernel' \
		    'at \(anonymous namespace\)::store_late\(int\*, int volatile\*\) \(mistakes.cu:' \
		    'to fix it: wait for the work' "$synchronise" &&
		hasnt 'bracket' && of_cuda && clean_twin stale
}

engine_not_attached()
{
	report 0 "$wrong" not-attached &&
		has 'Engine not attached' 'attached to stream [1-9]' \
		    "attached by $(at not_attached ATTACH)" \
		    'touched by engine gpu, job [1-9][0-9]* on stream [1-9]' \
		    "at $(at not_attached WRONG)" 'its kernel' \
		    "at store\\(int\\*, int\\) \\(mistakes.cu:" \
		    'cudaMemAttachSingle.*cudaMemAttachGlobal' \
		    'cudaStreamAttachMemAsync\(\)' && sum 1 1 && of_cuda &&
		clean_twin not-attached
}

cpu_on_device()
{
	report 0 "$wrong" on-device &&
		has 'CPU on device memory' "at $(at on_device DEVICE)" \
		    'to fix it: copy' 'cudaMemcpy\(\)' \
		    'cudaMallocManaged\(\), cudaMallocHost\(\)' && sum 1 1 &&
		of_cuda && clean_twin on-device
}

illegal_address()
{
	report 0 --leak-check=no "$wrong" illegal &&
		grep -qx cudaErrorIllegalAddress "$tmp/out" &&
		has 'Illegal address' \
		    'address 0x[0-9a-f]+, variable of the host' \
		    'touched by engine gpu, job [1-9][0-9]* on the NULL stream' \
		    "at $(at illegal ILLEGAL)" 'its kernel' \
		    "at store\\(int\\*, int\\) \\(mistakes.cu:$(line STORE)\\)" \
		    'cudaPointerGetAttributes\(\)' && sum 1 1 && of_cuda &&
		clean_twin illegal
}

failed_kernel()
{
	report 0 --leak-check=no "$wrong" failed &&
		grep -qx cudaErrorLaunchFailure "$tmp/out" &&
		has 'Failed kernel' 'ended by exit or fork' \
		    'run by engine gpu, job [1-9][0-9]* on the NULL stream' \
		    "at $(at failed FAILED)" 'its kernel' \
		    'at leave\(\) \(mistakes.cu:' \
		    'to fix it: make the kernel return' \
		    'HEAPSIM_CU_TIMEOUT' && sum 1 1 && of_cuda &&
		clean_twin failed
}

overrun()
{
	report 0 "$wrong" overrun &&
		has 'Overrun' 'offset 4096, 1 byte' 'written by engine gpu' \
		    "at $(at overrun OVERRUN)" 'its kernel' \
		    'at store\(int\*, int\) \(mistakes.cu:' \
		    'to fix it: keep indexes' && sum 1 1 && of_cuda &&
		clean_twin overrun
}

atomic_on_uncached()
{
	report 0 "$wrong" on-uncached &&
		has 'Atomic on uncached memory' 'touched by engine gpu' \
		    "at $(at on_uncached UNCACHED)" 'its kernel' \
		    "at count\\(int\\*\\) \\(mistakes.cu:$(line COUNT)\\)" \
		    'cudaMallocManaged\(\)' 'cudaMalloc\(\)' && sum 1 1 &&
		of_cuda && clean_twin on-uncached
}

missing_call()
{
	report 0 "$wrong" missing-call &&
		has 'Calls that are not supported:' \
		    "cudaGraphLaunch \\(1 time\\), first by $(at missing_call GRAPH)" \
		    'cudaErrorNotSupported' && sum 0 0 && of_cuda &&
		clean_twin missing-call && hasnt 'Calls that'
}

# On a board with two devices, the default device is the discrete GPU.
managed_on_a_discrete_gpu()
{
	local options=(--soc=drive-px2 --backend=embedded)
	local LIBMEM_BACKEND=embedded

	report 1 --leak-check=no "$wrong" right-stale &&
		has 'Calls that are not supported:' \
		    'managed memory on device 0, a discrete GPU \(1 time\), first by' \
		    'cuda-limits.rst' && sum 0 0 &&
		CUDA_VISIBLE_DEVICES=1 report 0 "$wrong" right-stale &&
		sum 0 0 && hasnt 'Calls that'
}

leaks()
{
	report 0 "$wrong" leak &&
		has 'Leaked buffer' 'buffer [0-9]+, 1000 bytes' \
		    "at $(at leak LEAK)" 'cudaFree\(\)' \
		    'Leaked stream' "at $(at leak STREAM)" \
		    'cudaStreamDestroy\(\)' 'Leaked event' \
		    "at $(at leak EVENT)" 'cudaEventDestroy\(\)' \
		    'LEAK SUMMARY: 3 objects \(1000 bytes\) from 3 places' &&
		sum 0 0 && of_cuda && clean_twin leak
}

json()
{
	local name

	for name in stale leak missing-call; do
		report 0 --json="$tmp/$name.json" "$wrong" "$name" || return
	done
	python3 - "$tmp" "$(line STALE)" "$(line GRAPH)" <<'END'
import json, sys
def of(name, kind):
    with open(f"{sys.argv[1]}/{name}.json", encoding="utf-8") as f:
        found = [one for one in json.load(f)["findings"] if one["kind"] == kind]
    assert len(found) == 1 and found[0]["api"] == "cuda", found
    return found[0]
one = of("stale", "stale-read")
assert one["missing"] == "sync" and one["buffer"]["attach"] == "global", one
assert "cudaStreamSynchronize()" in one["mend"] and "\n" not in one["mend"], one
assert one["cpu"]["stack"][0]["line"] == int(sys.argv[2]), one
other = one["other"]
assert other["name"] == "gpu" and other["stream"] == 0 and other["job"], other
assert other["stack"][0]["function"] == "stale()", other
assert other["kernel"][-1]["function"] == \
    "(anonymous namespace)::store_late(int*, int volatile*)", other
assert "cudaFree()" in of("leak", "leaked-buffer")["mend"]
one = of("missing-call", "missing-call")
assert one["cpu"]["stack"][0]["line"] == int(sys.argv[3]), one
END
}

# Run the debugging guide's CUDA program without its wait and with it. The guide
# has the complete finding; process and thread IDs and times may differ.
guide()
{
	local doc=$top/Documentation/debugging.rst
	local same='s/process [0-9]+/process N/; s/thread [0-9]+/thread N/
		    s/[0-9.]+ ms before/N ms before/'

	awk '/^\.\. code:: c\+\+$/ { begins = 1; next }
	     begins { inside = /:class: compiled/; begins = 0; next }
	     inside && /^[^ ]/ { exit }
	     inside && (NF || has_begun) {
		     has_begun = 1
		     print substr($0, 4)
	     }' "$doc" >"$tmp/bright.cu"
	sed 's|/\* wait \*/|cudaDeviceSynchronize();|' "$tmp/bright.cu" \
		>"$tmp/mended.cu"
	"$top/libmem/compat/cuda/heapsim-cu" -g -o "$tmp/bright" "$tmp/bright.cu" &&
		"$top/libmem/compat/cuda/heapsim-cu" -g -o "$tmp/mended" \
			"$tmp/mended.cu" || return
	report 0 "$tmp/bright" && sum 1 1 || return
	sed -nE '/CPU while active/,/^==heapsim== $/{/^==heapsim== $/!p}' \
		"$tmp/report" | sed -E "$same" >"$tmp/found"
	sed -nE 's/^\t(==heapsim== )/\1/; /CPU while active/,/^$/{/./p}' "$doc" |
		sed -E "$same" | diff - "$tmp/found" || return
	report 0 "$tmp/mended" && sum 0 0 && [ "$(<"$tmp/out")" = 163 ] ||
		return
	# The inner shell exits with 128 plus the number of SIGBUS.
	LIBMEM_BACKEND=embedded LIBMEM_SOC=tx2 \
		bash -c '"$1"; exit $?' - "$tmp/bright" 2>/dev/null
	[ $? = 135 ]
}

# Reports are the same, however the compiler inlines launches and headers.
built() # HOW
{
	report 0 "$wrong-$1" while-active &&
		has "at $(at while_active ACTIVE)" 'in use by engine gpu' \
		    "at $(at while_active LAUNCH)" && sum 1 1 && of_cuda &&
		report 0 "$wrong-$1" not-attached &&
		has "attached by $(at not_attached ATTACH)" \
		    "at $(at not_attached WRONG)" && sum 1 1 && of_cuda
}

without_lines()
{
	report 0 "$wrong-bare" while-active &&
		has 'CPU while active' 'attached by while_active\(\) \(in' \
		    'at while_active\(\) \(in' 'in use by engine gpu' \
		    'at while_active\(\) \(in' 'its kernel' \
		    'add<int>' && sum 1 1 && of_cuda
}

signals_are_named()
{
	report 139 "$wrong" freed && has 'Use after free' \
		"at $(at freed FREED)" 'mistakes was ended by SIGSEGV' &&
		sum 1 1 && clean_twin freed
}

external_memory()
{
	report 0 "$wrong" external &&
		has 'a mapping of external memory was used' \
		    'destroyed by mistakes' "at $(at external DESTROY)" \
		    'touched by engine' "at $(at external KERNEL)" \
		    "at $(at external COPY)" \
		    'to fix it: free or unmap' && sum 2 2 && of_cuda &&
		clean_twin external
}

try cpu_while_active cpu_while_active
try stale_read stale_read
try engine_not_attached engine_not_attached
try cpu_on_device cpu_on_device
try illegal_address illegal_address
try failed_kernel failed_kernel
try overrun overrun
# Atomic instructions are only seen with the board in the process.
[ "${options[1]}" = --backend=kernel ] ||
	try atomic_on_uncached atomic_on_uncached
[ "${options[1]}" = --backend=kernel ] ||
	try signals_are_named signals_are_named
[ "${options[1]}" = --backend=kernel ] ||
	try external_memory external_memory
try missing_calls_are_reported missing_call
try managed_on_a_discrete_gpu_is_reported managed_on_a_discrete_gpu
try leaks_are_reported leaks
if command -v python3 >/dev/null; then
	try json json
else
	echo "# no python3: JSON is not looked at"
fi
try not_optimised built plain
try without_line_numbers without_lines
# Compiling would take too long in the VM.
[ "${options[1]}" = --backend=kernel ] || try guide_is_right guide
tap_end
