#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [PART]...: runs programs of others on heapsim's heaps, inside the test
# VM with the module inserted. Prints several TAP documents. PART is kselftest,
# fences, android, v4l2, compliance, libcamera, watched (by heapsim run), debug
# or udev; all by default. Exits with 1 if anything failed.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build/selftests/clients}
export CMOCKA_MESSAGE_OUTPUT=TAP
# shellcheck source=../check/tap.sh
. "$top/selftests/check/tap.sh"
# shellcheck source=../vm/boards.sh
. "$top/selftests/vm/boards.sh"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

ours()
{
	local node

	for node in /sys/class/misc/heapsim-*; do
		echo "${node##*/heapsim-}"
	done
}

# Converts the results of the old kselftest, which prints no TAP, for each heap.
# It has six tests, of which none may be skipped for lack of vgem.
old_kselftest_passed() # HEAP
{
	awk -v heap="$1" '
		/^Testing heap: / { is_it = $3 == heap }
		is_it { print }
		is_it && / OK$/ { ok++ }
		is_it && /FAIL|skip/ { bad++ }
		END { exit(ok != 6 || bad) }' "$tmp/old"
}

# Runs a kselftest that prints TAP, to the file new, too.
kselftest_tap() # NAME PROGRAM
{
	local rc

	"$2" >"$tmp/new" 2>&1
	rc=$?
	# Tests of heaps are reported with the name of the heap.
	awk -v nr="$tap_nr" -v name="$1" '
		/^# Testing heap: / { heap = $4 ": " }
		match($0, /^(not )?ok [0-9]+ /) {
			what = $1 == "not" ? "not ok" : "ok"
			sub(/^(not )?ok [0-9]+ (\[RUN\]\t)?/, "")
			print what, ++nr, "- " name ": " heap $0
			next
		}
		!/^(TAP version|1\.\.)/ { print }' "$tmp/new"
	tap_nr=$((tap_nr + $(grep -cE '^(not )?ok ' "$tmp/new")))
	tap_failed=$((tap_failed + $(grep -c '^not ok ' "$tmp/new")))
	tap_try "$1 exits with 0" test "$rc" = 0
	tap_try "$1 ran each test it planned" \
		grep -qx "1..$(grep -cE '^(not )?ok ' "$tmp/new")" "$tmp/new"
}

kselftest()
{
	local version heap rc

	tap_try "kselftest: there is vgem to import" modprobe vgem
	"$O/dmabuf-heap-6.1" >"$tmp/old" 2>&1
	rc=$?
	tap_try "kselftest of 6.1 exits with 0" test "$rc" = 0
	for heap in $(ours); do
		tap_try "kselftest of 6.1: $heap" old_kselftest_passed "$heap"
	done
	for version in 6.12 newest; do
		kselftest_tap "kselftest of $version" "$O/dmabuf-heap-$version"
		for heap in $(ours); do
			tap_try "kselftest of $version took $heap" \
				grep -qx "# Testing heap: $heap" "$tmp/new"
		done
	done
}

# Those of fences, with the timelines of test_hooks=1 or the kernel's own.
fences()
{
	local version

	module_insert test_hooks=1
	for version in 6.1 6.12 newest; do
		kselftest_tap "kselftest of sync of $version" "$O/sync-$version"
	done
}

# Inserts vivid with two devices, each a camera and a screen: one with vmalloc
# memory, one with contiguous memory (or as ALLOCATORS says) and the interface
# for several planes.
cameras() # [ALLOCATORS]
{
	[ -c /dev/video3 ] && return
	modprobe vivid n_devs=2 allocators="${1:-0,1}" multiplanar=1,2 \
		node_types=0x101,0x101 || return
	for _ in {1..50}; do
		[ -c /dev/video3 ] && return
		sleep 0.1
	done
	return 1
}

# A format is kept after a program has ended. v4l2-compliance needs the
# exporter's format to be no smaller than that of the device.
fresh_cameras() # [ALLOCATORS]
{
	modprobe -r vivid && cameras "$@"
}

# Prints a line for each test of v4l2-compliance.
verdicts()
{
	tr '\r' '\n' <"$1" |
		sed -n 's/^.*\ttest \(.*: \(OK\|FAIL\).*\)$/\1/p'
}

streams_with() # HEAP DEVICE EXPORTER
{
	local out=$tmp/compliance

	HEAPSIM_EXPBUF_DEVICE=$3 HEAPSIM_EXPBUF_HEAP=/dev/dma_heap/$1 \
		LD_PRELOAD=$O/expbuf.so v4l2-compliance -C never -s 2 \
		-d "$2" -e "$3" >"$out" 2>&1
	verdicts "$out" >"$out.verdicts"
	# The program forks for some tests, and each process prints its buffers.
	grep -q 'expbuf: [1-9]' "$out" || {
		echo "no buffer of the heap was asked for"
		return 1
	}
	grep -q '^DMABUF.*: OK' "$out.verdicts" &&
		! grep '^DMABUF.*: FAIL' "$out.verdicts" &&
		diff "$tmp/own-${2##*/}" "$out.verdicts" && return
	grep -aE 'fail:|warn:' "$out" | tr '\r' '\n' | tail -n 20
	return 1
}

# v4l2-compliance accepts only dma-bufs of a V4L2 device, so expbuf.so replaces
# these by buffers of a heap. The results must equal those with the device's own
# buffers, whatever this version reports about this kernel's vivid.
compliance()
{
	local heap pair device exporter

	tap_try "v4l2-compliance: vivid is there, as it was loaded" \
		fresh_cameras
	for pair in video0:video2 video1:video3 video2:video3; do
		device=${pair%:*}
		exporter=${pair#*:}
		v4l2-compliance -C never -s 2 -d "/dev/$device" \
			-e "/dev/$exporter" >"$tmp/compliance" 2>&1
		verdicts "$tmp/compliance" >"$tmp/own-$device"
		tap_try "v4l2-compliance streams vivid's own ($device)" \
			grep -q '^DMABUF.*: OK' "$tmp/own-$device"
	done
	for heap in coherent noncoherent system-uncached; do
		tap_try "v4l2-compliance captures into $heap" \
			streams_with "$heap" /dev/video0 /dev/video2
	done
	tap_try "v4l2-compliance shows what is in noncoherent" \
		streams_with noncoherent /dev/video1 /dev/video3
	tap_try "v4l2-compliance captures into contiguous by DMA" \
		streams_with contiguous /dev/video2 /dev/video3
}

# libcamera searches for heaps of a few names, first for linux,cma.
cam() # HEAP
{
	local dir=$root/tmp/$1

	ln -sfn "$1" /dev/dma_heap/linux,cma || return
	mkdir -p "$dir" || return
	LIBCAMERA_LOG_LEVELS=DmaBufAllocator:DEBUG chroot "$root" \
		cam -c Virtual2 --capture=2 "--file=/tmp/$1/frame#" \
		>"$tmp/cam" 2>&1 || { cat "$tmp/cam"; return 1; }
	grep -q 'Using /dev/dma_heap/linux,cma' "$tmp/cam" &&
		[ "$(find "$dir" -name 'frame*' | wc -l)" = 2 ]
}

same_frames() # HEAP HEAP
{
	local frame

	for frame in "$root/tmp/$1"/frame*; do
		# A frame with equal bytes only would be no picture.
		[ "$(head -c 4096 "$frame" | od -An -tx1 -w1 | sort -u |
			wc -l)" -gt 1 ] || return
		cmp "$frame" "$root/tmp/$2/${frame##*/}" || return
	done
}

libcamera()
{
	local dir heap

	root=$(readlink "$O/root") || root=
	for dir in dev proc sys; do
		mkdir -p "$root/$dir"
		mount --bind "/$dir" "$root/$dir"
	done
	dir=$root/usr/share/libcamera/pipeline/virtual
	tap_try "libcamera has a virtual camera" \
		cp "$dir/virtual.yaml.example" "$dir/virtual.yaml"
	for heap in coherent noncoherent contiguous; do
		tap_try "libcamera: cam captures into $heap" cam "$heap"
	done
	for heap in noncoherent contiguous; do
		tap_try "libcamera: frames in $heap are those in coherent" \
			same_frames "$heap" coherent
	done
	rm -f /dev/dma_heap/linux,cma
}

# run_watched OPTION... PROGRAM...: runs a program under heapsim run; sets rc.
run_watched()
{
	: >"$tmp/report"
	"$top/build/heapsim/heapsim" run --error-exitcode=9 \
		--log-file="$tmp/report" "$@" >"$tmp/said" 2>&1 </dev/null
	rc=$?
}

told()
{
	echo "exit code $rc"
	cat "$tmp/said" "$tmp/report"
	return 1
}

no_finding() # OPTION... PROGRAM...
{
	local rc

	run_watched "$@"
	[ "$rc" = 0 ] && grep -q 'ERROR SUMMARY: 0 errors' "$tmp/report" &&
		return
	told
}

finding() # WORDS PROGRAM...
{
	local rc words=$1

	shift
	run_watched "$@"
	[ "$rc" = 9 ] && grep -q "$words" "$tmp/report" && return
	told
}

# GStreamer reads the files of all plugins once, so only the used ones are
# listed.
gstreamer()
{
	local dir name

	dir=$(pkg-config --variable=pluginsdir gstreamer-1.0) || return
	for name in app coreelements video4linux2 videofilter \
		    videotestsrc; do
		ln -s "$dir/libgst$name.so" "$tmp/gst" || return
	done
	gst-inspect-1.0 v4l2src && gst-inspect-1.0 videobalance
}

# HDMI is used, since GStreamer does not support interlaced screens. The rate is
# low, since vivid of 6.1 calls schedule_timeout() with a negative time if
# frames are late, which the kernel log reports.
slow_screen() # DEVICE
{
	local index

	v4l2-ctl -d "$1" --set-output 1 || return
	index=$(v4l2-ctl -d "$1" --list-dv-timings | awk '
		/Index:/ { index_ = $2 }
		/Active width: 1280/ { is_it = 1 }
		/Active width:/ && !/ 1280/ { is_it = 0 }
		is_it && /\(24\.[0-9]* frames/ { print index_; exit }')
	v4l2-ctl -d "$1" --set-dv-bt-timings "index=$index"
}

cameras_and_screens()
{
	fresh_cameras 0,0 && slow_screen /dev/video1 && slow_screen /dev/video3
}

# Right programs must have no finding, with any eviction; without one START or
# END they must have the expected one.
watched()
{
	local how name what cam screen

	tap_try "watched: there is vgem to import" modprobe vgem
	tap_try "watched: vivid is there" cameras_and_screens
	mkdir -p "$tmp/gst"
	export GST_PLUGIN_SYSTEM_PATH_1_0=$tmp/gst GST_REGISTRY=$tmp/registry \
		GST_REGISTRY_FORK=no
	tap_try "watched: GStreamer is there" gstreamer
	for how in none random; do
		name="no finding (eviction: $how):"
		for cam in /dev/video0 /dev/video2; do
			# Caches do not depend on the interface, so test one.
			[ "$how$cam" != random/dev/video2 ] || continue
			screen=/dev/video$((${cam#/dev/video} + 1))
			for what in "$cam" "$screen"; do
				tap_try "$name stream $what" no_finding \
					"--evict=$how" "$O/stream" "$what"
			done
			for what in look change draw pass; do
				tap_try "$name gst_import $what $cam" \
					no_finding "--evict=$how" \
					"$O/gst_import" "$what" "$cam" "$screen"
			done
		done
		tap_try "$name vgem" no_finding "--evict=$how" "$O/vgem"
	done
	for cam in /dev/video0 /dev/video2; do
		screen=/dev/video$((${cam#/dev/video} + 1))
		tap_try "a finding: stream $cam no-start" \
			finding "Unbracketed read" "$O/stream" "$cam" no-start
		tap_try "a finding: stream $screen no-end" \
			finding "Missing clean" "$O/stream" "$screen" no-end
		tap_try "a finding: gst_import no-start $cam" \
			finding "Unbracketed read" \
			"$O/gst_import" no-start "$cam" "$screen"
		tap_try "a finding: gst_import no-end $cam" \
			finding "Missing END" \
			"$O/gst_import" no-end "$cam" "$screen"
	done
	tap_try "a finding: vgem no-start" \
		finding "Read before the fence" "$O/vgem" no-start
	tap_try "a finding: vgem no-end" \
		finding "Missing clean" "$O/vgem" no-end
}

# gdb reads and writes a mapped buffer of another process. The number is the
# text "changed ", which crosses the border of two pages.
gdb_reads_and_writes() # HEAP
{
	local address text to

	coproc PYTHON { exec "$here/mapped.py" "$1" 2>&1; }
	# shellcheck disable=SC2153 # named by coproc
	read -r address <&"${PYTHON[0]}" || return
	to=${PYTHON[1]}
	gdb -nx -batch -iex 'set auto-solib-add off' -p "$PYTHON_PID" \
		-ex "x/s (char *)$address" \
		-ex "set {long}$address = 0x206465676e616863" \
		>"$tmp/gdb" 2>&1 </dev/null
	exec {to}>&-
	read -r text <&"${PYTHON[0]}"
	wait "$PYTHON_PID"
	grep -q '"written by Python"' "$tmp/gdb" &&
		[ "$text" = "changed by Python" ] && return
	echo "then in the buffer: $text"
	cat "$tmp/gdb"
	return 1
}

traced()
{
	trace-cmd record -q -o "$tmp/trace.dat" -e heapsim \
		"$here/mapped.py" noncoherent </dev/null || return
	trace-cmd report -i "$tmp/trace.dat" >"$tmp/trace" || return
	grep -q 'heapsim_fill: .*buf=[1-9][0-9]* off=[0-9]* len=[1-9]' \
		"$tmp/trace" &&
		grep -q 'heapsim_clean: .*buf=[1-9]' "$tmp/trace" && return
	cat "$tmp/trace"
	return 1
}

debug()
{
	local heap

	for heap in noncoherent system-uncached; do
		tap_try "gdb reads and writes a mapped $heap" \
			gdb_reads_and_writes "$heap"
	done
	tap_try "trace-cmd records and names our events" traced
}

ours_are() # GROUP MODE
{
	local node

	for node in /dev/heapsim $(ours | sed 's|^|/dev/dma_heap/|'); do
		[ "$(stat -c '%G %a' "$node")" = "$1 $2" ] && continue
		ls -l "$node"
		return 1
	done
}

# The installed rule is used by a udev that was started before the module.
udev_permits()
{
	install -D -m 644 -t /run/udev/rules.d "$top"/kmod/*.rules &&
		/lib/systemd/systemd-udevd --daemon || return
	module_insert && udevadm settle -t 60 && ours_are video 660
}

udev()
{
	tap_try "without udev our nodes are root's" ours_are root 660
	tap_try "the udev rule gives our nodes to the group video" udev_permits
}

parts=("$@")
[ $# -gt 0 ] || parts=(android v4l2 kselftest fences compliance libcamera watched
	debug udev)
failed=0
is_tap=
for part in "${parts[@]}"; do
	begin=$SECONDS
	case $part in
	android)
		"$O/android_test" </dev/null || failed=1 ;;
	v4l2)
		cameras || failed=1
		"$O/v4l2_test" </dev/null || failed=1 ;;
	kselftest|fences|compliance|libcamera|watched|debug|udev)
		is_tap=1
		"$part" ;;
	*)
		echo "run.sh: no part $part" >&2
		exit 2 ;;
	esac
	echo "# $part: $((SECONDS - begin)) s"
done
[ -z "$is_tap" ] || echo "1..$tap_nr"
exit "$((failed || tap_failed > 0))"
