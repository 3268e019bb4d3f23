#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Man pages of libmem's calls, from the kernel-doc of its header, and of those
that it includes as <libmem/...>.

usage: libmem/man.py HEADER MAP FOLDER VERSION

Writes FOLDER/CALL.3 for each call that MAP exports, with the structs, enums and
function types that it takes, and FOLDER/libmem.3, a list of them. Fails if a
call has no kernel-doc, or an argument no line in it: a page that says less than
the header should is not made.
"""

import os
import re
import sys

WIDTH = 71      # of a page of 80, less the indents
COMMENT = re.compile(r"/\*\*[ \n](.*?)\*/\n(.*?);", re.S)
TITLE = re.compile(r"(struct |enum )?(\w+)(\(\))? - (.*)")
MEMBER = re.compile(r"@(\w+): (.*)")
SECTION = re.compile(r"(Context|Return): (.*)")


class Doc:
    """A comment of kernel-doc and what stands below it."""

    def __init__(self, comment, code):
        lines = [re.sub(r"^ ?\*? ?", "", line).strip()
                 for line in comment.strip().splitlines()]
        match = TITLE.match(lines[0])
        if not match:
            raise SystemExit(f"no title: {lines[0]}")
        self.sort = (match.group(1) or "").strip()
        self.name = match.group(2)
        self.is_call = bool(match.group(3))
        self.brief = match.group(4)
        self.members = []       # [name, text]
        self.text = [""]        # paragraphs
        self.context = self.returns = ""
        self.code = code
        self.take(lines[1:])

    def take(self, lines):
        """What follows the title; a part lasts until the next begins."""
        part = None
        for line in lines:
            if match := MEMBER.match(line):
                self.members.append(list(match.groups()))
                part = "member"
            elif match := SECTION.match(line):
                part = match.group(1)
                self.append(part, match.group(2))
            elif not line:
                part = None
                if self.text[-1]:
                    self.text.append("")
            else:
                self.append(part, line)

    def append(self, part, line):
        if part == "member":
            self.members[-1][1] += "\n" + line
        elif part == "Context":
            self.context += "\n" + line
        elif part == "Return":
            self.returns += "\n" + line
        else:
            self.text[-1] += "\n" + line

    def arguments(self):
        """Of a call: each as it is declared."""
        inside = self.code[self.code.index("(") + 1:self.code.rindex(")")]
        return [re.sub(r"\s+", " ", one).strip()
                for one in inside.split(",")]

    def check(self):
        # That of a function is in the middle of its declaration.
        names = [re.search(r"\(\*(\w+)\)|(\w+)$", one).group(1, 2)
                 for one in self.arguments() if one != "void"]
        names = [first or last for first, last in names]
        if names != [name for name, _ in self.members]:
            raise SystemExit(f"{self.name}: its arguments are "
                             f"{', '.join(names)}, not as in its kernel-doc")


def roff(text):
    """Plain text as man(7) has it."""
    text = text.strip().replace("\\", r"\e")
    text = re.sub(r"(?<![\w)])-(?=\w)", r"\-", text)
    text = re.sub(r"@(\w+(?:->\w+)*)", r"\\fI\1\\fP", text)
    text = re.sub(r"\b(mem_\w+)\(\)", r"\\fB\1\\fP(3)", text)
    return re.sub(r"^([.'])", r"\&\1", text, flags=re.M)


def sentence(text):
    text = text.strip()
    return roff(text[:1].upper() + text[1:])


def code(text):
    """Lines as they are."""
    text = text.expandtabs(8).replace("\\", r"\e").replace("-", r"\-")
    return ".nf\n" + re.sub(r"^([.'])", r"\&\1", text, flags=re.M) + "\n.fi\n"


def prototype(text):
    """A declaration, its lines cut so that they fit."""
    text = re.sub(r"\s+", " ", text)
    line = ""
    out = []
    # What a call returns has a line of its own if need be.
    start = re.match(r"([^(]*[ *])(\w+\([^,]*)", text)
    if start and len(start.group(0)) > WIDTH:
        out.append(start.group(1).rstrip())
        text = text[start.end(1):]
    for part in re.findall(r"[^,]+,?", text):
        if len(line) + len(part) > WIDTH:
            out.append(line)
            line = " " * 8 + part.lstrip()
        else:
            line += part
    return "\n".join(out + [line])


def types_in(text, types, found):
    """Types that a text names, and those that these name, in order."""
    for name in re.findall(r"\b(mem_\w+)\b(?!\()", text):
        if name in types and name not in found:
            found.append(name)
            types_in(types[name].code, types, found)
            for _, member in types[name].members:
                types_in(member, types, found)
    return found


def type_text(name, types):
    known = types[name]
    if not known.sort:
        return f".SS {name}\n" + code(prototype(known.code))
    out = f".SS {known.sort} {name}\n{sentence(known.brief)}.\n.PP\n"
    out += code(known.code + ";")
    for member, text in known.members:
        out += f".TP\n.I {member}\n{roff(text)}\n"
    return out


def head(name, version, brief):
    return (f'.\\" Made of libmem.h. SPDX-License-Identifier: '
            f'LGPL-2.1-or-later\n'
            f'.TH {name} 3 "" "libmem {version}" "libmem"\n.nh\n.ad l\n'
            f".SH NAME\n{name} \\- {roff(brief)}\n"
            ".SH SYNOPSIS\n.nf\n.B #include <libmem.h>\n.fi\n")


def page(doc, types, version):
    used = types_in(" ".join(doc.arguments()), types, [])
    for _, text in doc.members:
        types_in(text, types, used)
    out = head(doc.name, version, doc.brief)
    out += ".PP\n" + code(prototype(doc.code + ";"))
    out += ".SH DESCRIPTION\n"
    for member, text in doc.members:
        out += f".TP\n.I {member}\n{roff(text)}\n"
    for paragraph in doc.text:
        if paragraph:
            out += f".PP\n{roff(paragraph)}\n"
    if used:
        out += ".SH TYPES\n" + "".join(type_text(u, types) for u in used)
    if doc.context:
        out += f".SH CONTEXT\n{sentence(doc.context)}\n"
    if doc.returns:
        out += f".SH RETURN VALUE\n{roff(doc.returns)}\n"
    named = sorted(set(re.findall(r"\\fB(mem_\w+)\\fP\(3\)", out)) -
                   {doc.name})
    return out + ".SH SEE ALSO\n" + "".join(
        f".BR {name} (3),\n" for name in named) + ".BR libmem (3)\n"


def overview(docs, version):
    out = head("libmem", version,
               "shared memory of a simulated system-on-chip")
    out += ".PP\ncc prog.c $(pkg\\-config \\-\\-cflags \\-\\-libs libmem)\n"
    out += ".SH DESCRIPTION\n"
    out += roff("Every call that can fail gives 0 or a count, or -errno. "
                "An object comes back through the last argument, which stays "
                "untouched on failure. Nothing is printed, nothing exits. "
                "Guides are in Documentation/ of the sources, and in "
                "share/doc/heapsim where they are installed.") + "\n"
    for doc in docs:
        out += f".TP\n.BR {doc.name} (3)\n{roff(doc.brief)}\n"
    return out + ".SH SEE ALSO\n.BR heapsim (1),\n.BR heapsim\\-run (1)\n"


def read(header, seen):
    """The text of a header, and of its parts."""
    if header in seen:
        return ""
    seen.add(header)
    with open(header, encoding="utf-8") as file:
        text = file.read()
    folder = os.path.dirname(header)
    if os.path.basename(folder) == "libmem" and len(seen) > 1:
        folder = os.path.dirname(folder)
    parts = re.findall(r"^#include <(libmem/[\w.]+)>", text, re.M)
    # What is in the braces of this is no struct.
    return text.replace('extern "C" {', "") + "".join(
        read(f"{folder}/{part}", seen) for part in parts)


def main():
    header, exports, folder, version = sys.argv[1:]
    text = read(header, set())
    with open(exports, encoding="utf-8") as file:
        names = re.findall(r"^\s+(mem_\w+);", file.read(), re.M)
    # A comment of one line ends as the others do.
    text = re.sub(r"^/\*\* (.*) \*/$", r"/**\n * \1\n */", text, flags=re.M)
    docs = [Doc(*match) for match in COMMENT.findall(
        # A struct's own semicolons are not its end.
        re.sub(r"\{[^{}]*\}", lambda m: m.group(0).replace(";", "\0"), text))]
    for doc in docs:
        doc.code = doc.code.replace("\0", ";")
    calls = {doc.name: doc for doc in docs if doc.is_call}
    types = {doc.name: doc for doc in docs if not doc.is_call}
    for line in re.findall(r"^typedef .*;", text, re.M):
        name = re.search(r"\(\*(\w+)\)", line).group(1)
        types[name] = Doc(f"{name} - a function", line)
    if set(calls) != set(names):
        raise SystemExit("exported, or with kernel-doc, but not both: " +
                         " ".join(set(calls) ^ set(names)))
    os.makedirs(folder, exist_ok=True)
    for doc in calls.values():
        doc.check()
        with open(f"{folder}/{doc.name}.3", "w", encoding="utf-8") as file:
            file.write(page(doc, types, version))
    with open(f"{folder}/libmem.3", "w", encoding="utf-8") as file:
        file.write(overview(list(calls.values()), version))


if __name__ == "__main__":
    main()
