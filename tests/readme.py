"""Walk the tour of README.md: run each command that it shows, and hold what it shows of the output.

readme.py SOURCE BUILD
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
# Commands that the walk must come by: a page that has lost them tests nothing.
LANDMARKS = ["opcat import", "opcat diff", "resolve_ops", "pkg-config", "examples/price.c", "examples/price.py",
             "examples/unclaimed.sh"]


def read_steps(page):
    """(command, lines shown) for each command of the tour, whose blocks are shell sessions."""
    tour = page[page.index("## A tour"):]
    tour = tour[:tour.index("\n## ", 1)]
    steps = []
    for block in re.findall(r"```console\n(.*?)```", tour, re.S):
        lines = iter(block.splitlines())
        for line in lines:
            if not line.startswith("$ "):
                steps[-1][1].append(line)
                continue
            command = line[2:]
            here = re.search(r"<<'(\w+)'", command)
            while here and command.splitlines()[-1] != here[1]:
                command += "\n" + next(lines)
            steps.append((command, []))
    return steps


def matches(shown, output):
    """Whether the output is what is shown: a line ... stands for any lines, and /.../ for any folders."""
    pattern = ""
    for line in shown:
        pattern += "(?:.*\n)*" if line == "..." else re.escape(line).replace(re.escape("/.../"), "/.*/") + "\n"
    return re.fullmatch(pattern, output) is not None


def make_project(folder):
    """What the tour finds in the project's folder, after ./dev demo."""
    for name in ["op_profiles", "examples", "lib"]:
        (folder / name).symlink_to(SOURCE / name)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(BUILD)
    (folder / "tmp").mkdir()
    subprocess.run([BUILD / "bin/opcat", "--catalog", folder / "build/demo.db", "import", "op_profiles"], check=True,
                   stdout=subprocess.DEVNULL, cwd=folder)


def walk(steps, folder):
    """The output and the status of each command, run in one shell as one would type them."""
    mark = "--- end of a step, with status "
    script = "".join(f"{command}\necho '{mark}'$?\n" for command, _ in steps)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPCAT")}
    result = subprocess.run(["bash"], input=script.replace("/tmp/", f"{folder}/tmp/"), cwd=folder, env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    parts = re.split(re.escape(mark) + r"(\d+)\n", result.stdout)
    return list(zip(parts[0::2], map(int, parts[1::2])))


def main():
    steps = read_steps((SOURCE / "README.md").read_text(encoding="utf-8"))
    for landmark in LANDMARKS:
        if not any(landmark in command for command, _ in steps):
            sys.exit(f"the tour shows no {landmark} any more")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_project(folder)
        results = walk(steps, folder)
        if len(results) != len(steps):
            sys.exit(f"the tour ends with: {steps[len(results)][0]}")
        for (command, shown), (output, status) in zip(steps, results):
            output = output.replace(f"{folder}/tmp/", "/tmp/")
            # A command whose output is shown may fail for all to see.
            if shown and not matches(shown, output):
                sys.exit(f"$ {command}\nshould print:\n" + "\n".join(shown) + f"\nand prints:\n{output}")
            if not shown and status:
                sys.exit(f"$ {command}\nfails with {status}:\n{output}")
    print(f"{len(steps)} commands run")


if __name__ == "__main__":
    main()
