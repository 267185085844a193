"""Press TAB in a real shell, and hold what is offered.

completion.py SHELL SOURCE OPCAT SHARE: SHELL is bash, bash-completion (bash with that package) or zsh; SHARE is the
folder that the completions are installed below. A shell that is missing, or a machine without terminals, is status 77.
"""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import time

SHELL, SOURCE, OPCAT, SHARE = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])
PACKAGE = pathlib.Path("/usr/share/bash-completion/bash_completion")
MISSING = 77
NINE = {"deepseek", "default", "llama2", "mixtral", "pangualpha", "qwen", "qwen3_5", "t5", "vision"}


# ---- The shells ------------------------------------------------------------------------------------------------------

class Answer:
    def __init__(self, line, listed, raw):
        self.line = line        # as it stands after the keys
        self.listed = listed    # what is offered below it, with the description beside it
        self.raw = raw


class Shell:
    """A shell on a terminal of its own. ^T reports the line: what it prints tells that the keys before it are done."""
    PROMPT = "@@ "

    def __init__(self, folder):
        try:
            self.pid, self.terminal = pty.fork()
        except OSError as error:
            print(f"skipped: no terminal can be made here: {error}")
            sys.exit(MISSING)
        if self.pid == 0:
            os.chdir(folder / "work")
            environment = {"HOME": str(folder), "PATH": f"{pathlib.Path(OPCAT).parent}:/usr/bin:/bin",
                           "TERM": "xterm", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null",
                           "XDG_DATA_DIRS": f"{SHARE}:/usr/share"}
            os.execvpe(self.COMMAND[0], self.COMMAND, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 400, 200, 0, 0))
        for line in self.SETUP.strip().splitlines():
            self.run(line)

    def read_until(self, end):
        read, deadline = b"", time.monotonic() + 60
        while not (found := re.search(end, read.replace(b"\0", b""), re.S)):
            if not select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                sys.exit(f"{SHELL} does not answer; last: {read[-500:]!r}")
            read += os.read(self.terminal, 65536)
        return found

    def run(self, command):
        os.write(self.terminal, f"\x05\x15{command}; echo 'do''ne'\n".encode())
        self.read_until(rb"[\r\n]done\r\n")

    def press(self, line, keys="\t"):
        os.write(self.terminal, b"\x05\x15\x14")
        self.read_until(rb"\[\[\]\]\r\n")
        os.write(self.terminal, line.encode() + keys.encode() + b"\x14")
        found = self.read_until(rb"(.*)\[\[([^\n]*)\]\]\r\n")
        raw = found[1].decode(errors="replace")
        return Answer(found[2].decode(), self.listed(raw), raw)

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Bash(Shell):
    COMMAND = ["bash", "--norc", "--noprofile", "-i"]
    SETUP = r"""
PS1='@@ '
bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'; bind 'set completion-display-width 0'
bind 'set completion-query-items 0'; bind 'set page-completions off'; bind 'set bell-style none'
report() { echo "[""[$READLINE_LINE]]"; }; bind -x '"\C-t": report'
"""
    # With the package, the completion is loaded by its name; without, in a shell that minds what is unset.
    if SHELL == "bash-completion":
        SETUP += f"source {PACKAGE}\n"
    else:
        SETUP += f"set -u; source '{SHARE}/bash-completion/completions/opcat'\n"

    def listed(self, raw):
        lines = raw.split("\r\n")
        if lines[0] == self.PROMPT:
            lines = lines[1:]
        return {line: "" for line in lines[1:] if not line.startswith(self.PROMPT)}


class Zsh(Shell):
    COMMAND = ["zsh", "-f", "-i"]
    SETUP = rf"""
PS1='@@ '; bindkey -e; LISTMAX=10000000; setopt nobeep nolistambiguous noalwayslastprompt
fpath=({SHARE}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; zmodload zsh/complist
zstyle ':completion:*' list-grouped false
""" + r"""zstyle ':completion:*:default' list-colors 'lc=<' 'rc=|' 'ec=>\n' 'no=' 'fi=' 'di=' 'ex='
report() { print -r -- "[""[$BUFFER]]" }; zle -N report; bindkey '^T' report
"""

    def listed(self, raw):
        entries = re.findall(r"<\|(.*?)>\r\n", raw, re.S)
        parts = [entry.partition(" -- ") for entry in entries]
        return {name.rstrip().replace("\\", ""): description.rstrip() for name, _, description in parts}


# ---- What is asked about ---------------------------------------------------------------------------------------------

def run_opcat(*arguments):
    return subprocess.run([OPCAT, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def make_catalog(path, **families):
    """Families under other names: one import for each."""
    path.parent.mkdir(exist_ok=True)
    for name, source in families.items():
        profile = path.parent / f"{name}.yaml"
        shutil.copy(SOURCE / f"op_profiles/{source}.yaml", profile)
        run_opcat("--catalog", path, "import", profile)
        profile.unlink()
    return path


HOSTILE_NAMES = {"evil1": "$(touch PWNED)", "evil2": "`touch PWNED`", "evil3": "x;touch PWNED", "evil4": "two words",
                 "evil5": "--json", "evil6": "a\nb", "evil7": "x  y", "evil8": "a:b", "evil9": "\x1b]0;PWNED\x07"}
HOSTILE_KIND = "a:b\\c'd\"e`touch PWNED`$(touch PWNED)%F{red}%d\x1b]0;PWNED\x07"


def make_hostile(path):
    make_catalog(path, honest="t5", odd="qwen", **{name: "qwen" for name in HOSTILE_NAMES})
    with contextlib.closing(sqlite3.connect(path)) as catalog:
        catalog.execute("PRAGMA ignore_check_constraints = ON")
        for name, hostile in HOSTILE_NAMES.items():
            for table in ("profile", "kind", "change"):
                catalog.execute(f"UPDATE {table} SET arch = ? WHERE arch = ?", (hostile, name))
        catalog.execute("UPDATE kind SET name = ? WHERE arch = 'odd'", (HOSTILE_KIND,))
        catalog.execute("UPDATE profile SET default_kind = ? WHERE arch = 'odd'", (HOSTILE_KIND,))
        catalog.execute("UPDATE import SET importer = '$(touch PWNED)' || char(10) || 'import $(touch${IFS}PWNED) x'")
        catalog.commit()


def make_world(folder):
    work = folder / "work"
    (work / "sub folder").mkdir(parents=True)
    for name in ("one.yaml", "two.yaml", "notes.txt", "it's.yaml"):
        (work / name).touch()
    make_catalog(folder / "catalogs/plain.db", alpha="t5", alpine="qwen", beta="deepseek")
    make_catalog(folder / "my catalogs/o'ne $x.db", gamma="qwen", gamut="qwen")
    make_catalog(folder / "catalogs/co:l@n.db", gamma="qwen", gamut="qwen")
    (folder / "my catalogs/o'ther.db").touch()
    (folder / "other").mkdir()
    (folder / "other/co:lon.db").touch()
    (folder / "other/opcat").write_text(f"#!/bin/sh\nexec '{OPCAT}' --catalog ../catalogs/plain.db \"$@\"\n")
    (folder / "other/opcat").chmod(0o755)
    make_hostile(folder / "catalogs/hostile.db")
    (folder / "catalogs/damaged.db").write_text("no catalog")


def help_of(*command):
    """The options that a command's --help names: in its usage, behind its name, and in its list."""
    text = run_opcat(*command, "--help")
    usage = text.splitlines()[0].partition(f" {command[0]} " if command else ": ")[2]
    options = re.search(r"^Options:\n((?:  .*\n)+)", text, re.M)[1]
    return set(re.findall(r"--[a-z-]+", usage)) | set(re.findall(r"^  (--[a-z-]+)", options, re.M))


def commands():
    """The commands, with what each is for."""
    text = re.search(r"^Commands:\n((?:  .*\n)+)", run_opcat("--help"), re.M)[1]
    return dict(re.findall(r"^  ([a-z]+) +(.*)$", text, re.M))


# ---- What is held ----------------------------------------------------------------------------------------------------

def offers(shell, line, *expected, keys="\t"):
    answer = shell.press(line, keys)
    listed = set(answer.listed)
    if listed != set(expected):
        raise AssertionError(f"{line!r} offers {sorted(listed)} and becomes {answer.line!r}; "
                             f"expected {sorted(expected)}")
    return answer


def completes(shell, line, expected, keys="\t"):
    answer = shell.press(line, keys)
    if answer.line != expected:
        raise AssertionError(f"{line!r} becomes {answer.line!r}, offering {sorted(answer.listed)}; "
                             f"expected {expected!r}")


def offers_nothing(shell, line):
    """Nor is anything said."""
    answer = offers(shell, line)
    if answer.line != line or "opcat:" in answer.raw or "error" in answer.raw:
        raise AssertionError(f"{line!r} becomes {answer.line!r}, and says {answer.raw!r}")


def commands_and_options_are_those_of_the_help(shell):
    described = offers(shell, "opcat ", *commands()).listed
    if SHELL == "zsh" and described != commands():
        raise AssertionError(f"commands are described as {described}")
    offers(shell, "opcat help ", *commands())
    offers(shell, "opcat --", *help_of())
    offers(shell, "opcat --catalog x --", *help_of())
    for command in sorted(commands()):
        offers(shell, f"opcat {command} --", *help_of(command))
        offers(shell, f"opcat --catalog=x {command} --", *help_of(command))
    completes(shell, "opcat imp", "opcat import ")
    completes(shell, "opcat import --dr", "opcat import --dry-run ")
    completes(shell, "opcat export /tmp --fo", "opcat export /tmp --force ")
    offers_nothing(shell, "opcat unknown ")
    offers_nothing(shell, "opcat unknown --")


def families_are_the_catalogs(shell):
    for command in ("show", "resolve", "log", "show --json", "resolve --ops - --json", "show --at 1", "log --",
                    "show --at=1"):
        offers(shell, f"opcat --catalog ../catalogs/plain.db {command} ", "alpha", "alpine", "beta")
    offers(shell, "opcat show ", *NINE)
    shell.run("export OPCAT_CATALOG=../catalogs/plain.db")
    offers(shell, "opcat show al", "alpha", "alpine")
    completes(shell, "opcat show al", "opcat show alp")
    completes(shell, "opcat resolve be", "opcat resolve beta ")
    shell.run("unset OPCAT_CATALOG")
    # One family at most, and no option after --.
    for command in ("show", "resolve", "log"):
        offers(shell, f"opcat {command} t5 --", *help_of(command))
        offers_nothing(shell, f"opcat {command} t5 q")
        offers_nothing(shell, f"opcat {command} -- --")
    for command in ("list", "info", "check", "infer", "unknown", "import", "export"):
        completes(shell, f"opcat {command} qwen3", f"opcat {command} qwen3")


def the_catalog_is_the_one_that_the_line_names(shell):
    path = "~/my\\ catalogs/o\\'ne\\ \\$x.db"
    for catalog in (f"--catalog {path}", "--catalog ../'my catalogs'/o\\'ne\\ \\$x.db",
                    '--catalog "../my catalogs/o\'ne \\$x.db"', "--catalog=../'my catalogs'/o\\'ne\\ \\$x.db",
                    '--catalog="$HOME/my catalogs/o\'ne \\$x.db"', "--catalog ~/'my catalogs/o'\\''ne $x.db'",
                    "--catalog ${HOME}/my\\ catalogs/o\\'ne\\ \\$x.db", "--catalog ../catalogs/co:l@n.db",
                    f"--catalog ../catalogs/plain.db --catalog {path}", f"--catalog=x --catalog {path}"):
        offers(shell, f"opcat {catalog} show ", "gamma", "gamut")
        offers(shell, f"opcat show {catalog} ", "gamma", "gamut")
        # After the cursor: back to before it.
        offers(shell, f"opcat show  {catalog}", "gamma", "gamut", keys="\x01" + "\x06" * len("opcat show ") + "\t")
    # The shell hands a ~ after a = on as it is, and so does the completion.
    offers_nothing(shell, "opcat --catalog=~/catalogs/plain.db show ")
    # Another file of the command, by its path, is what is asked.
    offers(shell, "../other/opcat show ", "alpha", "alpine", "beta")
    # A name that is no program stands for the one in the path.
    shell.run("compdef _opcat oc" if SHELL == "zsh" else "complete -F _opcat oc")
    offers(shell, "oc --catalog ../catalogs/plain.db show al", "alpha", "alpine")
    # What stands after the cursor decides nothing else.
    offers(shell, "opcat show -- -- x", *help_of("show"), keys="\x01" + "\x06" * len("opcat show --") + "\t")


def words_are_read_as_the_shell_reads_them(shell):
    words = ("~", "~/a", "~root", "~root/x/~", "~+/x", "~nobody-of-that-name/x", "'~'/x", '"~"/x', "\\~/x", "a~", "a$",
             "'a b'\\''c'", '"a\\$b\\"c\\\\d\\e\\`"', "a\\ b\\\\c", "'\\a$HOME\"'", "$HOME/x", "${HOME}y",
             '"$HOME/x y"', "\\$HOME", "'$HOME'", "a=b:c")
    for word in words:
        setting = "setopt extendedglob; " if SHELL == "zsh" else ""
        # To zsh, a ~ before what is no user's name is an error.
        shell.run(f'( {setting}_opcat_literal {shlex.quote(word)}; printf "%s" "$literal" ) >../literal')
        shell.run(f"printf %s {word} >../word" if "nobody" not in word else f"printf %s '{word}' >../word")
        literal, read = ((FOLDER / name).read_text() for name in ("literal", "word"))
        if literal != read:
            raise AssertionError(f"{word} is read as {literal!r}; the shell reads {read!r}")


def imports_are_the_catalogs(shell):
    for option in ("--at ", "--at="):
        offers(shell, f"opcat --catalog ../catalogs/plain.db show {option}", "1", "2", "3")
        line = f"opcat --catalog ../catalogs/plain.db show {option}2"
        completes(shell, line, line + " ")
    completes(shell, "opcat show t5 --at ", "opcat show t5 --at 1 ")
    newest = shell.press("opcat --catalog ../catalogs/plain.db show --at ").listed
    if list(newest) != ["3", "2", "1"]:
        raise AssertionError(f"imports in the order {list(newest)}")


def paths_are_of_the_kind_that_a_command_takes(shell):
    everything = ("it's.yaml", "notes.txt", "one.yaml", "two.yaml", "sub folder/")
    listed_as = [name.rstrip("/") if SHELL == "zsh" else name for name in everything]
    folder, yaml = listed_as[-1], {name for name in listed_as if name != "notes.txt"}
    offers(shell, "opcat import ", *yaml)
    offers(shell, "opcat import one.yaml --prune ", *yaml)
    for before in ("opcat --catalog ", "opcat --catalog=", "opcat show --catalog ", "opcat list --catalog=",
                   "opcat resolve --ops ", "opcat resolve --ops=", "opcat diff ", "opcat diff one.yaml "):
        offers(shell, before, *listed_as)
        completes(shell, f"{before}no", f"{before}notes.txt ")
    completes(shell, "opcat export ", "opcat export sub\\ folder/")
    completes(shell, "opcat import sub\\ f", "opcat import sub\\ folder/")
    completes(shell, "opcat import ../work/it", "opcat import ../work/it\\'s.yaml ")
    completes(shell, "opcat --catalog ~/my\\ catalogs/o\\'t", "opcat --catalog ~/my\\ catalogs/o\\'ther.db ")
    completes(shell, "opcat --catalog=../other/co:l", "opcat --catalog=../other/co:lon.db ")
    completes(shell, "opcat --catalog ../other/co:", "opcat --catalog ../other/co:lon.db ")
    completes(shell, "opcat list >no", "opcat list >notes.txt ")
    if SHELL != "zsh":
        shell.run("COMP_WORDBREAKS=${COMP_WORDBREAKS//=}")
        completes(shell, "opcat --catalog=no", "opcat --catalog=notes.txt ")
        completes(shell, "opcat show --at=1", "opcat show --at=1 ")
        shell.run("COMP_WORDBREAKS+==")
    offers_nothing(shell, "opcat diff one.yaml two.yaml n")
    offers_nothing(shell, "opcat export x n")


def nothing_of_a_catalog_is_run(shell):
    honest = offers(shell, "opcat --catalog ../catalogs/hostile.db show ", "honest", "odd")
    for command in ("show x", "resolve '$", "resolve '`", "log -- -", "show two", "show a"):
        offers_nothing(shell, f"opcat --catalog ../catalogs/hostile.db {command}")
    offers(shell, "opcat --catalog ../catalogs/hostile.db show --at ", *map(str, range(1, 3 + len(HOSTILE_NAMES))))
    for line in ("opcat --catalog $(touch PWNED) show ", "opcat --catalog=`touch PWNED` show ",
                 'opcat --catalog "$(touch PWNED)" show ', "opcat --catalog '*'(e:touch\\ PWNED:) show ",
                 "opcat --catalog '*(e:touch PWNED:)' show ", "opcat --catalog ~$(touch${IFS}PWNED)/x show "):
        shell.press(line)
    if "\x1b]0;" in honest.raw:
        raise AssertionError(f"a control sequence reaches the terminal: {honest.raw!r}")
    if (FOLDER / "work/PWNED").exists():
        raise AssertionError("what a catalog or an unfinished line holds was run")


def kinds_stand_beside_their_family(shell):
    """In zsh; bash shows nothing beside what it lists."""
    listed = shell.press("opcat --catalog ../catalogs/plain.db show ").listed
    if listed != {"alpha": "encoder, decoder", "alpine": "decoder", "beta": "dense, moe"}:
        raise AssertionError(f"kinds are shown as {listed}")
    odd = shell.press("opcat --catalog ../catalogs/hostile.db show o").line
    listed = shell.press("opcat --catalog ../catalogs/hostile.db show ").listed
    shown = HOSTILE_KIND.replace("\x1b", "\\u001b").replace("\x07", "\\u0007")
    if not odd.endswith("show odd ") or listed["odd"] != shown:
        raise AssertionError(f"a hostile kind is shown as {listed['odd']!r}; expected {shown!r}")


def failures_are_silent(shell):
    for catalog in ("../catalogs/damaged.db", "missing.db", "'sub folder'", "''", "/dev/null"):
        for command in ("show", "resolve", "log", "show --at"):
            offers_nothing(shell, f"opcat --catalog {catalog} {command} ")
    offers_nothing(shell, "opcat infer Qwen3")


def state_of(shell):
    variables = "print -rl -- ${(k)parameters}" if SHELL == "zsh" else "compgen -v"
    shell.run(f"stty -g >../terminal; {variables} >../variables")
    return (FOLDER / "terminal").read_text(), set((FOLDER / "variables").read_text().split())


def the_shell_is_as_it_was(shell):
    """But for what the shells' own completion leaves."""
    (terminal, variables), (terminal_before, variables_before) = state_of(shell), shell.before
    left = {name for name in variables - variables_before if not re.match("_|COMP|BASH_|ZLS_", name) or "opcat" in name}
    if terminal != terminal_before or left:
        raise AssertionError(f"the terminal's settings: {terminal_before}, now {terminal}; new variables: {left}")


TESTS = [commands_and_options_are_those_of_the_help, families_are_the_catalogs,
         the_catalog_is_the_one_that_the_line_names, words_are_read_as_the_shell_reads_them, imports_are_the_catalogs,
         paths_are_of_the_kind_that_a_command_takes, nothing_of_a_catalog_is_run, failures_are_silent]
if SHELL == "zsh":
    TESTS.append(kinds_stand_beside_their_family)
TESTS.append(the_shell_is_as_it_was)


def main():
    shell = (Zsh if SHELL == "zsh" else Bash)(FOLDER)
    failed = 0
    shell.before = state_of(shell)
    for test in TESTS:
        try:
            test(shell)
            print(f"[ OK ] {test.__name__}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"[FAIL] {test.__name__}: {error}")
    shell.close()
    return 1 if failed else 0


if __name__ == "__main__":
    if not shutil.which("zsh" if SHELL == "zsh" else "bash") or SHELL == "bash-completion" and not PACKAGE.exists():
        print(f"skipped: there is no {SHELL}")
        sys.exit(MISSING)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        make_world(FOLDER)
        sys.exit(main())
