#!/usr/bin/env python3
"""Checks made-up report.json files against docs/report.schema.json, and that the schema refuses wrong ones.

    schema_test.py WRITE_MADE_UP_REPORT        exit status 77, "skipped", where Python's jsonschema is missing
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("skipped: no Python package jsonschema; expected Debian's python3-jsonschema")
    sys.exit(77)

PROGRAM = sys.argv.pop(1)
SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "docs/report.schema.json").read_text(encoding="utf-8"))


def made_up(*options):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, folder, *options], check=True, stdout=subprocess.DEVNULL)
        return json.loads((pathlib.Path(folder) / "report.json").read_text(encoding="utf-8"))


class Schema(unittest.TestCase):
    def setUp(self):
        self.validator = jsonschema.Draft202012Validator(SCHEMA)

    def test_is_a_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_takes_every_kind_of_report(self):
        for options in [(), ("models=1",), ("models=6", "sentences=20"), ("gold=0", "references=0", "empty=1"),
                        ("hostile=1",), ("attention=0",), ("sentences=0",), ("budget=20000",)]:
            with self.subTest(options):
                self.assertEqual([error.message[:200] for error in self.validator.iter_errors(made_up(*options))], [])

    def test_refuses_what_is_missing_unknown_or_of_another_kind(self):
        report = made_up("sentences=3")

        def change(path, value):
            changed = copy.deepcopy(report)
            place = changed
            for key in path[:-1]:
                place = place[key]
            if value is KeyError:
                del place[path[-1]]
            else:
                place[path[-1]] = value
            return changed

        for path, value in [(("models", 0, "bleu"), "34.2"), (("models", 0, "chrf"), KeyError), (("extra",), 1),
                            (("models", 0, "aer"), 21.3), (("sentences", 0, "gold"), "0:0"), (("sentences", 0, "line"), 0),
                            (("comparison", "tests", 0, "p_value"), 2)]:
            with self.subTest(path):
                self.assertFalse(self.validator.is_valid(change(path, value)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
