#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""trace_check.py FILE...: traces of heapsim run that Perfetto can draw?"""

import collections
import json
import sys

SLACK = 0.002   # us: times are rounded when they are added


def check_nested(slices):
    """What a thread does lies side by side, or one in the other."""
    open_until = []
    for begin, minus_dur, name in sorted(slices):
        while open_until and open_until[-1] <= begin + SLACK:
            open_until.pop()
        end = begin - minus_dur
        assert not open_until or end <= open_until[-1] + SLACK, (name, begin)
        open_until.append(end)


def check(trace):
    """Fails an assertion if it is not."""
    end = trace["otherData"]["duration_us"]
    is_whole = trace["otherData"]["events_lost"] == 0
    running = collections.defaultdict(list)
    slices = collections.defaultdict(list)
    flows = collections.Counter()
    spans = {}
    names = set()
    for event in trace["traceEvents"]:
        phase, time = event["ph"], event["ts"]
        track = event["pid"], event["tid"]
        assert 0 <= time <= end + SLACK, event
        if phase == "M":
            names.add(track)
            continue
        assert track in names or event.get("s") == "g", event
        if phase == "B":
            assert not running[track], event
            assert event["args"].get("kernel") == event["name"] or \
                event["args"]["bytes"] > 0, event
            assert event["args"]["submitter"], event
            running[track].append(time)
        elif phase == "E":
            assert running[track].pop() <= time, event
        elif phase == "b":
            spans[event["cat"], event["id"]] = time, event["name"]
        elif phase == "e":
            begin, name = spans.pop((event["cat"], event["id"]))
            assert begin <= time and name == event["name"], event
        elif phase == "X":
            assert time + event["dur"] <= end + SLACK, event
            slices[track].append((time, -event["dur"], event["name"]))
        elif phase in "sf":
            flows[event["id"], phase] += 1
        else:
            assert phase == "i" and event["s"] in "tg", event
            if event["cat"] == "finding":
                assert event["args"]["kind"] == event["name"], event
                assert event["args"]["buffer"] or \
                    event["name"] == "illegal-address", event
                assert "off" in event["args"], event
    assert not spans, spans
    assert not any(running.values()), running
    for ident, phase in list(flows):
        assert flows[ident, phase] == 1, ident
        assert flows[ident, "s"] or not is_whole, ident
    for of_a_track in slices.values():
        check_nested(of_a_track)


for path in sys.argv[1:]:
    print(path)     # shown if it is not
    with open(path, encoding="ascii") as trace_file:
        check(json.load(trace_file))
