#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests loading and unloading of heapsim.ko inside the test VM, as root: which
# objects keep it loaded, that it frees all memory, and which parameters it
# accepts.
#
# shellcheck disable=SC2317 # tap_try calls the functions

set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-${HEAPSIM_BUILD:-$top/build}/selftests/device}
module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"

is_loaded() { [ -d /sys/module/heapsim ]; }

unload()
{
	local i

	is_loaded || return 0
	# The last fput of a process that has just ended is delayed.
	for ((i = 0; i < 50; i++)); do
		rmmod heapsim 2>/dev/null && return
		sleep 0.1
	done
	rmmod heapsim
}

load() { unload && insmod "$module" "$@"; }

# Waits for "ready"; starting the program from the shared file system takes
# time.
is_ready() # FD
{
	local said

	read -r -t 120 -u "$1" said && [ "$said" = ready ] && return
	echo "no ready"
	return 1
}

unload_is_refused_while_held() # WHAT
{
	local said rc in out

	load || return
	coproc HOLD { exec "$O/hold" "$1"; }
	in=${HOLD[1]} out=${HOLD[0]}
	is_ready "$out" || return
	said=$(rmmod heapsim 2>&1)
	rc=$?
	eval "exec $in>&-"
	wait
	if [ "$rc" = 0 ]; then
		echo "was unloaded"
		return 1
	fi
	case $said in
	*"in use"*|*temporarily\ unavailable*|*busy*) ;;
	*) echo "rmmod said: $said"; return 1 ;;
	esac
	is_loaded || { echo "is gone"; return 1; }
	unload
}

# A process that is killed in the middle of a step must release the module.
unload_follows_steps() # ROUNDS
{
	local in out pid i k

	for ((i = 0; i < $1; i++)); do
		load || return
		coproc HOLD { exec "$O/hold" steps; }
		in=${HOLD[1]} out=${HOLD[0]} pid=$HOLD_PID
		is_ready "$out" || { kill -9 "$pid"; return 1; }
		kill -9 "$pid"
		for ((k = 0; k < 1000; k++)); do
			rmmod heapsim 2>/dev/null && break
		done
		eval "exec $in>&-"
		wait
		! is_loaded || { echo "round $i: still there"; return 1; }
	done
}

nodes_come_and_go()
{
	local node

	load || return
	for node in /dev/heapsim \
		/dev/dma_heap/{noncoherent,coherent,contiguous,system-uncached}
	do
		[ -c "$node" ] || { echo "no $node"; return 1; }
	done
	unload || return
	for node in /dev/heapsim \
		/dev/dma_heap/{noncoherent,coherent,contiguous,system-uncached}
	do
		[ ! -e "$node" ] || { echo "$node stayed"; return 1; }
	done
	! compgen -G '/sys/class/misc/heapsim*' ||
		{ echo "misc devices stayed"; return 1; }
	! grep -q heapsim /proc/modules
}

# Another driver's heap must be found also if the mount namespace lacks its
# node.
names_of_other_heaps_are_left_to_them()
{
	local rc

	unload || return
	mkdir -p /dev/dma_heap && : >/dev/dma_heap/noncoherent || return
	unshare -m bash -c "mount -t tmpfs none /dev && insmod '$module'"
	rc=$?
	[ -d /sys/class/misc/heapsim-coherent ] ||
		{ echo "no heap at all"; rc=1; }
	[ ! -e /sys/class/misc/heapsim-noncoherent ] ||
		{ echo "noncoherent was taken"; rc=1; }
	unload || rc=1
	rm -f /dev/dma_heap/noncoherent
	return "$rc"
}

# Prints the free memory in KiB after dropping caches. The free lists of the
# processors, which grow to tens of MiB in newer kernels, are not in MemFree.
nr_free_kib()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.3
	awk -v page_kib="$(($(getconf PAGESIZE) / 1024))" '
		/^MemFree:/ { free += $2 }
		/^  pagesets/ { in_lists = 1 }
		in_lists && $1 == "count:" { free += $2 * page_kib }
		END { print free }' /proc/meminfo /proc/zoneinfo
}

cycle() # NR KIB
{
	local in out

	load || return
	coproc HOLD { exec "$O/hold" buffers "$1" "$2"; }
	in=${HOLD[1]} out=${HOLD[0]}
	is_ready "$out" || return
	eval "exec $in>&-"
	wait
	unload
}

memory_is_back_after_unload() # NR KIB ROUNDS
{
	local before after i slack=1024

	# KASAN keeps freed memory for a while; there kmemleak finds leaks.
	[ ! -e /sys/kernel/debug/kmemleak ] || slack=8192

	cycle "$1" "$2" || return	# warm
	before=$(nr_free_kib)
	for ((i = 0; i < $3; i++)); do
		cycle "$1" "$2" || return
	done
	after=$(nr_free_kib)
	echo "free before $before KiB, after $after KiB"
	[ "$after" -ge "$((before - slack))" ]
}

refuses() # PARAM=VALUE
{
	local log line name=${1%%=*}

	unload || return
	echo "heapsim_test: now $1" >/dev/kmsg
	if insmod "$module" "$1" 2>/dev/null; then
		echo "$1 was taken"
		return 1
	fi
	is_loaded && { echo "is loaded all the same"; return 1; }
	[ ! -e /dev/heapsim ] || { echo "/dev/heapsim stayed"; return 1; }
	# The messages since the last mark are found by the shell, since each
	# program that is started takes long under emulation.
	log=$(dmesg)
	log=${log##*"heapsim_test: now $1"}
	echo "$log"
	while read -r line; do
		[[ $line != *heapsim*"$name"* ]] || return 0
	done <<<"$log"
	return 1
}

takes() # PARAM=VALUE...
{
	local word name value got

	load "$@" || return
	[ -c /dev/heapsim ] || { echo "no /dev/heapsim"; return 1; }
	for word in "$@"; do
		name=${word%%=*} value=${word#*=}
		got=$(<"/sys/module/heapsim/parameters/$name") || return
		[ "$got" = "$value" ] ||
			{ echo "$name is '$got'"; return 1; }
	done
	"$O/hold" buffers 4 64 </dev/null
}

[ -e "$module" ] || { echo "Bail out! no $module"; exit 1; }

for what in fd map sync_file context heap; do
	tap_try "unload_is_refused_while_a_${what}_lives" \
		unload_is_refused_while_held "$what"
done
tap_try "unload_follows_steps" unload_follows_steps 10
tap_try "nodes_come_and_go" nodes_come_and_go
tap_try "names_of_other_heaps_are_left_to_them" \
	names_of_other_heaps_are_left_to_them
tap_try "memory_of_many_buffers_is_back" memory_is_back_after_unload 1000 4 8
tap_try "memory_of_large_buffers_is_back" memory_is_back_after_unload 4 24576 4

for bad in soc=nosuch soc= policy=lax policy= evict=lru evict= seed=abc \
	seed=-1 vmap=gpu vmap= fill=0 fill=1 fill=3000 fill=2048 fill=12288 \
	fill=4194304 fill=-4096 fill=4k pool_mb=-1 pool_mb=many limit_mb=0 \
	limit_mb=-1 user_limit_mb=0 user_limit_mb=-1; do
	tap_try "refuses_$bad" refuses "$bad"
done

for good in soc=nano soc=tx2 soc=drive-px2 soc=xavier soc=orin soc=orin-nano \
	soc=thor soc=generic-coherent soc=generic-noncoherent policy=strict \
	policy=record policy=off evict=none evict=random seed=0 seed=12345 \
	vmap=device vmap=cpu fill=65536 fill=2097152 pool_mb=0 pool_mb=16 \
	limit_mb=64 user_limit_mb=32; do
	tap_try "takes_$good" takes "$good"
done
tap_try "takes_several" takes soc=orin policy=record evict=random seed=7

load >/dev/null 2>&1
tap_end
