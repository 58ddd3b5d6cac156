#!/usr/bin/env python3
"""The lab as a user runs it, and docs/ against what it prints.

    tests/lab/lab_test.py build/bin/nmt build/bin/attention_example
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

NMT = EXAMPLE = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPERIMENTS = ["worked-example", "similarity", "scaling", "saturation", "masking", "context", "recall",
               "additive-vs-dot", "multi-head"]
# Nothing in these depends on the machine: the same characters everywhere.
BY_HAND = ["worked-example", "similarity"]
# Random numbers from one seed, in float64: the same but for the last digits of a printed error.
BY_SEED = ["masking", "context"]


def lab(*arguments, cwd=None):
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
    return subprocess.run([NMT, "lab", *arguments], capture_output=True, text=True, cwd=cwd, env=environment,
                          timeout=600)


def without_numbers(text):
    return re.sub(r"[-−]?\d[\d.,]*(e[-+]\d+)?", "#", text)


def section(document, name):
    """From the anchor of an experiment to the next one's."""
    return document.split(f'<a id="lab-{name}"></a>')[1].split("<a id=")[0]


class Lab(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)
        cls.whole = lab("--out", cls.out)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_experiment_runs_and_every_line_passes(self):
        self.assertEqual(self.whole.returncode, 0, self.whole.stdout + self.whole.stderr)
        self.assertEqual(re.findall(r"^([a-z-]+): [A-Z]", self.whole.stdout, re.M), EXPERIMENTS)
        self.assertNotIn("FAIL", self.whole.stdout)
        passed = len(re.findall(r" pass$", self.whole.stdout, re.M))
        self.assertIn(f"{passed} of {passed} checks passed", self.whole.stdout)
        self.assertGreater(passed, 80)

    def test_every_plot_of_the_document_is_there_as_svg_and_png(self):
        document = (self.out / "lab.md").read_text()
        plots = set(re.findall(r"\(images/(lab-[a-z-]+)\.svg\)", document))
        self.assertGreaterEqual(len(plots), len(EXPERIMENTS))
        for plot in plots:
            xml.etree.ElementTree.parse(self.out / "images" / f"{plot}.svg")
            self.assertEqual((self.out / "images" / f"{plot}.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_docs_lab_md_is_what_the_program_writes_numbers_aside(self):
        written, committed = (self.out / "lab.md").read_text(), (ROOT / "docs/lab.md").read_text()
        self.maxDiff = 4000
        self.assertEqual(without_numbers(written).split("\n"), without_numbers(committed).split("\n"),
                         "docs/lab.md is out of date: nmt lab --seed 1 --out docs")
        for name in BY_HAND:
            self.assertEqual(section(written, name), section(committed, name))
        for name in BY_SEED:
            self.assertEqual(*(re.sub(r"[\d.]+e-\d+", "#", section(text, name)) for text in (written, committed)))
        for plot in re.findall(r"\((images/[^)]+)\)", committed):
            self.assertTrue((ROOT / "docs" / plot).exists(), plot)

    def test_one_experiment_prints_its_prose_and_writes_its_plot_only(self):
        with tempfile.TemporaryDirectory() as folder:
            done = lab("worked-example", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("A query q asks", done.stdout)
            self.assertIn("13.94", done.stdout)
            files = sorted(path.name for path in pathlib.Path(folder).rglob("*") if path.is_file())
            self.assertEqual(files, ["lab-worked-example.png", "lab-worked-example.svg"])

    def test_the_seed_is_the_only_source_of_chance(self):
        with tempfile.TemporaryDirectory() as folder:
            one, again, other = (lab("masking", "--seed", seed, "--out", folder).stdout for seed in "778")
            self.assertEqual(one, again)
            self.assertNotEqual(one, other)
            self.assertNotIn("FAIL", other)

    def test_a_seed_or_a_folder_that_is_none_is_refused(self):
        self.assertEqual(lab("masking", "--out", "").returncode, 2)
        for seed in ("-1", "99999999999999999999", "x"):
            self.assertEqual(lab("masking", "--seed", seed).returncode, 2, seed)

    def test_an_unknown_experiment_is_refused_with_the_names(self):
        done = lab("scalling")
        self.assertEqual(done.returncode, 2)
        for name in EXPERIMENTS:
            self.assertIn(name, done.stderr)

    def test_a_place_that_cannot_be_written_to_is_refused_before_any_work(self):
        done = lab("--out", "/proc/nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/proc/nowhere", done.stderr)
        self.assertEqual(done.stdout, "")


class AttentionPage(unittest.TestCase):
    def test_shows_the_program_that_is_built(self):
        block = re.search(r"```cpp\n(.*?)```", (ROOT / "docs/attention.md").read_text(), re.S).group(1)
        self.assertEqual(block, (ROOT / "docs/examples/attention.cc").read_text())

    def test_the_program_does_what_the_page_says(self):
        out = subprocess.run([EXAMPLE], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertIn("[2, 1, 3, 64]", out)
        rows = [line.split() for line in out.splitlines() if re.fullmatch(r"[\s\d.e+-]+", line) and line.strip()]
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertEqual([float(weight) for weight in row[2:]], [0, 0, 0])
            self.assertAlmostEqual(float(row[0]) + float(row[1]), 1, places=3)


if __name__ == "__main__":
    EXAMPLE, NMT = sys.argv.pop(), sys.argv.pop()
    unittest.main()
