# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tokens of a preprocessed source, each with its place in the user's file.

The preprocessor keeps lines, but not columns: it expands macros and joins
white space. The place of a token is found by a comparison with the file, and
the Writer puts each token at its place, whatever was inserted before it: so
the compiler reports the lines and columns of the user's file.
"""

import difflib
import re

# Keywords that the translation must see; macros would remove them.
WORDS = ("__host__", "__device__", "__global__", "__shared__", "__constant__",
         "__managed__")

MARKER = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)[^\n]*$', re.M)
WANTED = re.compile("|".join(WORDS) + "|<<<")
WORD = r"""
    | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"
        | (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"
        | (?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])*)
    | (?P<name>[A-Za-z_$][\w$]*)
    | (?P<other>::|->|\.\.\.|.)
    """
TOKEN = re.compile(r"(?P<space>\s+|^\#[^\n]*$)" + WORD, re.M | re.S | re.X)
# In a file that is not preprocessed: also comments and directives
RAW_TOKEN = re.compile(
    r"(?P<space>^[ \t]*\#(?:\\\r?\n|[^\n])*|\s|\\\r?\n|//[^\n]*|/\*.*?\*/)" +
    WORD, re.M | re.S | re.X)


class Token:
    """A token of the source; its line and column are those of the file."""

    __slots__ = ("kind", "text", "start", "end", "file", "flags", "line",
                 "column")

    def __init__(self, match, kind):
        self.kind = kind
        self.text = match[0]
        self.start = match.start()
        self.end = match.end()


def width(text):
    """Returns the number of bytes, in which compilers count columns."""
    return len(text) if text.isascii() else len(
        text.encode("utf-8", "surrogateescape"))


def scan(pattern, text, start, end):
    """Returns the tokens of a part of a text."""
    for match in pattern.finditer(text, start, end):
        kind = match.lastgroup
        if kind != "space":
            yield Token(match, "string" if kind == "mark" else kind)


def number_lines(text, tokens, line, offset):
    """Sets the lines and columns of tokens; the line begins at the offset."""
    at = offset
    for token in tokens:
        count = text.count("\n", at, token.start)
        if count:
            line += count
            offset = text.rindex("\n", at, token.start) + 1
        at = token.start
        token.line, token.column = line, width(text[offset:at])


def chunks(text):
    """Splits at line markers: (start, end, marker, is from a system header).

    The expansion of a system header's macro in the middle of another file's
    line is marked as the header's, but counts as that file's.
    """
    own = {match[2] for match in MARKER.finditer(text)
           if "3" not in match[3].split()}
    marker = None
    for match in MARKER.finditer(text):
        if marker:
            yield (marker.start(), match.start(), marker,
                   "3" in marker[3].split() and marker[2] not in own)
        marker = match
    if marker:
        yield (marker.start(), len(text), marker,
               "3" in marker[3].split() and marker[2] not in own)


def tokens_of(text):
    """Tokens, except of parts of system headers without CUDA's keywords."""
    found = []
    for start, end, marker, is_system in chunks(text):
        if is_system and not WANTED.search(text, start, end):
            continue
        part = list(scan(TOKEN, text, start, end))
        number_lines(text, part, int(marker[1]), marker.end() + 1)
        flags = "".join(" " + f for f in marker[3].split() if f > "2")
        for token in part:
            token.file, token.flags = marker[2], flags
        found += part
    find_places(found)
    return found


def path_of(file):
    """Returns the path that a line marker quotes."""
    return re.sub(r"\\(.)", r"\1", file)


def lines_of(file):
    """Returns the tokens of each line of a file that is not preprocessed."""
    lines = {}
    try:
        with open(path_of(file), encoding="utf-8", errors="surrogateescape",
                  newline="") as f:
            text = f.read()
    except OSError:
        return lines
    tokens = list(scan(RAW_TOKEN, text, 0, len(text)))
    number_lines(text, tokens, 1, 0)
    for token in tokens:
        lines.setdefault(token.line, []).append(token)
    return lines


def find_places(tokens):
    """Replaces places in the preprocessed source by those in the files."""
    files, first = {}, 0
    while first < len(tokens):
        file, line, end = tokens[first].file, tokens[first].line, first
        while (end < len(tokens) and tokens[end].line == line and
               tokens[end].file == file):
            end += 1
        if file not in files:
            files[file] = lines_of(file)
        align(tokens[first:end], files[file], line)
        first = end


def align(tokens, lines, line):
    """Sets the places of the tokens of one line.

    Tokens of a macro's expansion are at the macro's name, except those of its
    arguments. All arguments are on the line on which the macro begins.
    """
    there = lines.get(line, [])
    mine = [token.text for token in tokens]
    if mine != [token.text for token in there]:
        there, last = list(there), line
        while sum((t.text == "(") - (t.text == ")") for t in there) > 0 and (
                last - line < 100):
            last += 1
            there += lines.get(last, [])
    if not there:
        return
    macro = None
    matcher = difflib.SequenceMatcher(None, [t.text for t in there], mine,
                                      False)
    for tag, first, end, start, stop in matcher.get_opcodes():
        if tag != "equal" and first < end:
            macro = there[first]
        for i in range(start, stop):
            at = (there[first + i - start] if tag == "equal" else
                  macro or there[max(first - 1, 0)])
            tokens[i].line, tokens[i].column = at.line, at.column


def describe(token, text):
    """Returns an error message as g++ prints it."""
    place, quote = f"{token.line}", ""
    try:
        with open(path_of(token.file), "rb") as f:
            line = f.read().split(b"\n")[token.line - 1]
        before = line[:token.column].decode(errors="replace").expandtabs()
        line = line.decode(errors="replace").rstrip().expandtabs()
        place += f":{len(before) + 1}"
        quote = (f"\n{token.line:5} | {line}\n      | {'':{len(before)}}^" +
                 "~" * (len(token.text) - 1))
    except (OSError, IndexError):
        pass
    return f"{path_of(token.file)}:{place}: error: {text}{quote}"


def is_glued(token, after):
    """True if white space between two tokens would change their meaning."""
    return token.end == after.start and (
        (token.kind == "other") == (after.kind == "other"))


class Writer:
    """Writes a translated source, with each token at its place."""

    def __init__(self, text, tokens):
        self.text = text
        self.tokens = tokens
        self.parts = []
        self.at = 0             # everything before it is written or dropped
        self.last = None        # index of the token that was written last
        self.where = ("", "", 1)    # file, flags and line of the output
        self.column = 0

    def put(self, new):
        """Writes text at the end of the output."""
        if not new:
            return
        self.parts.append(new)
        count = new.count("\n")
        if count:
            file, flags, line = self.where
            self.where = (file, flags, line + count)
            self.column = 0
            new = new[new.rindex("\n") + 1:]
        self.column += width(new)

    def go(self, token):
        """Continues at the place of a token."""
        place = (token.file, token.flags, token.line)
        is_apart = (token.column > self.column or not self.column or
                    self.parts[-1].endswith((")", " ")) or
                    self.last is not None and
                    self.tokens[self.last].end == token.start)
        if place != self.where or token.column < self.column or not is_apart:
            self.parts.append(f'\n# {token.line} "{token.file}"{token.flags}'
                              "\n")
            self.where, self.column = place, 0
        self.put(" " * (token.column - self.column))

    def write(self, item):
        """Writes text, a token (by its index), or (token, text): text in the
        place of a token.
        """
        if isinstance(item, str):
            self.put(item)
            self.last = None
            return
        i, new = item if isinstance(item, tuple) else (item, None)
        if self.last is None or self.last != i - 1 or not is_glued(
                self.tokens[i - 1], self.tokens[i]):
            self.go(self.tokens[i])
        self.put(self.tokens[i].text if new is None else new)
        self.last = i if new is None else None

    def skip_to(self, offset):
        """Writes the lines before an offset at which a token follows."""
        end = self.text.rfind("\n", self.at, offset) + 1
        if end > self.at:
            marker = None
            for marker in MARKER.finditer(self.text, self.at, end):
                pass
            self.put(self.text[self.at:end])
            if marker:
                self.where = (
                    marker[2],
                    "".join(" " + f for f in marker[3].split() if f > "2"),
                    int(marker[1]) +
                    self.text.count("\n", marker.end() + 1, end))
        self.at = offset

    def keep(self, i):
        """Writes a token unchanged."""
        self.skip_to(self.tokens[i].start)
        self.write(i)
        self.at = self.tokens[i].end

    def finish(self):
        """Returns the output."""
        return "".join(self.parts) + self.text[self.at:]


def rewrite(text, tokens, edits):
    """Applies edits: (start, end, items for Writer.write())."""
    writer, i = Writer(text, tokens), 0
    # At the same offset, insertions come before replacements.
    for start, end, items in sorted(edits, key=lambda edit: edit[:2]):
        if start < writer.at:
            continue
        while i < len(tokens) and tokens[i].start < start:
            writer.keep(i)
            i += 1
        writer.skip_to(start)
        for item in items:
            writer.write(item)
        writer.at = end
        while i < len(tokens) and tokens[i].start < end:
            i += 1
    while i < len(tokens):
        writer.keep(i)
        i += 1
    return writer.finish()
