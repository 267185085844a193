"""Hold the JSON Schemas of profile files and naming rules against the conformance cases and the project's own files.

What such a schema cannot express is listed, with the reason; everything else must be told apart by it.
"""
import json
import pathlib
import sys

import jsonschema
import yaml

SOURCE = pathlib.Path(sys.argv[1])

# Refused for what no schema sees: it is given values, not text, and can relate no two of them.
BEYOND_A_SCHEMA = {
    "key-twice-kind": "a parser keeps one of two equal keys",
    "key-twice-op": "a parser keeps one of two equal keys",
    "key-twice-top": "a parser keeps one of two equal keys",
    "key-boolean": "keys of JSON are strings",
    "key-number": "keys of JSON are strings",
    "default-not-a-kind": "a value cannot be held against the keys of another",
    "v-head-dim-05": "128.0 is an integer to a schema",
}


def load(path):
    """The value of a YAML file, or None with a reason where it is none that JSON can hold."""
    try:
        value = yaml.safe_load(path.read_bytes().decode("utf-8-sig"))
        json.dumps(value, allow_nan=False)
    except (yaml.YAMLError, ValueError, TypeError, UnicodeDecodeError, RecursionError) as problem:
        return None, type(problem).__name__
    return value, None


def validator(name):
    schema = json.loads((SOURCE / "schema" / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def check_cases(profile):
    failed = []
    counts = {"accepted": 0, "refused": 0, "beyond a schema": 0}
    for path in sorted((SOURCE / "tests/conformance/accept").glob("*.yaml")):
        value, problem = load(path)
        if problem or not profile.is_valid(value):
            failed.append(f"{path.name} is not accepted: {problem or next(profile.iter_errors(value)).message}")
        counts["accepted"] += 1
    for path in sorted((SOURCE / "tests/conformance/refuse").glob("*.yaml")):
        value, problem = load(path)
        if problem or path.stem in BEYOND_A_SCHEMA:
            counts["beyond a schema"] += 1
            continue
        if profile.is_valid(value):
            failed.append(f"{path.name} is not refused")
        counts["refused"] += 1
    return failed, counts


def check_rules(names):
    own = yaml.safe_load((SOURCE / "op_profiles/inference/model_names.yaml").read_text(encoding="utf-8"))
    wrong = [
        {"prefixes": {"Llama": "llama2"}},
        {"prefixes": {"": "llama2"}},
        {"prefixes": {"x": 5}},
        {"prefixes": {"x": "a b"}},
        {"prefixes": ["x"]},
        {"traits": {"size": ["x"]}},
        {"traits": {"qk_norm": "x"}},
        {"traits": {"qk_norm": ["X"]}},
        {"traits": {"qk_norm": ["x", "x"]}},
        {"rules": {}},
        [],
    ]
    failed = [] if names.is_valid(own) else ["model_names.yaml is not accepted"]
    return failed + [f"{case} is not refused" for case in wrong if names.is_valid(case)]


def main():
    profile = validator("op_profile.schema.json")
    failed, counts = check_cases(profile)
    failed += check_rules(validator("model_names.schema.json"))
    for path in sorted((SOURCE / "op_profiles").glob("*.yaml")):
        if not profile.is_valid(load(path)[0]):
            failed.append(f"{path.name} is not accepted")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    for line in failed:
        print(line, file=sys.stderr)
    if counts["accepted"] < 90 or counts["refused"] < 90:
        sys.exit("the conformance cases are missing")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
