#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""trace_check.py [-s TRACK/NAME=COUNT]... [-a CATEGORY]... FILE...

Traces of heapsim run that Perfetto can draw? With so many slices of that name
on tracks of that name of the engines? With asynchronous slices of that category
that all end before the run does?
"""

import argparse
import collections
import json

SLACK = 0.002   # us: times are rounded when they are added


def check_nested(slices):
    """Checks that slices of a thread are disjoint or nested."""
    open_until = []
    for begin, minus_dur, name in sorted(slices):
        while open_until and open_until[-1] <= begin + SLACK:
            open_until.pop()
        end = begin - minus_dur
        assert not open_until or end <= open_until[-1] + SLACK, (name, begin)
        open_until.append(end)


def check_submitted(submits, begins, is_whole):
    """Checks that each job was submitted before it runs."""
    for ident, begin in begins.items():
        assert ident in submits or not is_whole, ident
        assert submits.get(ident, 0) <= begin, (ident, begin)


def check(trace):
    """Checks a trace by assertions.

    Counts slices of engines by name. Tells of each category of asynchronous
    slices whether all end before the run does.
    """
    end = trace["otherData"]["duration_us"]
    is_whole = trace["otherData"]["events_lost"] == 0
    running = collections.defaultdict(list)
    slices = collections.defaultdict(list)
    flows = collections.defaultdict(dict)
    jobs = collections.Counter()
    early = collections.defaultdict(lambda: True)
    spans = {}
    names = {}
    for event in trace["traceEvents"]:
        phase, time = event["ph"], event["ts"]
        track = event["pid"], event["tid"]
        assert 0 <= time <= end + SLACK, event
        if phase == "M":
            if event["name"] == "thread_name":
                names[track] = event["args"]["name"]
            continue
        assert track in names or event.get("s") == "g", event
        if phase == "B":
            assert not running[track], event
            assert event["args"].get("kernel", "job") == event["name"] or \
                event["args"]["bytes"] > 0, event
            assert event["args"]["submitter"], event
            running[track].append(time)
            jobs[f"{names[track]}/{event['name']}"] += 1
        elif phase == "E":
            assert running[track].pop() <= time, event
        elif phase == "b":
            spans[event["cat"], event["id"]] = time, event["name"]
        elif phase == "e":
            begin, name = spans.pop((event["cat"], event["id"]))
            assert begin <= time and name == event["name"], event
            early[event["cat"]] &= time + SLACK < end
        elif phase == "X":
            assert time + event["dur"] <= end + SLACK, event
            slices[track].append((time, -event["dur"], event["name"]))
        elif phase in "sf":
            assert event["id"] not in flows[phase], event
            flows[phase][event["id"]] = time
        else:
            assert phase == "i" and event["s"] in "tg", event
            if event["cat"] == "finding":
                assert event["args"]["kind"] == event["name"], event
                assert event["args"]["buffer"] or \
                    event["name"] == "illegal-address", event
                assert "off" in event["args"], event
    assert not spans, spans
    assert not any(running.values()), running
    check_submitted(flows["s"], flows["f"], is_whole)
    for of_a_track in slices.values():
        check_nested(of_a_track)
    return jobs, early


def main():
    """Shows the file that is not one, with what it has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-s", dest="slices", action="append", default=[])
    parser.add_argument("-a", dest="spans", action="append", default=[])
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    for path in options.files:
        print(path)
        with open(path, encoding="ascii") as trace_file:
            jobs, early = check(json.load(trace_file))
        for wanted in options.slices:
            name, count = wanted.rsplit("=", 1)
            assert jobs[name] == int(count), (wanted, jobs)
        for category in options.spans:
            assert early.get(category), (category, early)


main()
