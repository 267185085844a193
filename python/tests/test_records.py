# SPDX-License-Identifier: Apache-2.0
"""The records: what OpCounts takes, and that none of them changes."""
import copy
import dataclasses
import datetime
import pickle
import unittest

from opcat import LayerKind, Model, ModelSpecError, NotFound, OpCounts, Profile, Run
from support import COUNTS

OPS = OpCounts.from_dict(COUNTS)


class Four:
    """An integer of another kind, as a numerical library's are."""

    def __index__(self):
        return 4


class TestOpCounts(unittest.TestCase):
    def assert_refused(self, data, *words, where="unit.ops"):
        with self.assertRaises(ModelSpecError) as caught:
            OpCounts.from_dict(data, where)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_a_dictionary_there_and_back_is_the_same_in_the_vectors_order(self):
        backwards = dict(reversed(list(COUNTS.items())))
        self.assertEqual(list(OpCounts.from_dict(backwards).to_dict().items()), list(COUNTS.items()))

    def test_counts_are_read_as_a_profile_writes_them(self):
        for value, count in ((0, 0), (2**63 - 1, 2**63 - 1), (4.0, 4), (-0.0, 0), ("4", 4), (" +1_0\n", 10),
                             ("\u0664", 4), (Four(), 4)):
            with self.subTest(value=value):
                read = OpCounts.from_dict({**COUNTS, "softmax": value}).softmax
                self.assertEqual(read, count)
                self.assertIs(type(read), int)

    def test_what_is_no_count_is_refused_by_place_and_op(self):
        for value in (4.5, float("nan"), float("inf"), -1, -1.0, "-1", "four", "4.0", "", "1__0", "0x10", True, False,
                      None, [4], {"a": 4}, b"4", datetime.date(2026, 1, 1), 2**63, float(2**63), "9" * 5000):
            with self.subTest(value=value):
                self.assert_refused({**COUNTS, "softmax": value}, "unit.ops.softmax")

    def test_a_missing_and_an_unknown_op_are_refused_by_name(self):
        missing = {op: count for op, count in COUNTS.items() if op not in ("gather", "linrec")}
        self.assert_refused(missing, "unit.ops", "['gather', 'linrec']")
        self.assert_refused({**COUNTS, "softMax": 1}, "unit.ops", "['softMax']", "'softmax'")
        self.assert_refused({**COUNTS, 1: 1, "x": 1}, "unit.ops", "['x', 1]")

    def test_what_maps_nothing_is_refused_with_its_place(self):
        for data in (None, [], "attMM", 4):
            with self.subTest(data=data):
                self.assert_refused(data, "unit.ops", repr(data))
        with self.assertRaisesRegex(ModelSpecError, "^ops must map"):
            OpCounts.from_dict(None)

    def test_a_refusal_is_a_value_error(self):
        self.assertTrue(issubclass(ModelSpecError, ValueError))


class TestRecords(unittest.TestCase):
    KIND = LayerKind("decoder", OPS)
    PROFILE = Profile("unit", (KIND, LayerKind("moe", OPS, "linear", "moe")), KIND, Run(grad_bytes=2), Model(128))

    def test_records_compare_and_hash_by_value(self):
        again = pickle.loads(pickle.dumps(self.PROFILE))
        self.assertEqual(again, self.PROFILE)
        self.assertEqual(hash(again), hash(self.PROFILE))
        self.assertNotEqual(LayerKind("decoder", OPS, "linear"), self.KIND)

    def test_no_record_can_be_changed(self):
        for record in (OPS, self.KIND, self.PROFILE, self.PROFILE.run, self.PROFILE.model):
            for field in dataclasses.fields(record):
                with self.assertRaises(dataclasses.FrozenInstanceError):
                    setattr(record, field.name, None)

    def test_a_kind_is_its_own_deep_copy(self):
        self.assertIs(copy.deepcopy(self.KIND), self.KIND)
        self.assertIs(copy.deepcopy({"stack": [self.KIND]})["stack"][0], self.KIND)

    def test_a_kind_is_full_and_keeps_the_models_ffn_unless_stated(self):
        self.assertEqual((self.KIND.attention, self.KIND.ffn), ("full", None))

    def test_a_profile_gives_its_kinds_by_name(self):
        self.assertEqual(self.PROFILE.kind("moe").ffn, "moe")
        with self.assertRaisesRegex(NotFound, r"'unit'.*'block'.*\['decoder', 'moe'\]"):
            self.PROFILE.kind("block")


if __name__ == "__main__":
    unittest.main()
