"""Ask every question of docs/sql.md, and hold the answer that the page shows.

cookbook.py SOURCE OPCAT EXTENSION_FOLDER [--write]: with --write, put the answers into the page instead.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, OPCAT, EXTENSION = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
PAGE = SOURCE / "docs/sql.md"
# A question, and the answer where there is one yet.
QUESTION = re.compile(r"```sql\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)


def run_import(catalog, when, *paths):
    subprocess.run([OPCAT, "--catalog", catalog, "import", *paths], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "SOURCE_DATE_EPOCH": str(when)}, cwd=SOURCE)


def make_catalogs(folder):
    catalog = folder / "profiles.db"
    run_import(catalog, 1764547200, "op_profiles")
    shutil.copy(catalog, folder / "before.db")
    run_import(catalog, 1765152000, "tests/cookbook")
    return catalog


def ask(catalog, sql):
    answer = subprocess.run(["sqlite3", "-readonly", "-bail", "-header", "-separator", " | ", catalog], input=sql,
                            capture_output=True, text=True, cwd=catalog.parent,
                            env={**os.environ, "LD_LIBRARY_PATH": EXTENSION})
    if answer.returncode or answer.stderr:
        sys.exit(f"{sql}\n{answer.stderr}")
    return answer.stdout


def main():
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        catalog = make_catalogs(pathlib.Path(folder))
        answered = QUESTION.sub(lambda q: f"```sql\n{q[1]}```\n\n```text\n{ask(catalog, q[1])}```\n", page)
    if "--write" in sys.argv:
        PAGE.write_text(answered, encoding="utf-8")
        return 0
    questions = len(QUESTION.findall(page))
    print(f"{questions} questions asked")
    if questions < 12:
        sys.exit("the page has lost its questions")
    for was, is_now in zip(page.splitlines(), answered.splitlines()):
        if was != is_now:
            sys.exit(f"the page shows: {was}\nthe answer is:  {is_now}")
    return 0 if page == answered else 1


if __name__ == "__main__":
    sys.exit(main())
