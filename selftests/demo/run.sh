#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [PHOTO]: runs the demo inside the test VM with the module inserted. The
# photo is PHOTO, else $HEAPSIM_IMAGE, else one of a Debian package. Pictures
# are written to $OUT. The exit code is the demo's: 0 if the results match the
# rules, 1 if not, 2 if it could not run.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
demo=${DEMO:-${HEAPSIM_BUILD:-$top/build}/selftests/demo/demo}
photo=${1:-${HEAPSIM_IMAGE:-/usr/share/xplanet/images/earth.jpg}}
: "${OUT:=$top/build/demo}"

fail() { echo "demo: $*" >&2; exit 2; }

[ -x "$demo" ] || fail "no $demo: run make demo"
[ -r "$photo" ] || fail "no picture $photo: run selftests/setup demo"
[ -c /dev/heapsim ] || fail "no /dev/heapsim: is heapsim.ko inserted?"

# The camera is vivid with one device, which generates its frames.
modprobe vivid n_devs=1 || fail "cannot insert vivid"
for _ in {1..100}; do
	compgen -G '/dev/video*' >/dev/null && break
	sleep 0.1
done

mkdir -p "$OUT"
exec "$demo" "$photo" "$OUT"
