"""Hold the manual pages to what they describe, both ways, and run their examples.

man.py SOURCE BUILD CMAKE [MANDOC]: the pages are those that the build made of man/*.scd; status 77 where it made none. Without
mandoc it is not looked whether they can be shown.
"""
import contextlib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

import session

SOURCE, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
CMAKE, MANDOC = sys.argv[3], sys.argv[4:]
MAN, OPCAT, CATALOG = BUILD / "share/man", BUILD / "bin/opcat", BUILD / "share/opcat/op_profiles.db"
SKIPPED = 77
WHEN = "1764547200"  # 2025-12-01, the time of the imports that the pages show

wrong = []


def hold(page, what, stated, true):
    """Note where a page states other things than are true, in both directions: names, or what each name stands for."""
    if not true:
        wrong.append(f"{page}: nothing was found to hold its {what} against")
    stated, true = (set(things.items() if isinstance(things, dict) else things) for things in (stated, true))
    for thing in sorted(stated - true):
        wrong.append(f"{page}: of the {what} it states what is not so: {thing}")
    for thing in sorted(true - stated):
        wrong.append(f"{page}: of the {what} it leaves out: {thing}")


# ---- A page's source -------------------------------------------------------------------------------------------------

def plain(text):
    """Text without scdoc's marks for bold and underlined; a _ between letters is none."""
    text = re.sub(r"\\(.)|\*|(?<![^\W_])_|_(?![^\W_])", lambda m: m[1] or "", text)
    return " ".join(text.split())


class Page:
    """A page's sections, by their headings: the text outside its blocks, and the blocks."""

    def __init__(self, path):
        self.name = path.stem
        self.text, self.blocks = {}, {}
        self.head, *parts = re.split(r"^#+ (.*)\n", path.read_text(encoding="utf-8"), flags=re.M)
        for heading, body in zip(parts[0::2], parts[1::2]):
            self.blocks[heading] = re.findall(r"^```\n(.*?)^```$", body, re.S | re.M)
            self.text[heading] = re.sub(r"^```\n.*?^```$", "", body, flags=re.S | re.M).strip("\n")

    def plain(self, heading):
        return plain(self.text[heading])

    def terms(self, heading):
        """What a section explains: {term: explanation}, both plain."""
        return {plain(term): plain(meaning)
                for term, meaning in re.findall(r"^((?:[^\t\n].*\n)+)\t((?:.*\n?)(?:\t.*\n?)*)", self.text[heading], re.M)}

    def steps(self):
        return session.read_steps(block for blocks in self.blocks.values() for block in blocks if block.startswith("$ "))


def same_opening(statement, opening):
    return statement.lower().startswith(opening.lower())


# ---- The command -----------------------------------------------------------------------------------------------------

def usage(*command):
    return subprocess.run([OPCAT, *command, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout


def section_of(text, heading):
    found = re.search(rf"^{heading}.*?:\n(.*?)\n\n", text, re.M | re.S)
    return found[1] if found else ""


def hold_command(page, text):
    """The synopsis, options and exit statuses of a page against what --help says."""
    synopsis = re.search(r"usage: (.*?)\n\n", text, re.S)[1]
    hold(page.name, "synopsis", [page.plain("SYNOPSIS")], [" ".join(synopsis.split())])
    options = re.findall(r"^  (--[a-z-]+(?: [A-Z_]+)?)(?:  |$)", section_of(text, "Options"), re.M)
    hold(page.name, "options", page.terms("OPTIONS").keys(), options)

    statuses = dict(re.findall(r"(\d) ([^;.]*)", " ".join(re.search(r"^Exit status(.*?)\.$", text, re.M | re.S)[1].split())))
    stated = page.terms("EXIT STATUS")
    hold(page.name, "exit statuses", stated.keys(), statuses.keys())
    for status in statuses.keys() & stated.keys():
        if not same_opening(stated[status], statuses[status]):
            wrong.append(f"{page.name}: status {status} should open with: {statuses[status]}")


def hold_commands(pages):
    text = usage()
    summaries = dict(re.findall(r"^  (\w+) +(.*)$", section_of(text, "Commands"), re.M))
    hold("man1", "pages", [name for name in pages if name.endswith(".1")],
         ["opcat.1", *(f"opcat-{command}.1" for command in summaries)])
    hold_command(pages["opcat.1"], text)
    stated = pages["opcat.1"].terms("COMMANDS")
    hold("opcat.1", "commands", stated.keys(), summaries.keys())
    for command, summary in summaries.items():
        if not same_opening(stated.get(command, ""), f"{summary}: opcat-{command}(1)"):
            wrong.append(f"opcat.1: the summary of {command} should be: {summary}: opcat-{command}(1).")
        if f"opcat-{command}.1" in pages:
            hold_command(pages[f"opcat-{command}.1"], usage(command))
    variables = set()
    for file in [*SOURCE.glob("cli/*.c"), *SOURCE.glob("import/*.c"), *SOURCE.glob("lib/*.c")]:
        variables |= set(re.findall(r'getenv\("(\w+)"\)', file.read_text(encoding="utf-8")))
    hold("opcat.1", "variables", pages["opcat.1"].terms("ENVIRONMENT").keys(), variables - {"TERM"})


# ---- The library -----------------------------------------------------------------------------------------------------

def functions_of(text):
    """The functions and types of functions that C text declares, each spelt in one way."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.M)
    return {" ".join(found[0].split()) for found in re.findall(r"^(((?:typedef )?(?:const )?\w+ \*?\w+)\([^;{]*\);)", text, re.M)}


def list_of(header, name):
    return re.search(rf"#define {name}\(X\)((?:.*\\\n)*.*)", header)[1]


def hold_library(page, vocabulary):
    header = (SOURCE / "lib/opcat.h").read_text(encoding="utf-8")
    functions = functions_of(header)
    hold(page.name, "synopsis", functions_of("".join(page.blocks["SYNOPSIS"])), functions)
    names = {re.search(r"(\w+)\(", function)[1] for function in functions}
    hold("man3", "pages that lead to opcat.3", {path.stem for path in MAN.glob("man3/*") if
                                               path.read_text(encoding="utf-8") == ".so man3/opcat.3\n"}, names)
    described = set()
    for heading in ["THE CATALOG", "PROFILES", "NAMES", "OP COUNTS", "THE LIBRARY"]:
        described |= set(re.findall(r"(opcat_\w+)\(\)", page.plain(heading)))
    hold(page.name, "calls described", described, {name for name in names if not name.endswith("_fn")})

    statuses = re.findall(r'X\((\w+), "(.*?)"\)', list_of(header, "OPCAT_STATUSES"))
    hold(page.name, "statuses", page.terms("RETURN VALUE"), {f"OPCAT_{name}": text for name, text in statuses})
    flags = re.findall(r"#define (OPCAT_OPEN_\w+)", header)
    hold(page.name, "flags", [name for name in page.terms("THE CATALOG") if name.startswith("OPCAT_")], flags)
    traits = re.findall(r"^    (OPCAT_TRAIT_\w+), +/\* (.*?) \*/", header, re.M)
    hold(page.name, "traits", {name: text for name, text in page.terms("NAMES").items() if name.startswith("OPCAT_")},
         dict(traits))
    hold(page.name, "traits", {name[len("OPCAT_TRAIT_"):].lower() for name, _ in traits},
         {word[1] for word in vocabulary if word[0] == "trait"})

    records = {}
    for body, name in re.findall(r"^typedef (?:struct|union) \w+ \{\n(.*?)^\} (\w+);", header, re.S | re.M):
        fields = re.sub(r"/\*.*?\*/|#.*|struct \{|\};", "", body)
        records[name] = re.findall(r"(\w+)(?:\[.*\])?;", fields)
    stated = page.terms("RECORDS")
    hold(page.name, "records", stated.keys(), records.keys())
    for name in stated.keys() & records.keys():
        for field in records[name]:
            if field != "name" and not re.search(rf"\b{field}\b", stated[name]):
                wrong.append(f"{page.name}: {name} is explained without its field {field}")


# ---- The files -------------------------------------------------------------------------------------------------------

def hold_profile(page, vocabulary):
    hold(page.name, "ops", page.terms("OPS"), {name: text for section, name, _, _, text in vocabulary if section == "op"})
    fields = {}
    for section, name, kind, default, text in vocabulary:
        if section == "run":
            fields[f"{name} ({kind}, {['false', 'true'][default] if kind == 'flag' else default})"] = text
    hold(page.name, "run fields", page.terms("RUN FIELDS"), fields)
    for section, heading in [("trait", "THE NAMING RULES"), ("model", "MODEL FACTS")]:
        words = {name: text for part, name, _, _, text in vocabulary if part == section}
        stated = {name: text for name, text in page.terms(heading).items() if name not in ("prefixes", "traits")}
        hold(page.name, section, stated.keys(), words.keys())
        for name in stated.keys() & words.keys():
            if not stated[name].startswith(words[name]):
                wrong.append(f"{page.name}: {name} should be: {words[name]}")
    for section in ["attention", "ffn"]:
        for part, name, *_ in vocabulary:
            if part == section and not re.search(rf"\b{name}\b", page.terms("THE PROFILE")[section]):
                wrong.append(f"{page.name}: {section} does not name {name}")


def hold_catalog(page, catalog):
    views = {}
    for (view,) in catalog.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        views[view] = [column[1] for column in catalog.execute(f'PRAGMA table_info("{view}")')]
    hold(page.name, "views", [heading for heading in page.text if heading.islower()], views.keys())
    for view in views.keys() & page.text.keys():
        stated = [column for columns in page.terms(view) for column in columns.split(", ")]
        if stated != views[view]:
            wrong.append(f"{page.name}: the columns of {view} are {', '.join(views[view])}")


# ---- All pages -------------------------------------------------------------------------------------------------------

def hold_form(pages):
    """The pages can be shown, and lead to pages that there are."""
    for name, page in pages.items():
        if MANDOC:
            done = subprocess.run([*MANDOC, "-T", "lint", "-W", "error", MAN / f"man{name[-1]}" / name], text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode or done.stdout:
                wrong.append(f"{name}: {done.stdout}")
        for other, section in re.findall(r"\b(opcat[a-z-]*)\((\d)\)", plain("\n".join(page.text.values()))):
            if f"{other}.{section}" not in pages:
                wrong.append(f"{name}: there is no {other}({section})")
        if not re.search(rf"{re.escape(name[:-2])}\({name[-1]}\) \"opcat [0-9.]+\"", page.head):
            wrong.append(f"{name}: its first line does not give its name and the version")


def write_files(steps, folder):
    """The files that `cat FILE` shows are made where there are none; the steps that are left."""
    for command, shown in steps:
        found = re.fullmatch(r"cat (\S+)", command)
        if found and not (folder / found[1]).exists():
            (folder / found[1]).write_text("\n".join(shown) + "\n", encoding="utf-8")
    return steps


def run_examples(pages):
    """Each page's in a folder with the project's op_profiles/."""
    count = 0
    for page in pages.values():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run(["cp", "-R", SOURCE / "op_profiles", folder], check=True)
            steps = write_files(page.steps(), folder)
            installed = folder / ".installed"
            if any("pkg-config" in command for command, _ in steps):
                subprocess.run([CMAKE, "--install", BUILD, "--prefix", installed], check=True, stdout=subprocess.DEVNULL)
            # As on a machine where opcat is installed; the build's library folder has the name that the installed one has.
            libraries = [next(BUILD.glob("**/sqlite3/opcat.so")).parent, *installed.glob("**/libopcat.so.0")]
            folders = [str(path if path.is_dir() else path.parent) for path in libraries]
            failure = session.walk(
                steps, folder, SOURCE_DATE_EPOCH=WHEN, PATH=f"{BUILD / 'bin'}:{os.environ['PATH']}",
                LD_LIBRARY_PATH=":".join(folders),
                PKG_CONFIG_PATH=":".join(str(path.parent) for path in installed.glob("**/opcat.pc")))
            count += len(steps)
            if not steps and not page.name.endswith(".3"):
                wrong.append(f"{page.name}: it has no example")
            if failure:
                wrong.append(f"{page.name}: {failure}")
    return count


def main():
    sources = sorted((BUILD / "man").glob("*.scd"))
    if not sources:
        print("no manual pages were built")
        return SKIPPED
    pages = {path.stem: Page(path) for path in sources}
    with contextlib.closing(sqlite3.connect(f"{CATALOG.as_uri()}?mode=ro", uri=True)) as catalog:
        vocabulary = catalog.execute("SELECT section, name, type, default_value, meaning FROM vocabulary").fetchall()
        hold_form(pages)
        hold_commands(pages)
        hold_library(pages["opcat.3"], vocabulary)
        hold_profile(pages["opcat-profile.5"], vocabulary)
        hold_catalog(pages["opcat-catalog.5"], catalog)
    count = run_examples(pages)
    print("\n".join(wrong) or f"{len(pages)} pages held, {count} commands run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
