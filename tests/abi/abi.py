#!/usr/bin/env python3
"""Hold the library's binary interface to the list of it that is checked in.

abi.py BUILD [--write] [--cc CC] [--cflags FLAGS] [--readelf READELF] [--nm NM]: make the list anew, of the header and the
library in BUILD, and say where it differs from opcat-N.abi.txt beside this (N is the SONAME's number), and whether by the
rules of docs/abi.md that is an addition or a break. With --write, put it into the list; a break, only with --break as well.

Types are read out of the header's text, so that the list shows them as people write them; that the compiler takes them so is
asserted of each. Where numbers are not laid out as LP64 says, the list does not apply: status 77.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
OTHER_MODEL = 77
HEAD = """\
# The binary interface of libopcat: what programs that are built against it stand on. docs/abi.md says what may change.
# tests/abi/abi.py makes this list, of the built library and of the header as the compiler reads it, and holds them to it.
# Data model: LP64 (int of 4 bytes; long, size_t and pointers of 8). Offsets and sizes are in bytes.
"""

# Read only, allocated by the library, lent by pointer, and never in an array: what is appended to them moves nothing. A record
# inside another one is held by what follows it there.
GROWING_RECORDS = {"opcat_profile", "opcat_run", "opcat_model", "opcat_names", "opcat_resolution"}
# A caller passes over a value that it does not know, or never meets it.
GROWING_ENUMS = {"opcat_status", "opcat_trait"}
# The name of the header's guard, and what the header spells its own fields with.
PRIVATE_MACROS = re.compile(r"OPCAT_H$|OPCAT_C_TYPE_")
# Changes with each release, by which nothing breaks.
VERSION_MACRO = "OPCAT_VERSION"


class Tools:
    def __init__(self, arguments, folder):
        self.cc = [arguments.cc, *shlex.split(arguments.cflags), "-std=c11", "-I", str(arguments.build / "include")]
        self.readelf, self.nm, self.folder = arguments.readelf, arguments.nm, folder

    def run(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C"})
        if done.returncode:
            sys.exit(f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return done.stdout

    def write(self, text, header="#include <opcat.h>\n"):
        path = self.folder / "abi.c"
        path.write_text(header + text, encoding="utf-8")
        return path

    def is_lp64(self):
        # Without the header: one that is broken must not pass for another data model, nor must a compiler that is.
        model = "sizeof(int) == 4 && sizeof(long) == 8 && sizeof(void *) == 8"
        answers = [subprocess.run([*self.cc, "-fsyntax-only", self.write(f'_Static_assert({held}, "");\n', "")],
                                  capture_output=True).returncode for held in (model, f"!({model})")]
        if (answers[0] == 0) == (answers[1] == 0):
            sys.exit(f"{shlex.join(self.cc)} compiles nothing")
        return answers[0] == 0

    def refused(self, text):
        """What the compiler says against a text, or nothing."""
        done = subprocess.run([*self.cc, "-fsyntax-only", str(self.write(text))], capture_output=True, text=True)
        return done.stderr if done.returncode else ""

    def answers(self, expressions):
        """The values of expressions, each a whole number."""
        calls = "".join(f'    printf("%lld\\n", (long long)({e}));\n' for e in expressions)
        source = self.write(f"#include <stdio.h>\nint main(void)\n{{\n{calls}    return 0;\n}}\n")
        self.run(*self.cc, source, "-o", self.folder / "abi")
        return [int(line) for line in self.run(self.folder / "abi").split()]


# ---- The header's text -----------------------------------------------------------------------------------------------

def neat(text):
    """One way of spelling a type, whatever its blanks."""
    text = re.sub(r"\b_Bool\b", "bool", " ".join(text.split()))
    text = re.sub(r"\s*\*\s*", "*", text)
    return re.sub(r"(?<=\w)\*", " *", re.sub(r"\*(?=\w)", "* ", text)).replace("* const", "*const").strip()


def split(text, separator):
    """The parts between separators that stand in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "({[") - (letter in ")}]")
        if letter == separator and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def declared(text):
    """The type and the name of `const char *name` or `int64_t at[10]`."""
    match = re.fullmatch(r"(.*[\s*])(\w+)\s*((?:\[[^]]*\])*)", text, re.S)
    if not match or re.search("[(){:,]", text):
        sys.exit(f"abi.py does not read such a declaration; teach it: {text}")
    return neat(match[1]) + match[3], match[2]


def fields_of(body):
    for member in split(body, ";"):
        unnamed = re.fullmatch(r"(?:struct|union)\s*\{(.*)\}", member, re.S)
        if unnamed:
            yield from fields_of(unnamed[1])
        else:
            yield declared(member)


class Header:
    """What opcat.h declares, as its text spells it."""

    def __init__(self, tools):
        self.functions, self.function_types, self.opaque, self.enums, self.records = {}, {}, [], {}, {}
        for declaration in split(self.own_text(tools.run(*tools.cc, "-E", tools.write(""))), ";"):
            self.read(declaration)
        defined = tools.run(*tools.cc, "-E", "-dM", tools.write(""))
        self.macros = {name: text.strip() for name, text in re.findall(r"^#define (OPCAT_\w+)( .*|$)", defined, re.M)
                       if not PRIVATE_MACROS.match(name)}
        self.lists = {name: len(split(re.search(r"X\(([^()]*)\)", text)[1], ","))
                      for name, text in re.findall(r"^#define (OPCAT_\w+)\(X\) (.*)", defined, re.M)}
        self.version = self.macros.pop(VERSION_MACRO).strip('"')

    @staticmethod
    def own_text(text):
        """Without what other headers declare, and what the compiler may add to a declaration."""
        own, here = [], False
        for line in text.splitlines():
            marker = re.match(r'#\s*(?:line\s+)?\d+\s+"(.*)"', line)
            if marker:
                here = pathlib.Path(marker[1]).name == "opcat.h"
            elif here and not line.startswith("#"):
                own.append(line)
        return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", "\n".join(own))

    def read(self, text):
        enum = re.fullmatch(r"(?:typedef\s+)?enum\s+(\w+)\s*\{(.*)\}\s*\w*", text, re.S)
        record = re.fullmatch(r"typedef\s+(struct|union)\s+(\w+)\s*\{(.*)\}\s*(\w+)", text, re.S)
        opaque = re.fullmatch(r"typedef\s+struct\s+(\w+)\s+(\w+)", text)
        function = re.fullmatch(r"(typedef\s+)?([^(){}]*[\s*])(\w+)\s*\(([^(){}]*)\)", text, re.S)
        if enum:
            self.enums[enum[1]] = [part.split("=")[0].strip() for part in split(enum[2], ",")]
        elif record:
            self.records[record[4]] = (record[1], list(fields_of(record[3])))
        elif opaque:
            self.opaque.append(opaque[2])
        elif function:
            of = self.function_types if function[1] else self.functions
            parameters = split(function[4], ",")
            types = ["void"] if parameters in ([], ["void"]) else [declared(parameter)[0] for parameter in parameters]
            of[function[3]] = f"{neat(function[2])} ({', '.join(types)})"
        else:
            sys.exit(f"abi.py does not read such a declaration; teach it: {text}")


# ---- The list --------------------------------------------------------------------------------------------------------
# A dictionary of what the list states, each by a key: its sort, and the names that it is found by.

def exports_of(tools, library):
    exports, nodes = {}, set()
    for line in tools.run(tools.readelf, "-W", "--dyn-syms", library).splitlines():
        words = line.split()
        if len(words) < 8 or not words[0].rstrip(":").isdigit() or words[6] == "UND" or words[4] == "LOCAL":
            continue
        if words[6] == "ABS":
            nodes.add(words[7])
            continue
        name, at, node = words[7].partition("@@")
        if not at or words[3] != "FUNC" or name in exports:
            sys.exit(f"{library} exports {words[7]} ({words[3]}); each export is a function, of one version")
        exports[name] = node
    if set(exports.values()) - nodes:
        sys.exit(f"abi.py does not read {tools.readelf}'s answer")
    return exports


def make_list(tools, header, library):
    soname = re.search(r"\(SONAME\).*\[(.*)\]", tools.run(tools.readelf, "-W", "-d", library))
    made = {("soname", soname[1] if soname else "none"): ""}
    exports = exports_of(tools, library)
    for name in sorted(exports.keys() ^ header.functions.keys()):
        sys.exit(f"{name} is " + ("exported, and no function of opcat.h" if name in exports else
                                  "a function of opcat.h, and not exported: lib/opcat.map names what is"))
    for name in sorted(exports):
        made["export", name] = f"{exports[name]} {header.functions[name]}"
    for name in header.opaque:
        made["opaque", name] = ""
    for name, signature in header.function_types.items():
        made["function", name] = signature

    asked = {}
    for name, constants in header.enums.items():
        asked["enum", name] = [f"sizeof(enum {name})", f"_Alignof(enum {name})", f"(enum {name})-1 < 0"]
        for constant in constants:
            asked["constant", name, constant] = [constant]
    for name, (sort, fields) in header.records.items():
        asked[sort, name] = [f"sizeof({name})", f"_Alignof({name})"]
        for _, field in fields:
            asked["field", name, field] = [f"offsetof({name}, {field})", f"sizeof((({name} *)0)->{field})"]
    answers = iter(tools.answers([expression for expressions in asked.values() for expression in expressions]))
    types = {(name, field): type_ for name, (_, fields) in header.records.items() for type_, field in fields}
    for key, expressions in asked.items():
        values = [next(answers) for _ in expressions]
        if key[0] == "enum":
            made[key] = f"size {values[0]} align {values[1]} {'signed' if values[2] else 'unsigned'}"
        elif key[0] == "constant":
            made[key] = str(values[0])
        elif key[0] == "field":
            made[key] = f"offset {values[0]} size {values[1]} {types[key[1:]]}"
        else:
            made[key] = f"size {values[0]} align {values[1]}"
    for name, text in sorted(header.macros.items()):
        made["macro", name] = text
    for name, arguments in sorted(header.lists.items()):
        made["list", name] = f"X of {arguments}"
    return made


TITLES = {"soname": "What a program that is linked with it asks the system's loader for.",
          "export": "The functions: the version that brought each, its result, and its parameters.",
          "opaque": "Types that only the library knows.",
          "function": "Types of functions that callers make.",
          "enum": "Enumerations, and their constants.",
          "struct": "Records, and their fields.",
          "macro": "Macros.",
          "list": "Lists, for which callers make an X of so many arguments."}


def write_list(made):
    lines, last = [HEAD], None
    for key, text in made.items():
        title = TITLES[{"union": "struct", "field": "struct", "constant": "enum"}.get(key[0], key[0])]
        if title != last:
            lines.append(f"\n# {title}\n")
        last = title
        # What is part of something else stands below it.
        lines.append(f"{'    ' if len(key) == 3 else ''}{key[0]} {key[-1]}{': ' if text else ''}{text}\n")
    return "".join(lines)


def read_list(text):
    listed, above = {}, None
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        head, _, text = line.partition(": ")
        sort, name = head.split()
        if line.startswith(" "):
            listed[sort, above, name] = text
        else:
            above = name
            listed[sort, name] = text
    return listed


def assertion(key, text):
    """What the compiler must find to be so, for a line of the list; nothing for what it cannot tell."""
    sort, name = key[0], key[-1]
    if sort in ("export", "function"):
        signature = text.split(" ", 1)[1] if sort == "export" else text
        subject = f"&{name}" if sort == "export" else f"({name} *)0"
        held = f"_Generic({subject}, __typeof__({signature}) *: 1, default: 0)"
    elif sort == "opaque":
        held = f"sizeof({name} *) == sizeof(void *)"
    elif sort == "enum":
        size, align, sign = re.fullmatch(r"size (\d+) align (\d+) (\w+)", text).groups()
        type_ = f"enum {name}"
        held = f"sizeof({type_}) == {size} && _Alignof({type_}) == {align} && (({type_})-1 < 0) == {int(sign == 'signed')}"
    elif sort == "constant":
        held = f"{name} == {text}"
    elif sort in ("struct", "union"):
        size, align = re.fullmatch(r"size (\d+) align (\d+)", text).groups()
        held = f"sizeof({name}) == {size} && _Alignof({name}) == {align}"
    elif sort == "field":
        offset, size, type_ = re.fullmatch(r"offset (\d+) size (\d+) (.*)", text).groups()
        field = f"(({key[1]} *)0)->{name}"
        held = (f"offsetof({key[1]}, {name}) == {offset} && sizeof({field}) == {size} && "
                f"_Generic(&{field}, __typeof__({type_}) *: 1, default: 0)")
    elif sort == "macro" and re.fullmatch(r"0x[0-9a-fA-F]+u|\d+u?", text):
        held = f"({name}) == {text}"
    else:
        return ""
    return f'_Static_assert({held}, "{" ".join(key)}: {text}");\n'


# ---- What a difference is --------------------------------------------------------------------------------------------

def numbers(text):
    return [int(number) for number in re.findall(r"\b\d+\b", text)]


class Rules:
    """docs/abi.md's rules."""

    def __init__(self, listed, made, version, tools):
        self.listed, self.made, self.tools = listed, made, tools
        self.minor, _, self.patch = version.rpartition(".")

    def judge(self, key):
        """What a difference is, and why."""
        if key not in self.made:
            return "BREAK", "it is gone"
        return self.judge_change(key) if key in self.listed else self.judge_new(key)

    def judge_new(self, key):
        if self.patch != "0":
            return "BREAK", "a patch version adds nothing; a minor version does"
        if key[0] == "export" and self.made[key].split()[0] != f"OPCAT_{self.minor}":
            return "BREAK", f"what version {self.minor} brings is in the node OPCAT_{self.minor}"
        # What is part of something new is new with it.
        if len(key) == 3 and any(other[1] == key[1] for other in self.listed if len(other) == 2):
            growing = GROWING_RECORDS if key[0] == "field" else GROWING_ENUMS
            if key[1] not in growing or not self.is_appended(key):
                return "BREAK", f"{key[1]} cannot grow there"
        return "addition", "for a minor version"

    def is_appended(self, key):
        """Whether it lies behind all that the list has of the same record or enumeration."""
        place = numbers(self.made[key])[0]
        before = [numbers(text) for other, text in self.listed.items()
                  if other[:2] == key[:2] and not other[-1].endswith("_COUNT")]
        return all(place >= sum(there[:2]) if key[0] == "field" else place > there[0] for there in before)

    def judge_change(self, key):
        was, now = self.listed[key], self.made[key]
        if key[0] == "constant" and key[1] in GROWING_ENUMS and key[2].endswith("_COUNT") and int(now) > int(was):
            return "addition", "it counts what was added"
        # What lies behind a record that grew inside another one has moved, which is a break of its own.
        grown = {"struct": key[1], "field": was.split()[-1]}.get(key[0])
        size = re.compile(r"(?<=size )\d+")
        if (grown in GROWING_RECORDS and size.sub("", was) == size.sub("", now)
                and int(size.search(now)[0]) > int(size.search(was)[0])):
            return "addition", f"{grown} may grow"
        same_node = key[0] != "export" or was.split()[0] == now.split()[0]
        if same_node and assertion(key, was) and not self.tools.refused(assertion(key, was)):
            return "respelt", "the compiler takes both for the same"
        return "BREAK", "it is not what it was"


def compare(listed, made, version, tools):
    """Say what differs; whether anything does, and whether any of it breaks."""
    rules, words = Rules(listed, made, version, tools), set()
    for key in {**listed, **made}:
        if listed.get(key) == made.get(key):
            continue
        word, why = rules.judge(key)
        words.add(word)
        print(f"{word}: {' '.join(key)}: {why}")
        for side, text in (("listed", listed.get(key)), ("now", made.get(key))):
            if text:
                print(f"    {side + ':':8}{text}")
    return bool(words), "BREAK" in words


# ---- The libraries ---------------------------------------------------------------------------------------------------

def hold_static(tools, library):
    """A program that links the static library has its own names to itself."""
    names = [line.split()[0] for line in tools.run(tools.nm, "-g", "--defined-only", "-P", library).splitlines()
             if len(line.split()) >= 3]
    foreign = [name for name in names if not name.startswith("opcat_")]
    if foreign or "opcat_open" not in names:
        sys.exit(f"{library} defines names that are not opcat_...: {', '.join(foreign)}")
    print(f"{len(names)} names in the static library, all opcat_...")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--break", action="store_true", dest="may_break")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cflags", default="")
    parser.add_argument("--readelf", default="readelf")
    parser.add_argument("--nm", default="nm")
    arguments = parser.parse_args()
    found = {name: list(arguments.build.glob(f"lib*/**/libopcat.{name}")) for name in ("so", "a")}
    if any(len(paths) != 1 for paths in found.values()):
        sys.exit(f"{arguments.build} has no libopcat.so and libopcat.a, or several")

    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(arguments, pathlib.Path(folder))
        if not tools.is_lp64():
            print("the list is for LP64")
            return OTHER_MODEL
        hold_static(tools, found["a"][0])
        header = Header(tools)
        made = make_list(tools, header, found["so"][0])
        soname = next(iter(made))[1]
        path = HERE / f"opcat-{soname.rpartition('.')[2]}.abi.txt"
        listed = read_list(path.read_text(encoding="utf-8")) if path.exists() else {}
        if listed:
            differs, breaks = compare(listed, made, header.version, tools)
        else:
            differs, breaks = True, False
            print(f"{soname} has no list yet")
        asserted = "".join(assertion(key, text) for key, text in made.items())
        refused = tools.refused(asserted)
        if refused:
            sys.exit(f"the compiler reads the header otherwise than abi.py does:\n{refused}")

    if not differs:
        held = asserted.count("\n")
        print(f"{len(listed)} lines of {path.name} hold, {held} of them by the compiler")
        return 0
    if arguments.write and (arguments.may_break or not breaks):
        path.write_text(write_list(made), encoding="utf-8")
        return 0
    print(f"\nThe library is not what {path.name} says. docs/abi.md says what may change in which version.")
    if breaks:
        print("A break needs another SOVERSION, and then a list of its own. Where no release has what is broken:")
    else:
        print("Where it is meant:")
    again = [word for word in sys.argv if word not in ("--write", "--break")]
    print(f"    {shlex.join([sys.executable, *again])} --write{' --break' if breaks else ''}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
