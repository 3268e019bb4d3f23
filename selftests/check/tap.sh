# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Prints TAP for test scripts. tap_try NAME COMMAND... runs a command as a test,
# and prints its output if it fails. tap_skip reports a skipped test. tap_later
# runs a command in the background, and tap_wait reports all of these in their
# order. tap_end prints the plan and exits.

tap_nr=0
tap_failed=0
tap_dir=
tap_names=()

# Returns true if long tests that are variants of others are left to check-all.
is_quick() { [ -n "${HEAPSIM_QUICK:-}" ]; }

tap_ok() # NAME
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1"
}

tap_not_ok() # NAME WHY
{
	tap_nr=$((tap_nr + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_nr - $1"
	# shellcheck disable=SC2001 # each line of it
	sed 's/^/# /' <<<"$2"
}

tap_skip() # NAME WHY
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

tap_try() # NAME COMMAND...
{
	local name=$1 out

	shift
	if out=$("$@" 2>&1); then
		tap_ok "$name"
	else
		tap_not_ok "$name" "${out:-exit code not 0}"
	fi
}

tap_later() # NAME COMMAND...
{
	local nr=${#tap_names[@]} most

	most=$(nproc)
	tap_dir=${tap_dir:-$(mktemp -d)}
	tap_names+=("$1")
	shift
	while [ "$(jobs -rp | wc -l)" -ge "$most" ]; do
		wait -n
	done
	{
		"$@" >"$tap_dir/$nr" 2>&1
		echo $? >"$tap_dir/$nr.rc"
	} &
}

tap_wait()
{
	local i rc

	wait
	for i in "${!tap_names[@]}"; do
		rc=$(<"$tap_dir/$i.rc")
		if [ "$rc" = 0 ]; then
			tap_ok "${tap_names[i]}"
		else
			tap_not_ok "${tap_names[i]}" \
				"$(cat "$tap_dir/$i"; echo "exit code $rc")"
		fi
	done
	rm -rf "$tap_dir"
	tap_dir=
	tap_names=()
}

tap_end()
{
	echo "1..$tap_nr"
	exit "$((tap_failed > 0))"
}
