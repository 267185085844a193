"""Compile and run the C++ of docs/cpp.md, and hold what the page says it prints.

cpp_page.py SOURCE BUILD LIBRARY_FOLDER CXX: CXX with the flags that the page shows, the header in BUILD/include, and the
catalog that was built; under valgrind where there is one.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD, LIBRARY, CXX = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
FILE = re.compile(r"^`([\w.]+)`:\n\n```cpp\n(.*?)^```$", re.S | re.M)
RUN = re.compile(r"^```console\n\$ c\+\+ (.*) \$\(pkg-config .*\) && (\S+)\n(.*?)^```$", re.S | re.M)


def run(folder, command, **environment):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}: status {done.returncode}")
    return done.stdout


def main():
    page = (SOURCE / "docs/cpp.md").read_text(encoding="utf-8")
    files, runs = FILE.findall(page), RUN.findall(page)
    if [name for name, _ in files] != ["opcat.hpp", "ask.cpp"] or len(runs) != 1 or page.count("```") != 6:
        sys.exit("the page has lost its files or its run")
    options, program, shown = runs[0]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files:
            (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
        # The folders of the build stand for what pkg-config says of an installation.
        run(folder, [CXX, *shlex.split(options), "-I", str(BUILD / "include"), "-L", LIBRARY, f"-Wl,-rpath,{LIBRARY}",
                     "-lopcat"])
        # What is used after it was given back may look right, but not to valgrind.
        valgrind = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=all"]
        watched = [*(valgrind if shutil.which("valgrind") else []), program]
        said = run(folder, watched, OPCAT_CATALOG=str(BUILD / "share/opcat/op_profiles.db"), LC_ALL="C")
    if said != shown:
        sys.exit(f"the page shows:\n{shown}\nit prints:\n{said}")
    print(f"{len(said.splitlines())} lines are as the page shows them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
