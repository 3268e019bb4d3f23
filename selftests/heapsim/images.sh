#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of `heapsim run` for mistakes with images, arrays, objects and frames:
# each mistake is reported at its place, and its corrected twin has no finding,
# on the boards that matter. The embedded backend needs no module, VM or root;
# with LIBMEM_BACKEND=kernel the tests run inside the test VM with the module,
# which detects fewer mistakes. Prints TAP. Exit code: 0 if all passed, else 1.
# Arguments are regular expressions; only tests whose names match are run.
#
# shellcheck disable=SC2317 # tap_try calls the functions

set -u

# shellcheck source=selftests/heapsim/report.sh
. "$(dirname "$0")/report.sh"
# shellcheck source=selftests/vm/boards.sh
. "$top/selftests/vm/boards.sh"
program=$O/images
source=$here/images.c
backend=${LIBMEM_BACKEND:-embedded}
unset LIBMEM_BACKEND LIBMEM_SOC LIBMEM_EVICT LIBMEM_SEED HEAPSIM_STACKS \
      HEAPSIM_RUN

# Prints the board of the module; nothing on the embedded backend.
inserted()
{
	local name soc

	[ "$backend" = embedded ] ||
		read -r name soc </sys/kernel/debug/heapsim/state
	echo "${soc:-}"
}

on() # BOARD
{
	options=(--backend="$backend" --soc="$1" --leak-check=no)
	[ "$backend" = embedded ] || [ "$(inserted)" = "$1" ] ||
		module_insert test_hooks=1 "soc=$1"
}

# Checks that a program has no finding: a corrected twin, or a mistake that the
# module does not detect.
clean() # RC ARGUMENT...
{
	local rc=$1 soc boards=(tx2 orin thor)

	shift
	# Inserting the module for each board takes long.
	[ "$backend" = embedded ] || ! is_quick || boards=("$(inserted)")
	for soc in "${boards[@]}"; do
		on "$soc" && report "$rc" "$program" "$@" && sum 0 0 || return
	done
}

twins() { clean 0 "right-$1"; } # NAME

# The module detects neither accesses to an image without a lock nor stores to a
# read-only one.
unseen() # NAME [RC]
{
	clean "${2:-0}" "$1" && twins "$1"
}

destroyed_while_locked()
{
	on orin &&
		report 0 "$program" destroyed-while-locked &&
		has 'Missing unlock' 'image [0-9]+ "frame" \(100x40 u8\)$' \
		    'locked by images' "at $(at lock LOCK)" \
		    'mem_image_unlock' && sum 1 1 &&
		twins destroyed-while-locked
}

ended_while_locked()
{
	on orin &&
		report 0 "$program" ended-while-locked &&
		has 'Missing unlock' "by $(at ended_while_locked KEPT)" &&
		sum 1 1 && twins ended-while-locked
}

# The job's own brackets are not the program's.
ended_in_a_job()
{
	twins ended-in-a-job && on tx2 &&
		report 0 "$program" ended-in-a-job &&
		has 'Missing END' "by $(at ended_in_a_job BRACKET)"
}

array_kept()
{
	on orin &&
		report 0 "$program" array-kept &&
		has 'Missing unlock' 'array [0-9]+ "scores" \(64 f32\)$' \
		    "at $(at array_kept ARRAY)" && sum 1 1 &&
		twins array-kept
}

image_kept()
{
	on orin && options=("${options[@]:0:2}") &&
		report 0 "$program" image-kept &&
		has 'Leaked buffer' 'image [0-9]+ "frame" \(100x40 u8\), ' \
		    "by $(at image_kept IMAGE)" 'mem_image_destroy' &&
		hasnt 'Leaked event' && sum 0 0 && twins image-kept
}

# The reports as text and JSON have the row of the second plane.
read_after_unlock()
{
	on tx2 &&
		json_of 0 "$program" read-after-unlock &&
		has 'Unlocked access' '"frame" \(100x40 nv12-er\)' \
		    'plane 1, row 3, byte 7$' "at $(at peek PEEK)" \
		    "by $(at read_after_unlock AFTER)" 'unlocked by images' \
		    "at $(at unlock UNLOCK)" 'mem_image_lock' && sum 1 1 &&
		python3 - "$tmp/$nr_jsons.json" <<'EOF' && twins read-after-unlock
import json, sys
with open(sys.argv[1], encoding="utf-8") as f:
    one, = (f for f in json.load(f)["findings"]
            if f["kind"] == "unlocked-access")
assert one["holder"] == {"type": "image", "name": "frame",
                         "format": "nv12-er", "width": 100,
                         "height": 40}, one["holder"]
assert one["place"] == {"plane": 1, "row": 3, "byte": 7,
                        "row_len": 100}, one["place"]
EOF
}

read_after_job()
{
	on tx2 &&
		report 0 "$program" read-after-job &&
		has 'Unlocked access' "at $(at peek PEEK)" \
		    "by $(at read_after_job AFTERJOB)" && sum 1 1 &&
		twins read-after-job
}

store_unlocked()
{
	local soc

	for soc in tx2 orin thor; do
		on "$soc"
		report 0 "$program" store-unlocked &&
			has 'Unlocked access' 'offset 0, 1 byte' \
			    'written by images' "at $(at poke POKE)" \
			    "by $(at store_unlocked UNLOCKED)" && sum 1 1 ||
			return
	done
	twins store-unlocked
}

store_in_read_lock()
{
	on orin &&
		report 0 "$program" store-in-read-lock &&
		has 'the lock that is held does not allow' \
		    "by $(at store_in_read_lock READONLY)" 'locked by images' \
		    "at $(at lock LOCK)" && sum 1 1 &&
		twins store-in-read-lock
}

call_in_read_lock()
{
	on tx2 &&
		report 0 "$program" call-in-read-lock &&
		has 'the lock that is held does not allow' \
		    'written by images' "at $(at receive RECEIVE)" \
		    "by $(at call_in_read_lock CALL)" && sum 1 1 &&
		twins call-in-read-lock
}

kernel_after_unlock()
{
	on orin &&
		report 0 "$program" kernel-after-unlock &&
		has 'Unlocked access' 'touched by engine gpu' \
		    "at $(at launch LAUNCH)" \
		    "by $(at kernel_after_unlock LATE)" 'its kernel' \
		    "at $(at k_store KERNEL)" && sum 1 1 &&
		twins kernel-after-unlock
}

kernel_in_read_lock()
{
	on orin &&
		report 0 "$program" kernel-in-read-lock &&
		has 'the lock that is held does not allow' \
		    'locked by images' "at $(at lock LOCK)" \
		    'touched by engine gpu' \
		    "by $(at kernel_in_read_lock STORES)" 'its kernel' \
		    "at $(at k_store KERNEL)" && sum 1 1 &&
		twins kernel-in-read-lock
}

copy_in_read_lock()
{
	local soc

	for soc in tx2 orin thor; do
		on "$soc"
		report 0 "$program" copy-in-read-lock &&
			has 'the lock that is held does not allow' \
			    'locked by images' "at $(at lock LOCK)" \
			    'touched by engine dma' \
			    "at $(at copy_in_read_lock FILLS)" && sum 1 1 ||
			return
	done
	twins copy-in-read-lock
}

kernel_while_locked()
{
	on orin &&
		report 0 "$program" kernel-while-locked &&
		has 'Engine while locked' 'locked by images' \
		    "by $(at kernel_while_locked HELD)" \
		    'touched by engine gpu' \
		    "by $(at kernel_while_locked WHILE)" && sum 1 1 &&
		twins kernel-while-locked
}

# The call refuses the mistake, so there is no finding.
surface_while_locked()
{
	on orin &&
		report 0 "$program" surface-while-locked && sum 0 0 &&
		twins surface-while-locked
}

wrapper_outlives()
{
	on orin &&
		report 0 "$program" wrapper-outlives &&
		has 'Wrapped memory is gone' '"wrapper"' 'used by images' \
		    "at $(at wrapper_outlives GONE)" 'mem_image_rewrap' &&
		sum 1 1 && twins wrapper-outlives
}

wrapper_of_unmapped()
{
	on tx2 &&
		report 0 "$program" wrapper-of-unmapped &&
		has 'Wrapped memory is gone' \
		    'memory of the program, wrapped by "u8 100x40"' \
		    'used by images' "at $(at wrap RELEASED)" &&
		sum 1 1 && twins wrapper-of-unmapped
}

wrapper_of_freed()
{
	on orin &&
		report 0 "$program" wrapper-of-freed &&
		has 'Wrapped memory is gone' "at $(at wrap RELEASED)" &&
		sum 1 1 && twins wrapper-of-freed
}

wrapper_unmapped_too_early()
{
	on tx2 &&
		report 0 "$program" wrapper-unmapped-too-early &&
		has 'Wrapped memory is gone' 'used by images' \
		    "at $(at wrapper_unmapped_too_early EARLY)" &&
		sum 1 1 && twins wrapper-unmapped-too-early
}

width_for_pitch()
{
	on orin &&
		report 0 "$program" width-for-pitch &&
		has 'Width for pitch' 'plane 0, row 0, byte 100, which is' \
		    "by $(at width_for_pitch PITCH)" 'by the pitch' &&
		sum 1 1 && twins width-for-pitch
}

# The store raises SIGSEGV, as without heapsim.
store_read_only()
{
	on orin &&
		report 139 "$program" store-read-only &&
		has 'Write to a read-only object' 'offset 100, 1 byte' \
		    "at $(at poke POKE)" \
		    "by $(at store_read_only FORBIDDEN)" \
		    'ended by SIGSEGV' && sum 1 1 && twins store-read-only
}

# With the module, the CPU does not cache objects for a GPU.
object_not_flushed()
{
	on tx2 || return
	if [ "$backend" = kernel ]; then
		clean 0 object-not-flushed
	else
		report 0 "$program" object-not-flushed &&
			has 'Missing clean' \
			    'object 1 "ring", offset 128, 64 bytes' \
			    "at $(at poke POKE)" \
			    "by $(at object_not_flushed STORE)" \
			    'memory was read by engine gpu'
	fi && twins object-not-flushed
}

# The module also simulates the dma engine of objects.
object_of_dma()
{
	on tx2 && report 0 "$program" object-of-dma &&
		has 'Missing clean' 'object [0-9]+ "ring", offset 128, 64 bytes' \
		    "$(at poke POKE)" "by $(at object_of_dma CACHED)" \
		    'memory was read by engine dma' \
		    "$(at object_of_dma SUM)" && sum 1 1 &&
		twins object-of-dma
}

# The library does the maintenance, and the program cannot leave it out.
cpu_job_wastes()
{
	on tx2 && report 0 "$program" cpu-job-wastes &&
		hasnt 'had nothing to do' && sum 0 0
}

# Frames of a pipe, from a producer in another process, in another context, and
# in the same one. The pipe does the same over the module, where each run takes
# long.
if [ "$backend" != embedded ] && is_quick; then
	other_places=(process)
	places=(process)
else
	other_places=(process other)
	places=(process other same)
fi

frame_twins() { clean 0 "right-$1" "$2"; } # NAME PLACE

# Checks that a mistake is found at each of $at_places, and that its corrected
# twin has no finding. $program and $source are the caller's.
frame_mistake() # BOARD NAME REGEX...
{
	local board=$1 name=$2 place

	shift 2
	for place in "${at_places[@]}"; do
		on "$board" && report 0 "$program" "$name" "$place" &&
			has "$@" && sum 1 1 &&
			frame_twins "$name" "$place" || return
	done
}

frame_stored_by_kernel()
{
	local program=$O/frames source=$here/frames.c at_places=("${places[@]}")

	frame_mistake orin store-by-kernel \
		'Frame written by consumer' 'offset 517, 1 byte' \
		'acquired by frames' "at $(at acquire ACQUIRE)" \
		'written by engine gpu' "at $(at launch LAUNCH)" \
		"by $(at store_by_kernel BAD)" 'its kernel' \
		"at $(at k_store STORE)"
}

frame_stored_by_copy()
{
	local program=$O/frames source=$here/frames.c at_places=("${places[@]}")

	frame_mistake tx2 store-by-copy \
		'Frame written by consumer' 'offset 0, 1 byte' \
		'acquired by frames' 'written by engine dma' \
		"at $(at store_by_copy FILL)"
}

# If both ends have one context, the producer may read the frame.
frame_used_after_release()
{
	local program=$O/frames source=$here/frames.c
	local at_places=("${other_places[@]}")

	frame_mistake orin use-after-release \
		'Frame used after release' 'released by frames' \
		"at $(at release RELEASE)" 'touched by engine gpu' \
		"at $(at k_sum SUM)" 'mem_pipe_release'
}

frame_locked_for_writing()
{
	local program=$O/frames source=$here/frames.c at_places=("${places[@]}")

	frame_mistake orin lock-for-writing \
		'Frame written by consumer' 'written by frames' \
		"at $(at lock_frame LOCK)" 'acquired by frames' \
		"at $(at acquire ACQUIRE)"
}

frame_locked_after_release()
{
	local program=$O/frames source=$here/frames.c
	local at_places=("${other_places[@]}")

	frame_mistake orin lock-after-release \
		'Frame used after release' 'read by frames' \
		"at $(at lock_frame LOCK)" 'released by frames' \
		"at $(at release RELEASE)"
}

frames_go_round()
{
	local program=$O/frames place

	for place in "${places[@]}"; do
		frame_twins go-round "$place" &&
			frame_twins images-go-round "$place" || return
	done
}

try a_lock_that_is_kept_is_found destroyed_while_locked
try a_lock_that_is_kept_to_the_end_is_found ended_while_locked
try a_lock_of_an_array_is_found array_kept
try an_image_that_is_kept_is_one_leak image_kept
try a_job_on_a_locked_image_is_refused surface_while_locked
try a_wrapper_of_freed_memory_is_found wrapper_outlives
try a_wrapper_of_unmapped_memory_is_found wrapper_of_unmapped
try a_wrapper_of_a_freed_block_is_found wrapper_of_freed
try memory_that_is_unmapped_under_a_job_is_found wrapper_unmapped_too_early
try rows_without_their_padding_are_found width_for_pitch
try an_object_that_is_not_flushed_is_found object_not_flushed
try an_object_that_is_not_flushed_for_dma_is_found object_of_dma
try a_frame_that_is_locked_for_writing_is_found frame_locked_for_writing
try a_frame_that_is_locked_after_its_release_is_found frame_locked_after_release
try frames_of_right_programs_go_round frames_go_round
if [ "$backend" = embedded ]; then
	try a_frame_that_a_kernel_stores_to_is_found frame_stored_by_kernel
	try a_frame_that_a_copy_stores_to_is_found frame_stored_by_copy
	try a_frame_that_is_used_after_its_release_is_found \
		frame_used_after_release
	try a_read_after_the_unlock_is_found read_after_unlock
	try a_read_after_the_librarys_own_is_found read_after_job
	try a_store_without_a_lock_is_found store_unlocked
	try a_store_in_a_lock_for_reading_is_found store_in_read_lock
	try a_system_call_in_a_lock_for_reading_is_found call_in_read_lock
	try a_kernel_after_the_unlock_is_found kernel_after_unlock
	try a_kernel_that_stores_in_a_lock_for_reading_is_found \
		kernel_in_read_lock
	try a_copy_into_what_is_locked_for_reading_is_found copy_in_read_lock
	try a_kernel_in_a_lock_of_the_cpu_is_found kernel_while_locked
	try a_store_to_a_read_only_object_is_found store_read_only
	try waste_of_a_job_of_the_cpu_is_not_the_programs cpu_job_wastes
	try a_job_may_be_at_work_when_the_program_ends ended_in_a_job
else
	for name in read-after-unlock store-unlocked store-in-read-lock \
		call-in-read-lock kernel-after-unlock kernel-while-locked \
		kernel-in-read-lock copy-in-read-lock; do
		is_quick || try "${name//-/_}_is_not_seen" unseen "$name"
	done
	try a_store_to_a_read_only_object_ends_it unseen store-read-only 139
fi
tap_end
