#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the command heapsim, inside the test VM, as root. Prints TAP. Exit
# code: 0 if all passed, else 1. Arguments are regular expressions; only tests
# whose names match are run.
#
# shellcheck disable=SC2317 # tap_try calls the functions

set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${HEAPSIM_BUILD:-$top/build}
O=${O:-$build/selftests/heapsim}
module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
modules=/lib/modules/$(uname -r)
PATH=$build/heapsim:$PATH
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
only=${*:-.}

# try NAME [COMMAND...]: without a command, that of this name is run.
try()
{
	[ $# -gt 1 ] || set -- "$1" "$1"
	[[ ! $1 =~ $only ]] || tap_try "$@"
}

# says RC REGEX COMMAND...: checks the exit code and the output of a command,
# and prints the output if it is wrong.
says()
{
	local want=$1 regex=$2 out rc line

	shift 2
	out=$("$@" 2>&1 </dev/null)
	rc=$?
	# grep is not used, since starting a program is slow under emulation.
	while [ "$rc" = "$want" ] && IFS= read -r line; do
		[[ $line =~ $regex ]] && return
	done <<<"$out"
	echo "'$*' exited with $rc, wanted $want and '$regex':"
	echo "$out"
	return 1
}

as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }

is_loaded() { [ -e /dev/heapsim ]; }

fresh() # PARAM=VALUE...
{
	! is_loaded || heapsim unload --wait 10 >/dev/null || return
	heapsim load --module "$module" "$@" >/dev/null
}

gone() { ! is_loaded || heapsim unload --wait 10 >/dev/null; }

# Starts a program that prints "ready"; it ends by release or with the test.
started() # COMMAND...
{
	local said

	coproc HELD { exec "$@"; }
	held_in=${HELD[1]}
	# shellcheck disable=SC2153 # coproc sets it
	held_pid=$HELD_PID
	read -r -t 60 -u "${HELD[0]}" said && [ "$said" = ready ] && return
	echo "$* is not ready"
	return 1
}

# Starts a program that holds an object of the module.
holding() { started "$O/$1" "${@:2}"; } # PROGRAM ARGUMENT...

release()
{
	eval "exec $held_in>&-"
	wait "$held_pid"
}

help_lists_all()
{
	local command

	for command in run load unload info stat top; do
		says 0 "^  $command " heapsim help &&
			says 0 "^  $command " heapsim --help || return
	done
	for command in load unload info stat top; do
		says 0 "^usage: heapsim $command" heapsim "$command" --help ||
			return
	done
	says 0 '^heapsim [0-9]' heapsim --version
}

wrong_command_lines_are_refused()
{
	says 2 '^usage:' heapsim &&
		says 2 "fly: no such command" heapsim fly &&
		says 2 "--fly: no such option" heapsim --fly &&
		says 2 "unrecognized option '--fly'" heapsim load --fly &&
		says 2 "unrecognized option '--fly'" heapsim unload --fly &&
		says 2 "x: takes no argument" heapsim info x &&
		says 2 "x: takes no argument" heapsim top x &&
		says 2 "^Try 'heapsim stat --help'" heapsim stat -1 &&
		says 2 "^Try 'heapsim load --help'" heapsim load -1 &&
		says 2 "^Try 'heapsim info --help'" heapsim info -1 &&
		says 2 "not a count" heapsim stat 1 0 &&
		says 2 "not an interval" heapsim stat nan &&
		says 2 "no such column" heapsim stat -s colour &&
		says 2 "needs seconds" heapsim unload --wait -1
}

a_full_disk_is_an_error()
{
	fresh && says 1 'No space left' \
		bash -c 'heapsim info >/dev/full'
}

a_module_that_is_not_loaded_is_reported()
{
	local command

	gone || return
	for command in info stat top "top -b"; do
		# shellcheck disable=SC2086 # words
		says 1 'not loaded: sudo heapsim load' heapsim $command ||
			return
	done
	says 1 'not loaded' heapsim unload
}

load_finds_no_module()
{
	gone && says 1 'make install.*for this kernel' heapsim load &&
		says 1 '^  heapsim load --module build/kmod/' heapsim load
}

load_takes_a_module_alone()
{
	local other

	other=$(find "$modules/kernel/" -name '*.ko*' -print -quit)
	gone && says 1 'No such file' heapsim load -m /no/such.ko &&
		says 1 'not a kernel module' heapsim load -m /etc/passwd &&
		says 1 'not heapsim' heapsim load -m "$other"
}

load_checks_names()
{
	gone && says 2 'sco: no such parameter; do you mean soc\?' \
			heapsim load -m "$module" sco=tx2 &&
		says 2 'There are: .*evict.*user_limit_mb' \
			heapsim load -m "$module" colour=red &&
		says 2 'needs a value' heapsim load -m "$module" soc &&
		says 2 'given twice' \
			heapsim load -m "$module" pool_mb=1 pool-mb=1 &&
		says 2 'cannot contain blanks' \
			heapsim load -m "$module" soc='tx2 seed=1' &&
		! is_loaded
}

load_checks_numbers()
{
	local word

	gone || return
	for word in seed=-1 seed=x seed= seed=18446744073709551616 fill=64k \
		fill=4294967296 pool_mb=1.5; do
		says 2 "^heapsim load: $word: not a number from 0 to" \
			heapsim load -m "$module" "$word" || return
	done
	! is_loaded
}

load_shows_the_modules_reason() # WORD
{
	gone && says 1 "^kernel: $1: " heapsim load -m "$module" "$1" &&
		! is_loaded
}

# The list must have all values in the module's descriptions.
load_lists_all_values()
{
	local name listed said

	gone || return
	for name in soc policy evict vmap; do
		listed=$(heapsim load --list -m "$module" |
			sed -n "s/^$name=//p")
		said=$(heapsim load -m "$module" "$name=x" 2>&1 |
			sed -n 's/.*valid ones are: //p')
		if [ -z "$listed" ] || [ "$listed" != "${said//, /|}" ]; then
			echo "$name: listed '$listed', said '$said'"
			return 1
		fi
	done
	says 0 '^seed=NUMBER' heapsim load --list -m "$module" &&
		says 2 'no parameters' heapsim load --list -m "$module" seed=1
}

load_inserts()
{
	gone && says 0 '^loaded: .*soc=tx2 .*fill=131072 .*seed=7' \
			heapsim load -m "$module" soc=tx2 seed=0x7 \
			fill=131072 &&
		[ "$(cat /sys/module/heapsim/parameters/seed)" = 7 ]
}

load_again()
{
	fresh soc=tx2 fill=131072 &&
		says 0 '^already loaded: .*soc=tx2' \
			heapsim load -m "$module" &&
		says 0 '^already loaded' \
			heapsim load -m "$module" soc=tx2 fill=0x20000 &&
		says 1 'already loaded, with soc=tx2' \
			heapsim load -m "$module" soc=orin fill=131072 &&
		says 1 'heapsim unload' heapsim load -m "$module" soc=orin
}

# The module was inserted by insmod from a file that is not installed.
load_knows_what_is_inserted()
{
	gone && insmod "$module" soc=tx2 &&
		says 0 '^already loaded: .*soc=tx2' heapsim load &&
		says 0 '^already loaded' heapsim load soc=tx2 pool_mb=64 ||
		return
	says 1 'already loaded, with soc=tx2' heapsim load soc=orin &&
		says 1 'Unload it first: heapsim unload' heapsim load soc=orin &&
		says 2 'sco: no such parameter; do you mean soc' \
			heapsim load sco=tx2 &&
		says 1 'is installed for this kernel' heapsim load --list
}

only_root_loads()
{
	local copy rc=0

	# The tree may be in a folder that only root can read.
	gone && copy=$(mktemp --suffix=.ko) && cp "$module" "$copy" &&
		chmod 644 "$copy" || return
	says 1 'only root may load' as_nobody heapsim load -m "$copy" &&
		fresh && says 1 'only root may unload' \
			as_nobody heapsim unload &&
		is_loaded || rc=1
	rm -f "$copy"
	return "$rc"
}

# The folder of modules has only this one.
load_takes_what_is_installed()
{
	local dir

	gone && dir=$(mktemp -d) || return
	cp "$modules"/modules.builtin* "$modules/modules.order" "$dir" &&
		mount -t tmpfs tmpfs "$modules" &&
		cp "$dir"/* "$modules" &&
		install -D "$module" "$modules/updates/heapsim.ko" &&
		depmod -a &&
		says 0 '^loaded: .*soc=generic-noncoherent' heapsim load &&
		gone &&
		mkdir -p /etc/modprobe.d &&
		echo 'options heapsim soc=orin seed=5' \
			>/etc/modprobe.d/heapsim.conf &&
		says 0 '^loaded: .*soc=orin .*seed=5' heapsim load &&
		gone &&
		says 0 '^loaded: .*soc=nano .*seed=5' heapsim load soc=nano
	local rc=$?
	rm -f /etc/modprobe.d/heapsim.conf
	umount "$modules" || rc=1
	rm -r "$dir"
	return "$rc"
}

unload_removes()
{
	fresh && says 0 '^unloaded$' heapsim unload && ! is_loaded &&
		says 1 'not loaded' heapsim unload
}

unload_names_who_keeps_it()
{
	local said

	fresh && holding busy one 'quo"te' "$(printf '\e[31mred')" || return
	said=$(heapsim unload --wait 0 2>&1)
	release
	grep -E 'the module is in use \([1-9][0-9]* references\)' <<<"$said" &&
		grep -F "process $held_pid (busy): heapsim (fd " <<<"$said" &&
		grep -E 'buffer 1 "one" \(fd [0-9]+\)' <<<"$said" &&
		grep -E 'buffer 1 "one" \(mapped\)' <<<"$said" &&
		grep -F 'buffer 2 "quo"te" (fd' <<<"$said" &&
		grep -F 'buffer 3 "?[31mred" (mapped)' <<<"$said" &&
		! grep -F 'buffer 3 "?[31mred" (fd' <<<"$said" &&
		grep -F '3 live buffers' <<<"$said" && return
	echo "$said"
	return 1
}

unload_names_heaps_and_fences()
{
	fresh && holding hold heap || return
	says 1 "process $held_pid \(hold\): heapsim-.* \(fd" \
		heapsim unload -w 0 || return
	release
	fresh && holding hold sync_file || return
	says 1 "process $held_pid \(hold\): a fence" heapsim unload -w 0 ||
		return
	release
}

unload_waits_for_what_ends()
{
	fresh && holding busy one || return
	(sleep 1; kill "$held_pid") &
	says 0 '^unloaded$' heapsim unload --wait 20
}

info_prints_board_and_state()
{
	fresh soc=tx2 policy=record evict=random seed=9 fill=131072 &&
		holding busy one two || return
	says 0 '^board +tx2, not I/O-coherent' heapsim info &&
		says 0 '^policy +record$' heapsim info &&
		says 0 '^eviction +random, seed 9$' heapsim info &&
		says 0 '^fill granule +128 KiB$' heapsim info &&
		says 0 '^heaps +coherent contiguous noncoherent' heapsim info &&
		says 0 '^live buffers +2, 128 KiB$' heapsim info &&
		says 0 '"soc": ?"tx2"' heapsim info --json &&
		says 0 '"seed": ?9,' heapsim info --json &&
		says 0 '"nr_bufs": ?2,' heapsim info --json || return
	# Some VMs lack Python, and libjson-c is trusted.
	! command -v python3 >/dev/null ||
		heapsim info --json | python3 -m json.tool >/dev/null || return
	release
}

info_may_be_refused()
{
	fresh && chmod 600 /dev/heapsim &&
		says 1 'access denied.*group video' \
			as_nobody heapsim info && chmod 666 /dev/heapsim &&
		says 0 '^board' as_nobody heapsim info
}

debugfs_lists_inodes()
{
	local inode

	fresh && holding busy one two || return
	inode=$(awk '$1 == 1 { print $2 }' /sys/kernel/debug/heapsim/bufs)
	stat -L -c %i "/proc/$held_pid/fd/"* | grep -qx "$inode" || {
		echo "inode $inode:"
		stat -L -c '%n %i' "/proc/$held_pid/fd/"*
		return 1
	}
	release
}

# The columns are id, name, kind, size, holders, fills, KiB cleaned, KiB
# invalidated, redundant, findings.
stat_counts()
{
	fresh fill=65536 && holding busy -f one two || return
	says 0 '^2 buffers, 128 KiB; CPU views' heapsim stat &&
		says 0 '^ +1 one +noncoherent +64K +0 +1 +64 +0 +2 +1$' \
			heapsim stat &&
		says 0 '^ +2 two +noncoherent +64K +0 +1 +64 +0 +1 +0$' \
			heapsim stat &&
		says 0 '^ +all +128K +0 +2 +128 +0 +3 +1$' heapsim stat ||
		return
	release
	says 0 '^0 buffers, 0 bytes' heapsim stat
}

stat_sorts()
{
	local ids

	fresh && holding busy -f one two three four || return
	ids=$(heapsim stat -s name | awk '$3 ~ /coh/ { printf "%s ", $1 }')
	[ "$ids" = "4 1 3 2 " ] || { echo "by name: $ids"; return 1; }
	ids=$(heapsim stat -s id -r | awk '$3 ~ /coh/ { printf "%s ", $1 }')
	[ "$ids" = "4 3 2 1 " ] || { echo "by id, -r: $ids"; return 1; }
	release
}

stat_gives_rates()
{
	local out

	fresh && holding busy -t one two || return
	out=$(heapsim stat 0.5 3) || return
	release
	echo "$out"
	[ "$(grep -c 'FILL/s' <<<"$out")" = 3 ] || return
	# 64 KiB are cleaned and dropped with each fill of the first buffer; the
	# second one is not used any more.
	awk '$2 == "one" && $6 > 0 && $7 > 32 * $6 && $8 > 0 { one++ }
		$2 == "two" && $6 == 0 && $7 == 0 { two++ }
		END { exit !(one == 3 && two == 3) }' <<<"$out"
}

stat_gives_json()
{
	fresh && holding busy -f one two || return
	says 0 '^\{.*"bufs":\[\{"id":1,.*"unmatched_ends":1\},\{"id":2' \
		heapsim stat --json &&
		[ "$(heapsim stat --json 0.1 3 | grep -c '^{.*}$')" = 3 ] &&
		chmod 666 /dev/heapsim &&
		says 0 '"bufs":null' as_nobody heapsim stat --json || return
	! command -v python3 >/dev/null ||
		heapsim stat --json | python3 -m json.tool >/dev/null || return
	release
}

stat_needs_root_for_buffers()
{
	fresh && holding busy one && chmod 666 /dev/heapsim || return
	says 0 'only root sees' as_nobody heapsim stat &&
		says 0 '^1 buffer, 64 KiB' as_nobody heapsim stat &&
		says 0 'only root sees' as_nobody heapsim top -b -n 1 || return
	release
}

# debugfs is missing, or the module's list has another format.
stat_does_without_debugfs()
{
	local rc=0

	fresh && mount -t tmpfs tmpfs /sys/kernel/debug || return
	says 0 'mount -t debugfs' heapsim stat || rc=1
	mkdir /sys/kernel/debug/heapsim
	echo 'id name' >/sys/kernel/debug/heapsim/bufs
	says 0 'of another version' heapsim stat || rc=1
	{
		echo 'id inode len kind holders name counters'
		echo '1 1 4096 coherent 0 "new' # cut
	} >/sys/kernel/debug/heapsim/bufs
	says 0 'of another version' heapsim stat || rc=1
	{
		echo 'id inode len kind holders name counters'
		# shellcheck disable=SC2028 # octal, as the kernel writes it
		echo '1 1 4096 coherent 2 "\134\012\042" novel=5 fills=3'
	} >/sys/kernel/debug/heapsim/bufs
	says 0 '^ +1 \\\?" +coherent +4K +2 +3 +0 +0 +0 +0$' heapsim stat ||
		rc=1
	umount /sys/kernel/debug
	return "$rc"
}

# Runs busy under `heapsim run`, to which COMMAND does an exec. Its standard
# input is kept open here, since the shell closes that of a coproc that has
# ended.
run_is_busy() # COMMAND...
{
	fresh && started "$@" heapsim run --log-file=/dev/null "$O/busy" -t \
		one two && exec {busy_in}>&"$held_in" &&
		eval "exec $held_in>&-" && busy_pid=$(pgrep -x busy) && is_busy
}

# The same, but an older child makes the command start a worker for the run.
stand_in_is_busy()
{
	# shellcheck disable=SC2016 # the inner shell expands it
	run_is_busy bash -c 'sleep 600 >/dev/null 2>&1 & exec "$@"' - &&
		pkill -P "$held_pid" -x sleep &&
		worker_pid=$(pgrep -P "$held_pid" -x heapsim)
}

is_busy()
{
	heapsim stat 0.5 1 | awk '
		$2 == "one" && $6 > 0 { is = 1 }
		{ text = text $0 "\n" }
		END { if (!is) printf "not busy:\n%s", text; exit !is }'
}

# Waits for the end of a process, which its new parent may reap late.
has_ended() # PID
{
	local stat i

	for ((i = 0; i < 100; i++)); do
		stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
		[[ $stat != *') Z '* ]] || return 0
		sleep 0.1
	done
	echo "it goes on: $stat"
	return 1
}

is_killed() # PID
{
	kill -KILL "$1" || return
	wait "$held_pid"
	[ $? = 137 ] || { echo "not 137"; return 1; }
}

ends_with_its_input()
{
	exec {busy_in}>&- && has_ended "$busy_pid"
}

killed_run_leaves_its_program_alone()
{
	run_is_busy env && is_killed "$held_pid" && is_busy &&
		ends_with_its_input && gone
}

killed_stand_in_ends_its_program()
{
	stand_in_is_busy && is_killed "$held_pid" && has_ended "$busy_pid" &&
		has_ended "$worker_pid" && gone
}

killed_worker_leaves_its_program_alone()
{
	stand_in_is_busy && is_killed "$worker_pid" && is_busy &&
		ends_with_its_input && gone
}

stat_does_not_keep_the_module_loaded()
{
	fresh || return
	heapsim stat 0.2 >/dev/null 2>&1 &
	local pid=$!
	sleep 1
	says 0 '^unloaded$' heapsim unload --wait 60 || return
	# stat ends when the module is removed.
	wait "$pid"
	[ $? = 1 ]
}

top_prints_tables()
{
	local out

	fresh && holding busy -t one two || return
	out=$(heapsim top -b -n 2 -d 0.3 -s fills </dev/null) || return
	release
	echo "$out"
	[ "$(grep -c '^ *ID NAME' <<<"$out")" = 2 ] &&
		[ "$(grep -c ' all ' <<<"$out")" = 2 ] &&
		says 1 'no terminal' heapsim top
}

# Tests of the screen, in tmux.

# Each test, which is a subshell, has its own server, since a server that is
# being killed cannot make another screen.
tmux() { command tmux -L "heapsim-$screen" -f /dev/null "$@"; }

# Starts a shell in a screen of 80 by 24, with the command in its PATH.
screen_begin()
{
	screen=$BASHPID
	command -v tmux >/dev/null || { echo "no tmux"; return 1; }
	tmux -u new-session -d -x 80 -y 24 \
		"PATH=$PATH TERM=screen LC_ALL=C.UTF-8 PS1='\$ ' \
		exec bash --norc --noprofile"
	screen_has '^\$ *$'
}

screen_end() { tmux kill-server; }

screen_has() # REGEX
{
	local i

	for ((i = 0; i < 100; i++)); do
		tmux capture-pane -p | grep -qE -- "$1" && return
		sleep 0.2
	done
	echo "not on the screen: '$1'"
	tmux capture-pane -p | sed 's/^/| /'
	return 1
}

top_on_screen()
{
	fresh soc=tx2 && holding busy -t one two three && screen_begin ||
		return
	tmux send-keys 'clear; heapsim top -d 0.5' Enter
	screen_has '^heapsim top  [0-9:]{8}  tx2, strict  each 0.5 s, by find' &&
		screen_has '^3 buffers, 192 KiB; CPU views' &&
		screen_has '^ +ID NAME +KIND .* FILL/s CLN K/s .* FINDS$' &&
		screen_has '^ +1 one +noncoherent +64K +0 +[1-9]' &&
		screen_has '^ +all +192K' &&
		screen_has '^q quit' || return
	# The order by name is: one three two.
	tmux send-keys n
	screen_has 'by name' || return
	tmux capture-pane -p | awk '$3 ~ /coh/ { printf "%s ", $1 }' |
		grep -qx '1 3 2 ' || { tmux capture-pane -p; return 1; }
	tmux send-keys r
	screen_has 'by name reversed' || return
	# The screen becomes narrower, wider, and lower than the table.
	tmux resize-window -x 60 -y 8
	screen_has '^ +ID NAME +KIND' || return
	tmux resize-window -x 120 -y 30
	screen_has '^ +ID NAME {20,}KIND .* FINDS$' || return
	tmux resize-window -x 20 -y 2
	tmux resize-window -x 80 -y 24
	screen_has '^ +all +192K' || return
	tmux send-keys q
	screen_has '^\$ *$' || return
	screen_end
	release
}

top_gives_the_terminal_back() # SIGNAL
{
	local pid

	fresh && screen_begin || return
	tmux send-keys 'clear; stty -a >/tmp/before; heapsim top' Enter
	screen_has '^q quit' || return
	pid=$(pgrep -x heapsim) || return
	kill -s "$1" "$pid"
	screen_has '^\$ *$' || return
	! tmux capture-pane -p | grep -q '^q quit' ||
		{ tmux capture-pane -p; return 1; }
	tmux send-keys 'echo "rc $?"; stty -a >/tmp/after; echo do''ne' Enter
	screen_has "^rc $((128 + $(kill -l "$1")))" &&
		screen_has '^done' || return
	screen_end
	cmp /tmp/before /tmp/after
}

top_survives_an_unload()
{
	fresh && screen_begin || return
	tmux send-keys 'clear; heapsim top -d 0.2' Enter
	screen_has '^0 buffers' && heapsim unload --wait 10 &&
		screen_has 'The module is not loaded' &&
		fresh && screen_has '^0 buffers' || return
	tmux send-keys q
	screen_has '^\$ *$' && screen_end
}

# There are more rows than fit on the screen.
top_scrolls()
{
	fresh && holding busy a b c d e f g h i j k l m n o p && screen_begin ||
		return
	tmux resize-window -x 80 -y 12
	tmux send-keys 'clear; heapsim top -s id' Enter
	screen_has '^ +7 g ' || return
	! tmux capture-pane -p | grep -q '^ *16 p' || return
	tmux send-keys PageDown PageDown PageDown
	screen_has '^ +16 p ' || return
	tmux send-keys Home
	screen_has '^ +1 a ' || return
	tmux send-keys Down
	screen_has '^ +8 h ' || return
	tmux send-keys q
	screen_has '^\$ *$' && screen_end
	release
}

# Completion works in an interactive shell.
completes()
{
	gone && screen_begin || return
	# The screen is wide, so that a long path of the module fits on a line.
	tmux resize-window -x 300 -y 12
	tmux send-keys "cd $top; . libmem/tools/completion.bash; clear" Enter
	screen_has '^\$ *$' || return
	tmux send-keys 'heapsim unl' Tab
	screen_has '^\$ heapsim unload *$' || return
	tmux send-keys C-u "heapsim load -m $module so" Tab 't' 'x' Tab
	screen_has 'heapsim.ko soc=tx2 *$' || return
	tmux send-keys 'pol' Tab 'r' Tab
	screen_has ' policy=record *$' || return
	tmux send-keys Enter
	screen_has '^loaded: .*policy=record soc=tx2' && screen_end
}

# This is the last test, since modules stay locked.
locked_modules_are_reported()
{
	gone && echo 1 >/proc/sys/kernel/modules_disabled || return
	says 1 'may be locked' heapsim load -m "$module"
}

[ -e "$module" ] || { echo "Bail out! no $module"; exit 1; }

try help_lists_all
try wrong_command_lines_are_refused
try a_full_disk_is_an_error
try a_module_that_is_not_loaded_is_reported
try load_finds_no_module
try load_takes_a_module_alone
try load_checks_names
try load_checks_numbers
for word in soc=nosuch policy=lax evict=lru vmap=gpu fill=3000 soc=; do
	try "load_shows_the_modules_reason_for_$word" \
		load_shows_the_modules_reason "$word"
done
try load_lists_all_values
try load_inserts
try load_again
try load_knows_what_is_inserted
try only_root_loads
try load_takes_what_is_installed
try unload_removes
try unload_names_who_keeps_it
is_quick || try unload_names_heaps_and_fences
try unload_waits_for_what_ends
try info_prints_board_and_state
try info_may_be_refused
try debugfs_lists_inodes
try stat_counts
try stat_sorts
is_quick || try stat_gives_rates
try stat_gives_json
try stat_needs_root_for_buffers
try stat_does_without_debugfs
is_quick || for name in killed_run_leaves_its_program_alone \
	killed_stand_in_ends_its_program \
	killed_worker_leaves_its_program_alone; do
	try "$name"
done
try stat_does_not_keep_the_module_loaded
try top_prints_tables
try top_on_screen
is_quick || for sig in INT TERM HUP; do
	try "top_gives_the_terminal_back_on_$sig" \
		top_gives_the_terminal_back "$sig"
done
is_quick || try top_survives_an_unload
is_quick || try top_scrolls
is_quick || try completes
try locked_modules_are_reported
tap_end
