# SPDX-License-Identifier: Apache-2.0
"""opcat.op_profiles gives what the nine families and the conformance cases must give, and refuses what they refuse."""
import contextlib
import dataclasses
import json
import pathlib
import subprocess
import tempfile
import types
import unittest

from opcat import op_profiles
from opcat.op_profiles import DEFAULT_RUN, LayerKind, ModelSpecError, OpCounts, OpProfile
from support import BUILT_CATALOG, COMMAND, CONFORMANCE, COUNTS, environment, import_paths

try:
    import yaml
except ImportError:
    yaml = None


@contextlib.contextmanager
def reading(catalog):
    """The functions of op_profiles on a catalog."""
    def clear():
        op_profiles.load_op_profile.cache_clear()
        op_profiles.known_archs.cache_clear()

    with environment(OPCAT_CATALOG=catalog):
        clear()
        try:
            yield
        finally:
            clear()


def ops(**changed):
    return OpCounts(**{**COUNTS, **changed})


def kinds(*listed):
    return {kind.name: kind for kind in listed}


def profile(arch, layer_kinds, default, run=(), model=()):
    return OpProfile(arch, layer_kinds, default, types.MappingProxyType({**DEFAULT_RUN, **dict(run)}),
                     types.MappingProxyType(dict(model)))


LINEAR = LayerKind("linear_attention", ops(attBMM=0, softmax=0, headCast=0, linrec=1), "linear")
FAMILIES = [
    profile("deepseek", kinds(LayerKind("dense", ops(), ffn="dense"), LayerKind("moe", ops(), ffn="moe")), "moe",
            model={"v_head_dim": 128}),
    profile("default", kinds(LayerKind("decoder", ops())), "decoder"),
    profile("llama2", kinds(LayerKind("decoder", ops())), "decoder", {"grad_bytes": 2, "grad_accumulation": True}),
    profile("mixtral", kinds(LayerKind("decoder", ops())), "decoder", {"grad_bytes": 2}),
    profile("pangualpha", kinds(LayerKind("decoder", ops(attBMM=1, ffMM=2, softmax=2, dropout=5, normOp=4))), "decoder",
            {"dropout_bytes": 1}),
    profile("qwen", kinds(LayerKind("decoder", ops())), "decoder", {"shard_activations": True}),
    profile("qwen3_5", kinds(LayerKind("full_attention", ops()), LINEAR), "full_attention",
            {"shard_activations": True}),
    profile("t5", kinds(LayerKind("encoder", ops(attBMM=1, ffMM=2, softmax=2, dropout=5)),
                        LayerKind("decoder", ops(attMM=8, ffMM=2, softmax=4, dropout=7, normOp=3, gather=6))),
            "encoder", {"dropout_bytes": 1}),
    profile("vision", kinds(LayerKind("encoder", ops(ffMM=2))), "encoder"),
]


def stated(shown):
    """The profile that a conformance case states, in the shape of `opcat show --json`."""
    layer_kinds = [LayerKind(name, OpCounts(**kind["ops"]), kind["attention"], kind["ffn"])
                   for name, kind in shown["kinds"].items()]
    return profile(shown["arch"], kinds(*layer_kinds), shown["default"], shown["run"], shown["model"])


def types_of(made):
    counts = [type(value) for kind in made.kinds.values() for value in dataclasses.astuple(kind)]
    return counts + [type(value) for value in (*made.run.values(), *made.model.values())]


class TestDropIn(unittest.TestCase):
    def assert_same(self, made, expected):
        self.assertEqual(made, expected)
        self.assertEqual(list(made.layer_kinds), list(expected.layer_kinds))
        self.assertEqual(types_of(made), types_of(expected))

    def test_the_nine_families(self):
        with reading(BUILT_CATALOG):
            self.assertEqual(op_profiles.known_archs(), tuple(expected.arch for expected in FAMILIES))
            for expected in FAMILIES:
                with self.subTest(expected.arch):
                    self.assert_same(op_profiles.load_op_profile(expected.arch), expected)

    def test_every_accepted_conformance_case_gives_what_it_states(self):
        cases = sorted(CONFORMANCE.glob("accept/*.yaml"))
        self.assertGreater(len(cases), 90)
        for case in cases:
            with self.subTest(case.stem), tempfile.TemporaryDirectory() as folder:
                source = pathlib.Path(folder, "unit.yaml")
                source.write_bytes(case.read_bytes())
                catalog = pathlib.Path(folder, "catalog.db")
                import_paths(catalog, source)
                with reading(catalog):
                    self.assertEqual(op_profiles.known_archs(), ("unit",))
                    expected = json.loads(case.with_suffix(".json").read_text(encoding="utf-8"))
                    self.assert_same(op_profiles.load_op_profile("unit"), stated(expected))

    @unittest.skipUnless(yaml, "PyYAML, which reads the refused cases, is not installed")
    def test_every_conformance_case_whose_ops_are_refused_is_refused_by_place(self):
        refused = 0
        for verdict in sorted(CONFORMANCE.glob("refuse/*.txt")):
            path = verdict.read_text(encoding="utf-8").splitlines()[0]
            where, found, op = path.partition(".ops")
            if not found:
                continue
            refused += 1
            kind = where[len("unit.kinds."):]
            data = yaml.safe_load(verdict.with_suffix(".yaml").read_text(encoding="utf-8"))["kinds"][kind].get("ops")
            with self.subTest(verdict.stem), self.assertRaises(ModelSpecError) as caught:
                OpCounts.from_dict(data, f"{where}.ops")
            self.assertTrue(str(caught.exception).startswith(path + " "), (path, caught.exception))
        self.assertGreater(refused, 20)

    def test_the_command_tells_the_same_of_names(self):
        names = ["Qwen3.5-397B", "qwen3_next-80B", "Qwen2-MoE-57B", "deepseek-v3", "T5-small", "xqwen", "LLaMA2"]
        said = subprocess.run([COMMAND, "--catalog", BUILT_CATALOG, "infer", "--json", *names], check=True,
                              capture_output=True)
        with reading(BUILT_CATALOG), self.assertLogs("opcat.op_profiles"):
            told = [{"name": name, "arch": op_profiles.infer_arch(name), "qk_norm": op_profiles.infer_qk_norm(name),
                     "qkv_bias": op_profiles.infer_qkv_bias(name),
                     "shared_expert_gate": op_profiles.infer_shared_expert_gate(name)} for name in names]
        self.assertEqual(told, json.loads(said.stdout))


if __name__ == "__main__":
    unittest.main()
