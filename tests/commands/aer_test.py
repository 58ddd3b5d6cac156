#!/usr/bin/env python3
"""`nmt aer` as a user runs it: the figures it prints, both directions merged, and what it refuses.

    tests/commands/aer_test.py build/bin/nmt

With NMT_SHARED_DATA (or ../shared/data) it also scores published alignments to their printed digits.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

NMT = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path()
SHARED = pathlib.Path(os.environ.get("NMT_SHARED_DATA", ROOT.parent / "shared/data")) / "gold-alignments"
FILES = {
    "hyp": "0-0 1-1\n\n0-1 1-0\n",
    "back": "0-0\n\n1-0 0-1 2-2\n",  # target word first
    "gold": "0-0 1-1 2p2\n0-0\n0-1 1p0\n",
    "gold1": "1-1 2-2 3p3\n1-1\n1-2 2p1\n",
    "source": "the old dog\nyes\nof course not\n",
    "target": "der alte hund\nja\nnatürlich doch nicht\n",
    "known": "#line src tgt words\n0\t1\t1\told\talte\n2\t2\t2\tnot\tnicht\n",
}


def aer(*arguments, check=0):
    """Runs `nmt aer`; gives its output, or, when it is to fail, its one line of error."""
    done = subprocess.run([NMT, "aer", *map(str, arguments)], capture_output=True, cwd=FOLDER, timeout=60)
    if done.returncode != check:
        raise AssertionError(f"{arguments}: exit {done.returncode}, expected {check}\n{done.stdout}\n{done.stderr}")
    if check == 0:
        return done.stdout.decode()
    if done.stdout or done.stderr.count(b"\n") != 1:
        raise AssertionError(f"{arguments}: expected one line of error\n{done.stdout}\n{done.stderr}")
    return done.stderr.decode()


class Aer(unittest.TestCase):
    def test_the_first_line_is_the_error_rate_in_percent(self):  # C35
        # 4 links, all possible, 3 of them sure; 4 sure in the gold: 1 - 7/8.
        out = aer("--hypothesis", "hyp", "--gold", "gold").splitlines()
        self.assertEqual(out, [
            "AER 12.50",
            "precision 100.00, recall 75.00, F 85.71",
            "4 links, 3 of them sure and 4 possible; the gold has 4 sure, 6 possible",
            "links a sentence 1.33",
        ])

    def test_the_base_of_each_file_is_the_users_word(self):  # C35
        for base in ([], ["--gold-base", "0"]):
            self.assertIn("gold1:", self.with_texts("--hypothesis", "hyp", "--gold", "gold1", *base, check=1))
        self.assertIn("AER 12.50\n", aer("--hypothesis", "hyp", "--gold", "gold1", "--gold-base", 1))
        error = aer("--hypothesis", "hyp", "--hypothesis-base", 1, "--gold", "gold", check=1)
        self.assertIn("hyp:1: link \"0-0\"", error)

    def with_texts(self, *arguments, check=0):
        return aer(*arguments, "--source", "source", "--target", "target", check=check)

    def test_texts_add_coverage_and_wrong_pairs(self):
        out = self.with_texts("--hypothesis", "back", "--reverse", "--gold", "gold").splitlines()
        # back as source-target: 0-0 | | 0-1 1-0 2-2; 2-2 is wrong; 1-1 and 0-0 of line 2 are missed.
        self.assertEqual(out[3:], [
            "links a sentence 1.33, a target word 0.57",
            "coverage 57.14 of source words, 57.14 of target words",
            "linked, but not in the gold:",
            "      1 not - nicht",
            "sure in the gold, but not linked:",
            "      1 old - alte",
            "      1 yes - ja",
        ])
        out = self.with_texts("--hypothesis", "hyp", "--gold", "gold", "--pairs", 0)
        self.assertNotIn("in the gold, but", out)

    def test_json_holds_fractions(self):
        scores = json.loads(self.with_texts("--hypothesis", "back", "--reverse", "--gold", "gold", "--json"))
        self.assertEqual(scores["aer"], 1 - 5 / 8)
        self.assertEqual((scores["precision"], scores["recall"]), (3 / 4, 2 / 4))
        self.assertAlmostEqual(scores["f_measure"], 0.6)
        self.assertEqual((scores["hypothesis_links"], scores["sentences"]), (4, 3))
        self.assertAlmostEqual(scores["source_coverage"], 4 / 7)
        self.assertEqual(scores["wrong_pairs"], [{"source": "not", "target": "nicht", "count": 1}])

    def links(self, method, *extra):
        return json.loads(aer("--hypothesis", "hyp", "--symmetrize", method, "--gold", "gold", "--json",
                              *(extra or ("--backward", "back"))))["hypothesis_links"]

    def test_both_directions_are_merged_by_name(self):
        # hyp: 0-0 1-1 | | 0-1 1-0; back, turned: 0-0 | | 0-1 1-0 2-2
        self.assertEqual(self.links("intersection"), 3)
        self.assertEqual(self.links("union"), 5)
        self.assertEqual(self.links("grow-diag"), 4)
        self.assertEqual(self.links("grow-diag-final"), 5)
        self.assertEqual(self.links("union", "--backward", "hyp", "--backward-source-first"), 4)

    def test_known_links_give_accuracy(self):
        out = self.with_texts("--hypothesis", "hyp", "--known-links", "known")
        self.assertEqual(out.splitlines()[:2], ["accuracy 50.00", "4 links, 1 of the 2 known ones among them"])
        self.assertEqual(json.loads(aer("--hypothesis", "hyp", "--known-links", "known", "--json"))["accuracy"], 0.5)
        error = aer("--hypothesis", "hyp", "--known-links", "known", "--source", "target", "--target", "source",
                    check=1)
        self.assertIn("known:2: the link of sentence 0 has source word 1 \"old\"", error)

    def test_an_index_beyond_the_sentence_is_refused_by_line_where_the_texts_are_given(self):
        (FOLDER / "far").write_text("0-0\n0-1\n\n")
        error = self.with_texts("--hypothesis", "far", "--gold", "gold", check=1)
        self.assertIn("far:2: link \"0-1\" has target index 1", error)
        self.assertIn("far:2:", self.with_texts("--hypothesis", "hyp", "--gold", "far", check=1))
        self.assertIn("far:2:", self.with_texts("--hypothesis", "hyp", "--gold", "gold", "--symmetrize", "union",
                                                "--backward", "far", check=1))
        error = self.with_texts("--hypothesis", "far", "--reverse", "--gold", "gold", check=1)
        self.assertIn("far:2: link \"0-1\" has source index 1", error)
        aer("--hypothesis", "far", "--gold", "gold")

    def test_unequal_files_are_refused_by_name_with_both_counts(self):  # C10
        (FOLDER / "short").write_text("0-0\n")
        for arguments in (("--hypothesis", "short", "--gold", "gold"),
                          ("--hypothesis", "hyp", "--gold", "gold", "--symmetrize", "union", "--backward", "short"),
                          ("--hypothesis", "hyp", "--gold", "gold", "--source", "short", "--target", "target")):
            self.assertRegex(aer(*arguments, check=1), "short: 1 line, but .* has 3 lines")

    def test_options_that_do_not_belong_together_are_refused_before_files_are_read(self):
        for expected, arguments in (
            ("neither --gold nor --known-links", ""),
            ("--gold and --known-links", "--gold no --known-links no"),
            ("--gold-base", "--known-links no --gold-base 1"),
            ("--symmetrize METHOD and --backward", "--gold no --symmetrize union"),
            ("--symmetrize METHOD and --backward", "--gold no --backward no"),
            ("--backward-source-first", "--gold no --backward-source-first"),
            ("--source and --target", "--gold no --source no"),
            ("--source and --target", "--gold no --target no"),
            ("--pairs", "--gold no --pairs 3"),
            ("--pairs", "--known-links no --source no --target no --pairs 3"),
            ("unknown symmetrization \"grow\"", "--gold no --symmetrize grow --backward no"),
        ):
            self.assertIn(expected, aer("--hypothesis", "no", *arguments.split(), check=2))

    def test_the_commands_of_the_lesson_print_what_it_says(self):
        lesson = (ROOT / "docs/alignment-measures.md").read_text(encoding="utf-8")
        blocks = "".join(re.findall(r"```console\n(.*?)```", lesson, re.S))
        (FOLDER / "lesson").mkdir()
        commands = re.findall(r"^\$ (.*)\n((?:[^$].*\n)*)", blocks, re.M)
        self.assertGreater(len(commands), 10)
        for command, expected in commands:
            done = subprocess.run(["bash", "-c", f'nmt() {{ "{NMT}" "$@"; }}; {command}'], cwd=FOLDER / "lesson",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            self.assertEqual(done.stdout.decode(), expected, command)

    @unittest.skipUnless(SHARED.exists(), f"no {SHARED}: set NMT_SHARED_DATA to the folder that holds gold-alignments/")
    def test_published_outputs_score_as_published(self):
        outputs = SHARED / "published-outputs/fastalign"
        gold = ("--gold", SHARED / "rwth-de-en/deen.talp", "--gold-base", 1)
        forward, backward = outputs / "test.deen.talp", outputs / "test.deen.reverse.talp"
        self.assertTrue(aer("--hypothesis", forward, *gold).startswith("AER 28.46\n"))
        self.assertTrue(aer("--hypothesis", backward, "--reverse", *gold).startswith("AER 31.96\n"))
        merge = ("--hypothesis", forward, "--backward", backward, *gold, "--symmetrize")
        self.assertTrue(aer(*merge, "lilt-grow-diag").startswith("AER 27.02\n"))
        self.assertTrue(aer(*merge, "lilt-grow-diag-final").startswith("AER 27.67\n"))


if __name__ == "__main__":
    NMT = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory(prefix="nmt-aer-") as folder:
        FOLDER = pathlib.Path(folder)
        for name, text in FILES.items():
            (FOLDER / name).write_text(text, encoding="utf-8")
        unittest.main()
