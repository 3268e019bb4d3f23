#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""json_check.py PAGE FILE...: compares reports of heapsim run with their page.

PAGE is heapsim-run.rst. No report may have a member that it does not document,
and each that it does must be in one of them, with a value other than null.
"""

import json
import re
import sys

BOLD = re.compile(r"\*\*(\w+)\*\*")
TERM = re.compile(r"(\*\*\w+\*\*(, )?)+$")
STACKS = ("stack", "kernel")    # both are lists of frames


def section(text, name, end):
    """Returns the text below a heading, up to the next one."""
    begin = re.search(rf"^{name}\n=+\n", text, re.MULTILINE).end()
    return text[begin:text.index(f"\n{end}\n", begin)]


def indent_of(line):
    """Returns the width of the indentation."""
    return len(line) - len(line.lstrip())


def with_frames(prefix, names, frames):
    """Yields the paths of some names, and of their members if stacks."""
    return {prefix + name for name in names} | \
        {f"{prefix}{name}[].{one}"
         for name in names if name in STACKS for one in frames}


def paths_of(lines, prefix, frames):
    """Yields the names in a list of definitions."""
    paths = set()
    depth = min(indent_of(line) for line in lines if line)
    at = [i for i, line in enumerate(lines)
          if line and indent_of(line) == depth and TERM.match(line.strip())]
    for i in at:
        end = i + 1
        while end < len(lines) and (not lines[end] or
                                    indent_of(lines[end]) > depth):
            end += 1
        names = BOLD.findall(lines[i])
        paths |= with_frames(prefix, names, frames)
        # Members of the first name; definitions below it describe a list.
        inside = prefix + names[0]
        body = lines[i + 1:end]
        if any(TERM.match(line.strip()) for line in body):
            paths |= paths_of([line for line in body if line],
                              inside + "[].", frames)
        else:
            paths |= with_frames(inside + ".", BOLD.findall("\n".join(body)),
                                 frames)
    return paths


def words_of(text, pattern):
    """Returns the alternatives that a sentence lists."""
    found = re.search(pattern, text, re.DOTALL | re.MULTILINE)
    words = re.split(r",\s*|\s+or\s+|;\s*of\s+libmem\s+also\s+|\s+",
                     found.group(1).strip())
    return set(words) - {""}


def walk(value, path, seen):
    """Records for each member whether it was ever more than null."""
    if isinstance(value, dict):
        for name, one in value.items():
            where = f"{path}.{name}" if path else name
            seen[where] = seen.get(where, False) or one is not None
            walk(one, where, seen)
    elif isinstance(value, list):
        for one in value:
            walk(one, path + "[]", seen)


def check_values(report, page):
    """Checks that values of a set are among those that the page lists."""
    kinds = words_of(page, r"^\*\*kind\*\*\n\s+One of: (.*?)\.\n")
    missing = words_of(page, r"\*\*missing\*\*\n\s+(.*?)\.\n")
    types = words_of(page, r"where the type is (.*?)\.\n")
    program = report["program"]
    assert (program["exit_code"] is None) != (program["signal"] is None), \
        program
    assert report["version"] == 1, report["version"]
    for finding in report["findings"]:
        assert finding["kind"] in kinds, (finding["kind"], kinds)
        assert (finding["missing"] or "null") in missing, \
            (finding["missing"], missing)
        other = finding["other"]
        assert not other or other["type"] in types, (other["type"], types)


def main():
    """Exits with 1 if a report differs from the page."""
    with open(sys.argv[1], encoding="utf-8") as page_file:
        page = page_file.read()
    text = section(page, "JSON", "EXIT STATUS")
    frames = BOLD.findall(re.search(r"A \*\*stack\*\* is (.*?);", text,
                                    re.DOTALL).group(1))
    documented = paths_of(text.split("\n"), "", frames)
    assert len(frames) > 3 and "findings[].cpu.stack[].line" in documented, \
        sorted(documented)
    seen = {}
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as report_file:
            report = json.load(report_file)
        walk(report, "", seen)
        check_values(report, page)
    wrong = [f"not in the page: {path}" for path in sorted(seen)
             if path not in documented]
    wrong += [f"in no report, or only as null: {path}"
              for path in sorted(documented) if not seen.get(path)]
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
