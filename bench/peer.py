"""What is used today: a Python loader of YAML files, with PyYAML's C loader and cached dataclasses.

peer.py FOLDER: print a JSON line for the nanoseconds of a cached load, and of inferring a family with eight rules.
"""
import functools
import json
import pathlib
import sys
import time
from dataclasses import dataclass

import yaml

FOLDER = pathlib.Path(sys.argv[1])
RULES = tuple(yaml.load((FOLDER / "inference/model_names.yaml").read_text(), yaml.CSafeLoader)["prefixes"].items())
NAMES = ("Qwen3.5-397B-A17B", "deepseek-v3", "llama2-70b", "t5-small", "Mixtral-8x7B", "qwen2_moe", "pangualpha", "QWEN")


@dataclass(frozen=True)
class Profile:
    arch: str
    kinds: dict


@functools.lru_cache(maxsize=None)
def load(arch):
    data = yaml.load((FOLDER / f"{arch}.yaml").read_text(), yaml.CSafeLoader)
    return Profile(arch, data["kinds"])


def infer(name):
    lowered = str(name).lower()
    for prefix, arch in RULES:
        if lowered.startswith(prefix):
            return arch
    return "default"


def measure(work, arguments, rounds=101, times=2000):
    """The nanoseconds of each call, round by round, less those of the loop around it."""
    results = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(times):
            for argument in arguments:
                pass
        empty = time.perf_counter_ns()
        for _ in range(times):
            for argument in arguments:
                work(argument)
        end = time.perf_counter_ns()
        results.append(((end - empty) - (empty - start)) / times / len(arguments))
    return results


def main():
    archs = sorted(path.stem for path in FOLDER.glob("*.yaml"))
    for arch in archs:
        load(arch)
    print(json.dumps({"name": "lru", "opcat": measure(load, archs)}))
    print(json.dumps({"name": "infer", "opcat": measure(infer, NAMES)}))


if __name__ == "__main__":
    main()
