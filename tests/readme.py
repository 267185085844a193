"""Walk the tour of README.md: run each command that it shows, and hold what it shows of the output.

readme.py SOURCE BUILD
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import session

SOURCE, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
# Commands that the walk must come by: a page that has lost them tests nothing.
LANDMARKS = ["opcat import", "opcat diff", "resolve_ops", "pkg-config", "examples/price.c", "examples/price.py",
             "examples/unclaimed.sh"]


def make_project(folder):
    """What the tour finds in the project's folder, after ./dev demo."""
    for name in ["op_profiles", "examples", "lib"]:
        (folder / name).symlink_to(SOURCE / name)
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(BUILD)
    (folder / "tmp").mkdir()
    subprocess.run([BUILD / "bin/opcat", "--catalog", folder / "build/demo.db", "import", "op_profiles"], check=True,
                   stdout=subprocess.DEVNULL, cwd=folder)


def main():
    page = (SOURCE / "README.md").read_text(encoding="utf-8")
    tour = page[page.index("## A tour"):]
    tour = tour[:tour.index("\n## ", 1)]
    steps = session.read_steps(re.findall(r"```console\n(.*?)```", tour, re.S))
    for landmark in LANDMARKS:
        if not any(landmark in command for command, _ in steps):
            sys.exit(f"the tour shows no {landmark} any more")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_project(folder)
        wrong = session.walk(steps, folder)
        if wrong:
            sys.exit(wrong)
    print(f"{len(steps)} commands run")


if __name__ == "__main__":
    main()
