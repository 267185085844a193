"""Run the benchmarks and print one table: each figure of opcat beside a floor or a peer, as a ratio, with its target.

run.py SOURCE BUILD [--profiles N] [--json FILE]: N is how many profiles the largest catalog has (100,000 by default).
The two sides of each pair are measured by turns, in one run; the ratios are of medians of pairs.
"""
import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROFILE = """# Family number {number}.
run:
  grad_bytes: {grad}
kinds:
  decoder:
    ops:
      attMM: {att}
      attBMM: 2
      ffMM: 3
      softmax: 1
      dropout: 0
      normOp: 2
      gather: 4
      headCast: 1
      ffAct: 1
      linrec: 0
"""


class Bench:
    def __init__(self, source, build, folder, profiles):
        self.source, self.build, self.folder = source, build, folder
        self.program = build / "bench/opcat_bench"
        self.opcat = build / "bin/opcat"
        self.nine = build / "share/opcat/op_profiles.db"
        self.large, self.small = profiles, max(profiles // 10, 100)
        self.rows = []

    def part(self, *arguments):
        """The figures of one part of the C program: name -> (opcat's rounds, the floor's)."""
        printed = subprocess.run([self.program, *map(str, arguments)], check=True, capture_output=True, text=True)
        figures = {}
        for line in printed.stdout.splitlines():
            figure = json.loads(line)
            sides = figures.setdefault(figure["name"], ([], []))
            sides[0].extend(figure["opcat"])
            sides[1].extend(figure.get("floor", []))
        return figures

    def row(self, work, beside, own, other, target, unit="ns"):
        """Add a row; `own` and `other` are rounds of pairs, or medians of rounds that were not paired."""
        if len(own) == len(other):
            ratio = statistics.median(a / b for a, b in zip(own, other))
        else:
            ratio = statistics.median(own) / statistics.median(other)
        self.rows.append({"work": work, "beside": beside, "opcat": statistics.median(own),
                          "floor": statistics.median(other), "unit": unit, "ratio": ratio, "target": target,
                          "met": ratio <= target})

    # ---- Data ----

    def write_profiles(self, folder, count):
        folder.mkdir()
        for number in range(count):
            text = PROFILE.format(number=number, grad=number % 8, att=number % 9)
            (folder / f"family{number:06d}.yaml").write_text(text)

    def timed(self, *arguments):
        start = time.perf_counter_ns()
        subprocess.run([self.opcat, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter_ns() - start

    # ---- Figures ----

    def reading(self):
        processes = self.part("processes", self.nine, self.build / "bench/opcat_bench_one",
                              self.build / "bench/opcat_bench_floor")["process"]
        self.row("whole process: open, load, exit", "a main that initializes SQLite", *processes, 1.8)
        reading = self.part("reading", self.nine)
        self.row("open, load, close in a loop", "bare SQLite, minimal statements", *reading["cycle"], 1.15)
        self.row("first load on an open handle", "bare SQLite, prepared statements", *self.part("first", self.nine)["first load"], 1.2)
        self.row("load again, automatic refresh", "one stat(2)", *reading["refreshed"], 1.2)
        self.row("resolve declared counts, t5", "copying the structs", *reading["resolve"], float("inf"))

    def by_turns(self, name, *part):
        """Rounds of a part and of the Python peer, by turns: the two cannot be measured in one process."""
        own, floor, peer = [], [], []
        processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(processors)})  # two of them may run at different speeds
        for _ in range(11):
            rounds = self.part(*part)[part[0]]
            own.append(statistics.median(rounds[0]))
            floor.append(statistics.median(rounds[1]) if rounds[1] else 0)
            printed = subprocess.run([sys.executable, self.source / "bench/peer.py", self.source / "op_profiles"],
                                     check=True, capture_output=True, text=True).stdout
            peer.append(next(statistics.median(figure["opcat"]) for figure in map(json.loads, printed.splitlines())
                             if figure["name"] == name))
        os.sched_setaffinity(0, processors)
        return own, floor, peer

    def cached(self, catalogs):
        for count, catalog in catalogs:
            *cached, peer = self.by_turns("lru", "cached", "cached", catalog)
            self.row(f"load again, {count:,} families", "Python's lru_cache", cached[0], peer, 0.4)
            over = [a - b for a, b in zip(*cached)]
            self.row(f"  over a bare hash look-up, {count:,}", "60 ns", over, [60.0], 1.0)

    def names(self):
        many = self.folder / "names"
        (many / "inference").mkdir(parents=True)
        rules = [f"  {'abcdefghijklmnopqrstuvwxyz'[i % 26]}{i:x}: qwen\n" for i in range(10000)]
        (many / "inference/model_names.yaml").write_text("prefixes:\n" + "".join(rules))
        catalog = self.folder / "names.db"
        shutil.copy(self.nine, catalog)
        self.timed("--catalog", catalog, "import", many)
        few, _, peer = self.by_turns("infer", "names", "names", self.nine)
        lots = [statistics.median(self.part("names", "names", catalog)["names"][0]) for _ in range(5)]
        self.row("infer a family, 8 rules", "the Python loader's infer_arch", few, peer, 0.05)
        self.row("infer a family, 10,000 rules", "with 8 rules", lots, few, 3)

    def importing(self, folder, catalog):
        count = len(list(folder.iterdir()))
        new, floors, again, compared = [], [], [], []
        for _ in range(5):
            catalog.unlink(missing_ok=True)
            new.append(self.timed("--catalog", catalog, "import", folder))
            floors.append(self.part("import-floor", folder, self.folder / "floor.db")["import floor"][0][0])
            again.append(self.timed("--catalog", catalog, "import", folder))
            compared.append(self.part("unchanged-floor", folder, catalog)["unchanged floor"][0][0])
        self.row(f"import {count:,} new profiles", "libyaml's events + bare insertion", new, floors, 1.4)
        self.row("import them again, unchanged", "reading and comparing the bytes", again, compared, 1.5)
        return statistics.median(new) / count

    def one_changed(self, folder, catalog):
        own, floors = [], []
        path = folder / "family000007.yaml"
        for number in range(5):
            path.write_text(PROFILE.format(number=number, grad=1, att=20 + number))
            own.append(self.timed("--catalog", catalog, "import", path))
            floors.append(self.part("copy-floor", catalog, self.folder / "copy.db")["copy floor"][0][0])
        self.row(f"import one changed of {self.large:,}", "copying the file once, with fsync", own, floors, 1.3)

    def peak_memory(self, folder):
        catalog = self.folder / "memory.db"
        printed = subprocess.run([sys.executable, "-c",
                                  "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
                                  "stdout=subprocess.DEVNULL); "
                                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                                  self.opcat, "--catalog", catalog, "import", folder],
                                 check=True, capture_output=True, text=True)
        # The importer's page cache is 64 MiB.
        over = max(int(printed.stdout) / 1024 - 64, 0)
        self.row(f"memory of importing {self.large:,}", "64 MiB over the page cache", [over], [64.0], 1.0, "MiB")

    def growth(self, small_import, large_import, catalogs):
        self.row("growth of an import, per profile", f"{self.small:,} to {self.large:,}", [large_import], [small_import], 1.2)
        turns = [[statistics.median(self.part("first", catalog)["first load"][0]) for catalog in catalogs] for _ in range(11)]
        small, large = zip(*turns)
        self.row("growth of a first load", f"{self.small:,} to {self.large:,}", large, small, 1.2)

    def run(self):
        small, large = self.folder / "small", self.folder / "large"
        self.write_profiles(small, self.small)
        self.write_profiles(large, self.large)
        small_db, large_db = self.folder / "small.db", self.folder / "large.db"
        self.reading()
        per_small = self.importing(small, small_db)
        per_large = statistics.median(
            (large_db.unlink(missing_ok=True), self.timed("--catalog", large_db, "import", large))[1]
            for _ in range(3)) / self.large
        self.cached([(9, self.nine), (self.large, large_db)])
        self.names()
        self.one_changed(large, large_db)
        self.growth(per_small, per_large, [small_db, large_db])
        memory = self.part("memory", small_db)["memory"]
        self.row(f"memory of {self.small:,} cached families", "the bytes of their structs", *memory, 2.0, "B")
        self.peak_memory(large)


def shown(value, unit):
    if unit != "ns":
        return f"{value:,.0f} {unit}"
    for limit, divisor, name in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms"), (float("inf"), 1e9, "s")):
        if value < limit:
            return f"{value / divisor:.1f} {name}"


def print_table(rows):
    lines = [("WORK", "BESIDE", "OPCAT", "FLOOR OR PEER", "RATIO", "TARGET", "")]
    for row in rows:
        target = "-" if row["target"] == float("inf") else f"{row['target']:g}"
        lines.append((row["work"], row["beside"], shown(row["opcat"], row["unit"]), shown(row["floor"], row["unit"]),
                      f"{row['ratio']:.2f}", target, "" if target == "-" else "met" if row["met"] else "NOT MET"))
    widths = [max(len(line[i]) for line in lines) for i in range(7)]
    for line in lines:
        print("  ".join(cell.rjust(width) if i in (2, 3, 4, 5) else cell.ljust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip())


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{model[1] if model else platform.machine()}, {os.cpu_count()} processors, {platform.release()}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("source", type=pathlib.Path)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--profiles", type=int, default=100000)
    options.add_argument("--json", type=pathlib.Path)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(chosen.source.resolve(), chosen.build.resolve(), pathlib.Path(folder), chosen.profiles)
        bench.run()
    print(machine())
    print_table(bench.rows)
    if chosen.json:
        rows = [{**row, "target": None if row["target"] == float("inf") else row["target"]} for row in bench.rows]
        chosen.json.write_text(json.dumps({"machine": machine(), "figures": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
