#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the random sequences on the real module, inside the test VM: with default
# parameters, and with random eviction, twice with the same seed and once with
# another one. Prints TAP; exits with 1 if anything failed.
#
# shellcheck disable=SC2317 # tap_try calls the functions

set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
program=${O:-${HEAPSIM_BUILD:-$top/build}/selftests/model}/random_device_test
module=${HEAPSIM_MODULE:-$top/build/kmod/$(uname -r)/heapsim.ko}
# shellcheck source=selftests/check/tap.sh
. "$top/selftests/check/tap.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

# The module is inserted anew, so that the ids of buffers are the same, too.
digest_of() # SEED
{
	rmmod heapsim && insmod "$module" test_hooks=1 evict=random "seed=$1" || return
	ROUNDS=3 "$program" >"$log" 2>&1 || { cat "$log"; return 1; }
	sed -n 's/^# digest //p' "$log"
}

put_back() { rmmod heapsim && insmod "$module" test_hooks=1; }

is_digest() { [[ $1 =~ ^[0-9a-f]{16}$ ]] || { echo "$1"; return 1; }; }
is_same() { [ "$1" = "$2" ] || { echo "$1, then $2"; return 1; }; }
is_other() { [ "$1" != "$2" ] || { echo "both $1"; return 1; }; }

"$program" || failed=1
first=$(digest_of 7)
again=$(digest_of 7)
other=$(digest_of 8)
tap_try "under_random_eviction_the_replay_of_the_trace_equals_the_device" \
	is_digest "$first"
tap_try "the_same_seed_and_calls_evict_the_same" is_same "$first" "$again"
tap_try "another_seed_evicts_others" is_other "$first" "$other"
# Restore the module's default parameters for the tests that follow.
tap_try "the_module_is_as_it_was" put_back
[ "$failed" = 0 ] || tap_failed=$((tap_failed + 1))
tap_end
