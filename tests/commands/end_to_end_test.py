#!/usr/bin/env python3
"""The program as a user runs it: generate, train, translate, align, compare on a small corpus, and what goes wrong.

    tests/commands/end_to_end_test.py build/bin/nmt
"""
import array
import base64
import json
import math
import os
import pathlib
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from xml.etree import ElementTree

import noise_test
import run_records

try:
    import jsonschema
except ImportError:
    jsonschema = None  # tests/report/schema_test.py says so

NMT = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path()
SEPARATORS = ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"]

CONFIG = """
run_dir: {run}
seed: 1
threads: 1
data:
  source_language: en
  target_language: de
  train: {{source: data/train.en, target: data/train.de}}
  valid: {{source: data/valid.en, target: data/valid.de, alignment: data/valid.links}}
tokenizer: {{vocab_size: 900, shared: false}}
model:
  type: {type}
  embedding_size: 32
  hidden_size: 32
  encoder_layers: 1
  decoder_layers: 1
  dropout: 0.1
training:
  batch_tokens: 600
  learning_rate: 5e-3
  warmup_updates: 40
  max_updates: {updates}
  log_every: 20
  validate_every: 60
translation: {{beam_size: 3}}
"""
MODELS = ("gru", "transformer")
HEADS = {"gru": 1, "transformer": 4}
SVG = "{http://www.w3.org/2000/svg}"


def nmt(*arguments, stdin=b"", check=0):
    """Runs the program; gives stdout and stderr as text. `check` None: any exit status."""
    done = subprocess.run([NMT, *map(str, arguments)], input=stdin, capture_output=True, cwd=FOLDER, timeout=300)
    out, err = done.stdout.decode(), done.stderr.decode()
    if check is not None and done.returncode != check:
        raise AssertionError(f"{arguments}: exit {done.returncode}, expected {check}\n{out}\n{err}")
    return out, err


def on_terminal(*arguments, environment=None):
    """As nmt(), with a terminal in place of stderr, of which all bytes are given."""
    ours, theirs = pty.openpty()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([NMT, *arguments], cwd=FOLDER, env=environment, stdout=out, stderr=theirs)
        os.close(theirs)
        said = b""
        try:
            while more := os.read(ours, 65536):
                said += more
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(ours)
        if process.wait() != 0:
            raise AssertionError(f"{arguments}: exit {process.returncode}\n{said.decode()}")
        out.seek(0)
        return out.read().decode(), said


def write_config(name, model, run, updates=120):
    (FOLDER / name).write_text(CONFIG.format(run=run, type=model, updates=updates))
    return name


def records(run):
    return run_records.records(FOLDER / run)


def last_weights(run):
    checkpoints = FOLDER / run / "checkpoints"
    return (checkpoints / (checkpoints / "last").read_text().strip() / "model.safetensors").read_bytes()


class EndToEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        nmt("data", "generate", "--out", "data", "--train", 1500, "--valid", 40, "--test-seen", 30, "--test-unseen", 30)
        for model in MODELS:
            nmt("train", write_config(f"{model}.yaml", model, model))

    def lines_out(self, model, stdin, *options):
        out, _ = nmt("translate", model, *options, stdin=stdin)
        self.assertTrue(out == "" or out.endswith("\n"))
        return out.split("\n")[:-1]

    def test_a_run_directory_holds_what_is_promised_and_can_be_moved(self):
        for model in MODELS:
            names = {path.name for path in (FOLDER / model).iterdir()}
            self.assertLessEqual({"config.yaml", "source.spm", "target.spm", "checkpoints", "metrics.jsonl", "train.log",
                                  "translations", "alignment.json"}, names)
            moved = FOLDER / f"moved {model} ü"
            shutil.copytree(FOLDER / model, moved)
            self.assertEqual(self.lines_out(moved, b"It is cold.\n"), self.lines_out(model, b"It is cold.\n"))
            losses = [record["loss"] for record in records(model) if "loss" in record]
            self.assertEqual(len(losses), 6)
            self.assertLess(losses[-1], losses[0])

    def test_translating_gives_one_line_for_one_line(self):
        cases = {  # C01 to C05 and C08 of the shared cases, and blank lines of every kind
            b"": 0, b"\n": 1, b"One.\nTwo.": 2, b"One.\nTwo.\n": 2, b"One.\n\n": 2, b"\n\nOne.\n\n": 4,
            b"a\n \n\t\n\xc2\xa0\n\xe3\x80\x80\xe3\x80\x80\nb\n": 6,
            "".join(f"a{mark}b\n" for mark in SEPARATORS).encode(): len(SEPARATORS),
            b"\xff\xfe broken \x80\nNUL \0 inside\n": 2,
            b"</s> after </s>\n<s> <pad> <unk>\n\xe2\x96\x81 mark\n": 3,
        }
        for model in MODELS:
            for text, lines in cases.items():
                for options in ([], ["--batch-size", 1], ["--beam-size", 1], ["--alignment", "hard"]):
                    out = self.lines_out(model, text, *options)
                    self.assertEqual(len(out), lines, (model, text, options))
                    for mark in SEPARATORS + ["\r", "\0"]:
                        self.assertFalse(any(mark in line for line in out), (model, text))

    def test_blank_lines_stay_blank_and_do_not_change_their_neighbours(self):
        for model in MODELS:
            alone = self.lines_out(model, b"The woman reads.\n")[0]
            out = self.lines_out(model, "\nThe woman reads.\n \n\u00a0\n\u3000\n\t\nThe woman reads.\n".encode())
            self.assertEqual(out, ["", alone, "", "", "", "", alone])
            best = [line for line in self.lines_out(model, b"\nThe woman reads.\n", "--n-best", 3)]
            self.assertTrue(best[0].startswith("0 ||| "))
            self.assertTrue(all(line.startswith("1 ||| ") for line in best[1:]))

    def test_windows_line_ends_change_nothing(self):
        for model in MODELS:
            unix = self.lines_out(model, b"The man sings.\nIt is cold.\n\nHe sleeps.\n")
            self.assertEqual(self.lines_out(model, b"The man sings.\r\nIt is cold.\r\n\r\nHe sleeps.\r\n"), unix)
            self.assertEqual(self.lines_out(model, b"It is\rcold.\nHe sleeps.\n"),
                             self.lines_out(model, b"It is cold.\nHe sleeps.\n"))
        # A text, its links and what is trained on them, line ends and byte order mark alike.
        (FOLDER / "windows").mkdir()
        for path in (FOLDER / "data").iterdir():
            if path.suffix in (".en", ".de", ".links"):
                (FOLDER / "windows" / path.name).write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
        for model in MODELS:
            for name in ("data", "windows"):
                config = write_config("ends.yaml", model, f"ends-{model}-{name}", updates=20)
                text = (FOLDER / config).read_text().replace("data/", f"{name}/")
                (FOLDER / config).write_text(text)
                nmt("train", config, "--set", "training.validate_every=20")
            self.assertEqual(last_weights(f"ends-{model}-data"), last_weights(f"ends-{model}-windows"))
        scores = [nmt("score", "--hypothesis", f"{name}/valid.en", "--reference", "windows/valid.de") for name in ("data", "windows")]
        self.assertEqual(scores[0], scores[1])
        links = [nmt("aer", "--hypothesis", f"{name}/valid.links", "--gold", "windows/valid.links", "--gold-base", 0)[0]
                 for name in ("data", "windows")]
        self.assertIn("AER 0.00", links[0])
        self.assertEqual(links[0], links[1])

    def test_letters_that_have_no_piece_are_spelt_in_bytes_that_nobody_sees(self):  # C12
        text = "Snow ☃ and 猫, 😀.\n\nनमस्ते!\n"
        (FOLDER / "letters.en").write_text(text)
        for model in MODELS:
            config = write_config("bytes.yaml", model, f"bytes-{model}", updates=30)
            nmt("train", config, "--set", "tokenizer.byte_fallback=true", "--set", "training.validate_every=30")
            for options in ([], ["--n-best", 3], ["--alignment", "hard"]):
                for line in self.lines_out(f"bytes-{model}", text.encode(), *options):
                    self.assertNotIn("<0x", line)
            links, _ = nmt("align", f"bytes-{model}", "--source", "letters.en", "--target", "letters.en")
            for line, words in zip(links.splitlines(), text.splitlines()):
                for link in line.split():
                    self.assertTrue(all(int(i) < len(words.split()) for i in link.split("-")), link)

    def test_neighbours_batch_size_and_order_do_not_matter(self):
        source = (FOLDER / "data/test_seen.en").read_bytes().splitlines(keepends=True)
        for model in MODELS:
            forward = self.lines_out(model, b"".join(source))
            self.assertEqual(self.lines_out(model, b"".join(reversed(source))), forward[::-1])
            for size in (1, 3, 12):
                self.assertEqual(self.lines_out(model, b"".join(source), "--batch-size", size), forward)

    def test_a_line_that_is_too_long_is_cut_with_its_number(self):
        text = b"It is cold.\n" + b"cold " * 3000 + b"\nIt is cold.\n"
        out, err = nmt("translate", "transformer", "--max-length", 20, stdin=text)
        self.assertEqual(len(out.splitlines()), 3)
        self.assertEqual(out.splitlines()[0], out.splitlines()[2])
        self.assertIn("line 2: cut to the first 511", err)

    def test_bad_search_options_end_before_a_model_is_loaded(self):  # C16
        for options, says in ((("--beam-size", 0), "beam-size"), (("--n-best", -1), "n-best"),
                              (("--beam-size", 5, "--n-best", 10), "10"), (("--device", "tpu"), "tpu"),
                              (("--temperature", 2), "--sample"), (("--top-p", 2), "top-p"),
                              (("--precision", "fp8"), "precision")):
            self.refuse("translate", "no-such-run", *options, says=[says])

    def test_nbest_has_no_text_twice_and_falls(self):  # C40, C15
        for model in MODELS:
            for options in (("--beam-size", 10, "--n-best", 10, "--max-length", 3),
                            ("--beam-size", 400, "--n-best", 30)):
                by_line = {}
                for line in self.lines_out(model, b"It is cold.\nThe man reads.\n", *options):
                    number, text, score = line.split(" ||| ")
                    by_line.setdefault(number, []).append((text, float(score)))
                self.assertEqual(list(by_line), ["0", "1"])
                for found in by_line.values():
                    self.assertEqual(len({text for text, _ in found}), len(found))
                    scores = [score for _, score in found]
                    self.assertEqual(scores, sorted(scores, reverse=True))

    def test_translations_always_end(self):  # C39, C09
        bait = b"the the the the the the\n" + b"cold " * 60 + b"\nNo no no no no no no no.\n"
        for model in MODELS:
            for limit in (1, 15, 16, 17):
                out = self.lines_out(model, bait, "--max-length", limit)
                self.assertEqual(len(out), 3)
            out = self.lines_out(model, bait, "--no-repeat-ngram", 1, "--alignment", "hard")
            self.assertEqual(len(out), 3)
        nmt("train", write_config("table.yaml", "transformer", "table"), "--set", "model.positions=learned", "--set",
            "model.max_positions=16", "--set", "training.max_updates=20", "--set", "training.average=0")
        for limit in (1, 14, 15):
            self.assertEqual(len(self.lines_out("table", bait, "--max-length", limit)), 3)
        self.refuse("translate", "table", "--max-length", 16, exit_status=2, says=["--max-length 16", "15 pieces"])
        self.refuse("train", "table.yaml", "--set", "model.positions=learned", "--set", "model.max_positions=16", "--set",
                    "translation.max_length=16", "--dry-run", exit_status=2, says=["translation.max_length: found 16, expected at most 15"])
        (FOLDER / "long.txt").write_bytes(b"cold " * 40 + b"\n")
        _, said = nmt("align", "table", "--source", "long.txt", "--target", "long.txt")
        self.assertIn("more than the 15 pieces", said)

    def test_lengths_prefixes_and_samples_are_as_asked(self):
        text = b"It is cold.\nThe man reads.\n\n"
        (FOLDER / "prefixes.txt").write_text("Der Hund\n\nDas\n")
        (FOLDER / "short.txt").write_text("Der Hund\n")
        for model in MODELS:
            plain = self.lines_out(model, text)
            led = self.lines_out(model, text, "--prefixes", "prefixes.txt")
            self.assertTrue(led[0].startswith("Der Hund"), led)
            self.assertEqual(led[1:], plain[1:])
            self.assertEqual(len(self.lines_out(model, text, "--min-length", 60, "--max-length", 60)), 3)
            samples = [self.lines_out(model, text, "--sample", "--n-best", 4, "--seed", seed) for seed in (1, 1, 2)]
            self.assertEqual(samples[0], samples[1])
            self.assertNotEqual(samples[0], samples[2])
            self.assertEqual(self.lines_out(model, text, "--sample", "--top-k", 1), self.lines_out(model, text, "--beam-size", 1))
        self.refuse("translate", "gru", "--prefixes", "short.txt", exit_status=1, says=("short.txt", "1"), stdin=text)

    def test_runs_translate_together(self):
        text = (FOLDER / "data/test_seen.en").read_bytes()
        out, _ = nmt("translate", "gru", "gru", stdin=text)
        self.assertEqual(out.splitlines(), self.lines_out("gru", text))
        nmt("train", write_config("third.yaml", "gru", "third"), "--set", "seed=9")
        out, _ = nmt("translate", "third", "gru", "--n-best", 2, stdin=text)  # the same text, the same vocabulary
        self.assertEqual(len({line.split(" ||| ")[0] for line in out.splitlines()}), 30)
        out, _ = nmt("translate", "gru", "transformer", stdin=text)  # both architectures in one
        self.assertEqual(len(out.splitlines()), 30)
        nmt("train", write_config("small.yaml", "gru", "small"), "--set", "tokenizer.vocab_size=120", "--set",
            "training.max_updates=1", "--set", "training.average=0")
        self.refuse("translate", "gru", "small", exit_status=1, says=("gru", "small", "vocabular"), stdin=text)

    def test_json_lines_say_what_happened(self):
        text = b"Anna opens the car door.\n\n\xff cold\n" + b"cold " * 3000 + b"\n"
        for model in MODELS:
            out, err = nmt("translate", model, "--jsonl", "--alignment", "hard", "--n-best", 2, "--max-length", 20, stdin=text)
            found = [json.loads(line) for line in out.splitlines()]
            self.assertEqual([record["line"] for record in found], [1, 2, 3, 4])
            self.assertEqual([record["status"] for record in found], ["ok", "blank", "ill-formed UTF-8", "cut"])
            self.assertEqual(err.count("is not valid UTF-8"), 1)
            self.assertIn("line 3", err)
            plain = self.lines_out(model, text, "--max-length", 20)
            self.assertEqual([record["translation"] for record in found], plain)
            links = self.lines_out(model, text, "--max-length", 20, "--alignment", "hard")
            coverage = self.lines_out(model, text, "--max-length", 20, "--alignment", "coverage")
            record = found[0]
            self.assertEqual(record["alignment"], links[0].partition(" ||| ")[2])
            self.assertTrue(0 < record["confidence"] <= 1)
            self.assertEqual(record["n_best"][0]["translation"], record["translation"])
            attended = {int(link.split("-")[0]) for link in record["alignment"].split()}
            self.assertEqual(record["unattended"], [s for s in range(5) if s not in attended])
            self.assertEqual(coverage[0].partition(" ||| ")[2],
                             f"unattended {','.join(map(str, record['unattended']))} "
                             f"repeated {','.join(map(str, record['repeated']))}")

    def test_lower_precisions_translate_nearly_the_same(self):
        text = (FOLDER / "data/test_seen.en").read_bytes()
        for model in MODELS:
            exact = self.lines_out(model, text)
            for precision in ("bf16", "int8"):
                out, err = nmt("translate", model, "--precision", precision, stdin=text, check=None)
                if "AVX-512" in err:
                    self.skipTest("no AVX-512 here")
                found = out.splitlines()
                self.assertEqual(len(found), len(exact))
                same = sum(a == b for a, b in zip(found, exact))
                self.assertGreater(same, len(exact) // 3, (model, precision))

    def test_a_pipe_gets_its_answers_as_they_come(self):
        for model in MODELS:
            for options in ((), ("--interactive",)):
                process = subprocess.Popen([NMT, "translate", model, *options], cwd=FOLDER, stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                for _ in range(2):
                    process.stdin.write(b"It is cold.\n")
                    process.stdin.flush()
                    self.assertEqual(process.stdout.readline().decode().strip(), self.lines_out(model, b"It is cold.\n")[0])
                process.stdin.close()
                self.assertEqual(process.wait(), 0)
                process.stdout.close()

    def test_random_bytes_give_a_line_for_a_line(self):  # noise_test.py does it with 100,000
        for model in MODELS:
            noise_test.translate_noise(NMT, model, 1200, "--beam-size", "2", cwd=FOLDER)

    def test_diverse_lists_have_more_beginnings(self):
        text = (FOLDER / "data/test_seen.en").read_bytes()
        for model in MODELS:
            def beginnings(*options):
                return {(line.split(" ||| ")[0], line.split(" ||| ")[1].split()[:1][0])
                        for line in self.lines_out(model, text, "--n-best", 4, "--beam-size", 4, *options)}
            self.assertGreater(len(beginnings("--diversity", 5)), len(beginnings()))

    def test_links_are_word_indices_of_the_lines_as_printed(self):
        for model in MODELS:
            source = "Anna opens the car door.\n\nIt's a well-known \u201cfact\u201d \u2026\n"
            for line, out in zip(source.split("\n"), self.lines_out(model, source.encode(), "--alignment", "hard")):
                text, _, links = out.partition(" ||| ")
                self.assertEqual(bool(links), bool(text))
                for link in links.split():
                    s, t = map(int, link.split("-"))
                    self.assertLess(s, len(line.split()))
                    self.assertLess(t, len(text.split()))

    def test_soft_alignments_sum_to_one(self):
        for model in MODELS:
            text, _, soft = self.lines_out(model, b"Anna opens the car door.\n", "--alignment", "soft")[0].partition(" ||| ")
            rows = [[float(weight) for weight in row.split(",")] for row in soft.split()]
            self.assertEqual(len(rows), len(text.split()))
            for row in rows:
                self.assertEqual(len(row), 6)  # five words and </s>
                self.assertAlmostEqual(sum(row), 1, delta=1e-4)

    def test_align_forced_and_free_with_pictures(self):
        for model in MODELS:
            out, err = nmt("align", model, "--source", "data/test_seen.en", "--target", "data/test_seen.de", "--gold",
                           "data/test_seen.links", "--heatmaps", f"pictures {model}", "--lines", "1,2")
            self.assertEqual(len(out.splitlines()), 30)
            self.assertIn("AER", err)
            for line in (1, 2):
                self.assertEqual((FOLDER / f"pictures {model}/line-000{line}.png").read_bytes()[:4], b"\x89PNG")
                self.assertIn("<svg", (FOLDER / f"pictures {model}/line-000{line}.svg").read_text())
            free, _ = nmt("align", model, "--source", "data/test_seen.en")
            source = (FOLDER / "data/test_seen.en").read_bytes()
            self.assertEqual(free.splitlines(), self.lines_out(model, source, "--alignment", "hard"))
            _, err = nmt("align", model, "--source", "data/test_seen.en", "--target", "data/test_seen.de", "--format", "term",
                         "--lines", 1)
            self.assertGreater(len(err.splitlines()), 5)

    def test_pictures_of_every_kind(self):
        (FOLDER / "typed.en").write_text("Anna opens the </s> & <b> door.\nIt is cold.\n")
        (FOLDER / "typed.de").write_text("Anna \u00f6ffnet \u0627\u0644\u0642\u0637. \U000f1234\nEs ist kalt \U000f1234.\n")
        (FOLDER / "typed.links").write_text("0-0 1-1\n0-0\n")
        pair = ("--source", "typed.en", "--target", "typed.de", "--gold", "typed.links")
        for model in MODELS:
            for labels in ("words", "pieces"):
                for grid in ((), ("--grid",)):
                    folder = f"kinds {model} {labels} {len(grid)}"
                    _, err = nmt("align", model, *pair, "--heatmaps", folder, "--format", "png,svg,pdf", "--labels", labels,
                                 *grid)
                    self.assertIn("2 sentences drawn", err)
                    name = "line-0001" + ("-grid" if grid else "")
                    self.assertEqual((FOLDER / folder / f"{name}.png").read_bytes()[:4], b"\x89PNG")
                    pdf = (FOLDER / folder / f"{name}.pdf").read_bytes()
                    self.assertTrue(pdf.startswith(b"%PDF-1."))
                    self.assertTrue(pdf.endswith(b"%%EOF\n"))
                    svg = ElementTree.parse(FOLDER / folder / f"{name}.svg")
                    texts = ["".join(text.itertext()) for text in svg.iter(SVG + "text")]
                    self.assertIn("\u27e8/s\u27e9", texts)  # the end of the sentence
                    self.assertIn("gold link", texts)
                    if labels == "words":
                        self.assertEqual(err.count("U+F1234"), 1, err)  # of two pictures in two formats
                        self.assertIn("</s>", texts)  # what was typed
                        self.assertIn("<b>", texts)
                    else:
                        self.assertTrue(any(text.startswith("\u2581") for text in texts))
                    if grid:
                        self.assertEqual([text for text in texts if text.startswith("layer")],
                                         [f"layer 1, head {head + 1}" for head in range(HEADS[model])])
        self.refuse("align", "gru", "--source", "typed.en", "--grid", says=["--grid", "--heatmaps"])
        self.refuse("align", "gru", "--source", "typed.en", "--labels", "letters", says=["--labels"])

    def test_a_terminal_gets_the_colours_that_it_has(self):
        for environment, code in (({"TERM": "xterm-256color"}, b"\x1b[38;5;"),
                                  ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, b"\x1b[38;2;"),
                                  ({"TERM": "vt100"}, None), ({"TERM": "xterm-256color", "NO_COLOR": "1"}, None)):
            kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM", "TERM")}
            _, said = on_terminal("align", "gru", "--source", "data/test_seen.en", "--target", "data/test_seen.de", "--format",
                                  "term", "--lines", "1", environment=kept | environment)
            self.assertIn("\u27e8/s\u27e9".encode(), said)
            for other in (b"\x1b[38;5;", b"\x1b[38;2;"):
                self.assertEqual(other in said, other == code, environment)

    def test_compare_writes_the_report(self):
        out, _ = nmt("compare", *MODELS, "--source", "data/test_seen.en", "--reference", "data/test_seen.de", "--gold",
                     "data/test_seen.links", "--part", "unseen=data/test_unseen.en,data/test_unseen.de,data/test_unseen.links",
                     "--out", "report", "--samples", 2)
        self.assertIn("BLEU", out)
        report = json.loads((FOLDER / "report/report.json").read_text())
        self.assertEqual(len(report["models"]), 2)
        for model, name in zip(report["models"], MODELS):
            for key in ("name", "run", "bleu", "chrf", "ter", "aer", "parameters", "training_seconds",
                        "decode_tokens_per_second"):
                self.assertIn(key, model)
            self.assertEqual(pathlib.Path(model["run"]).name, name)
            self.assertGreater(model["parameters"], 1000)
            self.assertGreater(model["cost"]["multiply_adds"], model["parameters"])
            self.assertEqual([curve["measure"] for curve in model["cost"]["curves"]][:2], ["training loss", "validation BLEU"])
            # The cell of the run's own layer and head is its AER.
            choice, grid = model["alignment"]["choices"][0], model["alignment"]["aer_grids"][0]
            self.assertEqual(grid["aer"][(choice["layer"] - 1) * (1 + grid["heads"]) + choice["head"]], model["aer"])
            _, said = nmt("align", name, "--source", "data/test_seen.en", "--target", "data/test_seen.de", "--gold", "data/test_seen.links")
            self.assertIn(f"AER {100 * model['aer']:.2f} %", said)
        source = (FOLDER / "data/test_seen.en").read_text()
        self.assertEqual([sentence["source"] for sentence in report["sentences"]], source.splitlines())
        for m, name in enumerate(MODELS):
            translated = [sentence["translations"][m] for sentence in report["sentences"]]
            self.assertEqual(translated, nmt("translate", name, stdin=source.encode())[0].splitlines())
            (FOLDER / "translated").write_text("".join(line + "\n" for line in translated))
            scored, _ = nmt("score", "--hypothesis", "translated", "--reference", "data/test_seen.de")
            self.assertIn(f" = {report['models'][m]['bleu']:.2f} ", scored)
        for sentence in report["sentences"][:20]:
            for attention in sentence["attention"]:
                weights = base64.b64decode(attention["weights"])
                target = sentence["reference"] if attention["target"] == "reference" else sentence["translations"][attention["model"]]
                self.assertEqual((attention["rows"], attention["columns"]), (len(target.split()), len(sentence["source"].split()) + 1))
                self.assertEqual(len(weights), attention["rows"] * attention["columns"])
                self.assertLess(abs(sum(weights) / 255 - attention["rows"]), 0.05 * attention["rows"])
        self.assertEqual([test["metric"] for test in report["comparison"]["tests"]], ["BLEU", "chrF", "TER"])
        self.assertEqual([breakdown["by"] for breakdown in report["breakdowns"]], ["source length", "word frequency"])
        self.assertIn("<title>", (FOLDER / "report/index.html").read_text())
        schema = json.loads((ROOT / "docs/report.schema.json").read_text())
        if jsonschema:
            jsonschema.validate(report, schema)
        markdown = (FOLDER / "report/report.md").read_text()
        for picture in re.findall(r"heatmaps/[^)\" ]+\.png", markdown):
            self.assertTrue((FOLDER / "report" / picture).exists())
        self.assertEqual(len(list((FOLDER / "report/heatmaps").glob("*.png"))), 2)
        scored, _ = nmt("score", "--hypothesis", "data/test_seen.de", "--reference", "data/test_seen.de")
        self.assertIn("100.0", scored)
        self.assertRegex(scored, r"(?s)^BLEU\|nrefs:1\|.* = 100.00 .*\nchrF2\|.* = 100.00\nTER\|.* = 0.00\n$")

    def test_experiment_trains_a_plan_and_compares_its_runs(self):
        write_config("planned.yaml", "gru", "unused", updates=60)
        plan = ("out: plan\nseeds: [1, 2]\nruns:\n"
                "  - {config: planned.yaml, name: gru, set: {model.attention: [additive, dot]}}\n"
                "test: {source: data/test_seen.en, reference: data/test_seen.de, gold: data/test_seen.links}\n")
        (FOLDER / "plan.yaml").write_text(plan)
        names = [f"gru-{score}-seed{seed}" for score in ("additive", "dot") for seed in (1, 2)]
        listed, _ = nmt("experiment", "plan.yaml", "--dry-run")
        self.assertEqual([pathlib.Path(line).name for line in listed.splitlines()[:4]], names)
        self.assertFalse((FOLDER / "plan").exists())

        # Stopped in the middle, it leaves runs that go on.
        process = subprocess.Popen([NMT, "experiment", "plan.yaml", "--jobs", "2"], cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not (FOLDER / "plan/gru-additive-seed1/metrics.jsonl").exists():
            time.sleep(0.02)
            self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn(b"nmt: interrupted; the same command goes on\n", said)
        self.assertFalse((FOLDER / "plan/report").exists())

        out, said = on_terminal("experiment", "plan.yaml", "--jobs", "2")
        said = said.decode().replace("\r\n", "\n")
        self.assertRegex(said, r"experiment [#.]+ +\d+%.*, gru-\S+ \d+%")  # the bar
        self.assertIn("[1/4] gru-additive-seed1: goes on\n", said)
        self.assertIn("] gru-dot-seed2: done in ", said)
        report = json.loads((FOLDER / "plan/report/report.json").read_text())
        self.assertEqual([pathlib.Path(model["run"]).name for model in report["models"]], names)
        self.assertEqual([(group["group"], group["models"]) for group in report["groups"]],
                         [("GRU, additive attention", [0, 1]), ("GRU, dot attention", [2, 3])])
        over_seeds = [test for test in report["comparison"]["tests"] if test["over"] == "seeds"]
        self.assertEqual([(test["model"], test["baseline"], test["samples"]) for test in over_seeds], [(2, 0, 6)] * 4)
        self.assertIn("seeds of GRU, dot attention", out)
        # A run that was stopped and went on is the run that never was.
        nmt("train", "planned.yaml", "--set", "run_dir=unbroken", "--set", "model.attention=additive")
        weights = [next((FOLDER / run / "checkpoints").glob("update-00000060")) / "model.safetensors"
                   for run in ("plan/gru-additive-seed1", "unbroken")]
        self.assertEqual(weights[0].read_bytes(), weights[1].read_bytes())

        # What is done is skipped, and what cannot go on as the plan says is refused before any work.
        before = {name: (FOLDER / "plan" / name / "train.log").read_bytes() for name in names}
        _, said = nmt("experiment", "plan.yaml")
        for i, name in enumerate(names):
            self.assertIn(f"[{i + 1}/4] {name}: done before, best validation BLEU ", said)
            self.assertEqual((FOLDER / "plan" / name / "train.log").read_bytes(), before[name])
        (FOLDER / "plan.yaml").write_text(plan.replace("set: {", "set: {model.dropout: 0.2, "))
        self.refuse("experiment", "plan.yaml", exit_status=2, says=["model.dropout"])
        # A run that fails is named, and the others are trained.
        shutil.rmtree(FOLDER / "plan/gru-dot-seed1/checkpoints")
        (FOLDER / "plan/gru-dot-seed1/checkpoints").write_text("no folder")
        (FOLDER / "plan/gru-dot-seed1/finished.json").unlink()
        (FOLDER / "plan.yaml").write_text(plan)
        _, said = nmt("experiment", "plan.yaml", "--jobs", 2, check=1)
        self.assertIn("nmt: 1 of 4 runs failed and are not in the report: gru-dot-seed1; the same command tries them again", said)
        report = json.loads((FOLDER / "plan/report/report.json").read_text())
        self.assertEqual([pathlib.Path(model["run"]).name for model in report["models"]], [name for name in names if name != "gru-dot-seed1"])

    def test_score_tells_a_difference_from_luck(self):
        reference = [f"the {animal} sees the {thing} in the {place}" for animal in ("cat", "dog", "horse", "bird")
                     for thing in ("moon", "house", "street") for place in ("garden", "morning")]
        files = {"reference": reference, "system": [line.replace("moon", "sun") for line in reference],
                 "baseline": [line.replace("the", "a") for line in reference]}
        for name, lines in files.items():
            (FOLDER / f"scored.{name}").write_text("\n".join(lines) + "\n")
        system = ["score", "--hypothesis", "scored.system", "--reference", "scored.reference"]
        self.assertRegex(nmt(*system, "--confidence", "--metrics", "chrf++")[0],
                         r"^chrF2\+\+\|nrefs:1\|bs:1000\|seed:12345\|.* = \d+\.\d\d \(μ = \d+\.\d\d ± \d+\.\d\d\)\n$")
        for test in ("bootstrap", "ar"):
            against = [*system, "--baseline", "scored.baseline", "--paired", test]
            self.assertEqual(nmt(*against)[0].count("the system is better"), 3, test)
            scores = json.loads(nmt(*against, "--json", "--metrics", "bleu,ter", "--trials", "500")[0])
            for metric, sign in (("bleu", 1), ("ter", -1)):
                self.assertGreater(sign * scores[metric]["difference"], 0)
                self.assertLess(scores[metric]["p_value"], 0.05)
                self.assertEqual(len(scores[metric]["differences"]), scores["test"]["samples"])
        self.assertEqual(nmt(*system, "--baseline", "scored.system")[0].count("no difference shown"), 3)

    def test_training_twice_gives_the_same_bytes(self):
        nmt("train", write_config("again.yaml", "gru", "again"))
        self.assertEqual(records("again"), records("gru"))
        self.assertEqual(last_weights("again"), last_weights("gru"))

    def test_a_run_under_nohup_outlives_its_terminal(self):
        config = write_config("nohup.yaml", "gru", "nohup", updates=100000)
        process = subprocess.Popen([NMT, "train", config], cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        log = FOLDER / "nohup/metrics.jsonl"
        deadline = time.time() + 60
        while not (log.exists() and log.read_text()) and time.time() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        lines = len(log.read_text().splitlines())
        while len(log.read_text().splitlines()) < lines + 2 and time.time() < deadline:
            time.sleep(0.02)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)  # is heard all the same
        _, said = process.communicate(timeout=60)
        self.assertIn(b"stopping after this update", said)
        self.assertTrue((FOLDER / "nohup/checkpoints/last").exists())

    def test_workers_do_not_wait_for_a_keyboard(self):
        ours, theirs = pty.openpty()
        done = subprocess.run([NMT, "translate", "gru", "--workers", "2"], cwd=FOLDER, stdin=theirs, capture_output=True, timeout=60)
        os.close(ours)
        os.close(theirs)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, b"nmt: --workers 2: the input is a keyboard, expected a file, as < text.en\n")

    def test_a_killed_run_resumes_to_the_same_bytes(self):
        config = write_config("killed.yaml", "transformer", "killed")
        for kind in (signal.SIGINT, signal.SIGKILL):
            resume = ["--resume"] if (FOLDER / "killed/config.yaml").exists() else []
            process = subprocess.Popen([NMT, "train", config, *resume], cwd=FOLDER, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            deadline = time.time() + 60
            log = FOLDER / "killed/metrics.jsonl"
            lines = len(log.read_text().splitlines()) if log.exists() else 0
            while time.time() < deadline and process.poll() is None:
                if log.exists() and len(log.read_text().splitlines()) > lines + 1:
                    break
                time.sleep(0.02)
            process.send_signal(kind)
            error = process.communicate()[1].decode()
            if kind == signal.SIGINT:
                self.assertEqual(process.returncode, 1)
                self.assertIn("--resume", error)
            else:
                self.assertEqual(process.returncode, -signal.SIGKILL)
        nmt("train", config, "--resume")
        self.assertEqual(records("killed"), records("transformer"))
        self.assertEqual(last_weights("killed"), last_weights("transformer"))

    def test_a_record_holds_every_look_of_every_pair(self):
        for model in MODELS:
            (FOLDER / "three.en").write_text("It is cold.\n\nAnna opens the car door.\n")
            nmt("align", model, "--source", "three.en", "--record", "record.jsonl")
            found = [json.loads(line) for line in (FOLDER / "record.jsonl").read_text().splitlines()]
            self.assertEqual([record["line"] for record in found], [1, 3])
            config = (FOLDER / model / "config.yaml").read_text()
            heads = int(re.search(r"heads: (\d+)", config).group(1)) if model == "transformer" else 1
            for record in found:
                source, target = len(record["source_pieces"]), len(record["target_pieces"])
                self.assertEqual((record["source_pieces"][-1], record["target_pieces"][-1]), ("</s>", "</s>"))
                shapes = {"attention": (target, source)}
                if model == "transformer":
                    shapes.update(encoder_self_attention=(source, source), decoder_self_attention=(target, target))
                for name, (rows, columns) in shapes.items():
                    self.assertEqual([len(layer) for layer in record[name]], [heads])
                    for head in record[name][0]:
                        self.assertEqual([len(row) for row in head], [columns] * rows)
                        for row in head:
                            self.assertAlmostEqual(sum(row), 1, delta=1e-4)
                self.assertEqual("encoder_self_attention" in record, model == "transformer")
                self.assertEqual(len(record["value_norms"][0][0]), source)
            self.refuse("align", model, "--source", "three.en", "--record", "nowhere/record.jsonl", exit_status=1,
                        says=["nowhere/record.jsonl"])
            long = "the " * 700 + "\n"
            (FOLDER / "long.en").write_text(long)
            _, err = nmt("align", model, "--source", "long.en", "--target", "long.en")
            self.assertIn("line 1", err)

    def test_the_toy_reversal_is_aligned_and_scored(self):  # C18: word sN is tN, in reverse order
        draw = random.Random(1)
        lines = [[draw.randrange(30) for _ in range(draw.randrange(2, 9))] for _ in range(430)]
        for name, part in (("toy", lines[:380]), ("toytest", lines[380:])):
            (FOLDER / f"{name}.s").write_text("".join(" ".join(f"s{n}" for n in line) + "\n" for line in part))
            (FOLDER / f"{name}.t").write_text("".join(" ".join(f"t{n}" for n in reversed(line)) + "\n" for line in part))
            (FOLDER / f"{name}.links").write_text(
                "".join(" ".join(f"{s}-{len(line) - 1 - s}" for s in range(len(line))) + "\n" for line in part))
        for model, most in (("gru", 5), ("transformer", 25)):  # a shift by one would give nearly 100
            (FOLDER / "toy.yaml").write_text(
                f"run_dir: toy {model}\nthreads: 1\n"
                "data:\n  train: {source: toy.s, target: toy.t}\n"
                "  valid: {source: toy.s, target: toy.t, alignment: toy.links}\n"
                "tokenizer: {vocab_size: 100, shared: false}\n"
                f"model: {{type: {model}, embedding_size: 64, hidden_size: 64, encoder_layers: 1, decoder_layers: 1}}\n"
                "training: {batch_tokens: 600, learning_rate: 5e-3, warmup_updates: 100, max_updates: 600, validate_every: 600}\n")
            nmt("train", "toy.yaml")
            out, err = nmt("align", f"toy {model}", "--source", "toytest.s", "--target", "toytest.t", "--gold", "toytest.links")
            self.assertLess(float(re.search(r"AER ([\d.]+)", err).group(1)), most, (model, err))
            for line, links in zip(lines[380:], out.splitlines()):
                for link in links.split():
                    self.assertLess(max(map(int, link.split("-"))), len(line))
            # A model scores its own translations as it did when it made them.
            found = [line.split(" ||| ") for line in
                     self.lines_out(f"toy {model}", (FOLDER / "toytest.s").read_bytes(), "--n-best", 1, "--length-penalty", 1)]
            (FOLDER / "own.t").write_text("".join(translation + "\n" for _, translation, _ in found))
            out, err = nmt("score", "--model", f"toy {model}", "--source", "toytest.s", "--hypothesis", "own.t", "--per-piece")
            self.assertIn("perplexity", err)
            self.assertEqual(len(out.splitlines()), len(found))
            # Where the search spelt a word with other pieces than the tokenizer would, the scores differ.
            same = sum(abs(float(score) - float(given)) < 1e-3 for score, (_, _, given) in zip(out.splitlines(), found))
            self.assertGreater(same, len(found) * 0.8, model)
        nmt("score", "--model", "toy gru", "--hypothesis", "own.t", check=2)
        nmt("score", "--hypothesis", "own.t", check=2)

    def links_of(self, *options):
        out, err = nmt("align", *options)
        return [set(line.split()) for line in out.splitlines()], err

    def test_two_directions_are_merged_and_selected_by_their_agreement(self):
        forward = ["--source", "data/test_seen.en", "--target", "data/test_seen.de"]
        for model in MODELS:
            text = CONFIG.format(run=f"back {model}", type=model, updates=120)
            for side, other in (("source", "target"), ("target", "source")):
                text = re.sub(rf"\b{side}: data/(\w+)\.(en|de)", rf"{side}_: data/\1.@\2", text)
            text = text.replace("@en", "de").replace("@de", "en").replace("_:", ":").replace(", alignment: data/valid.links", "")
            (FOLDER / "back.yaml").write_text(text)
            nmt("train", "back.yaml")
            shutil.copytree(FOLDER / model, FOLDER / f"two {model}", dirs_exist_ok=True)
            both = [f"two {model}", *forward, "--backward", f"back {model}"]
            choice = json.loads((FOLDER / f"back {model}" / "alignment.json").read_text())
            self.assertEqual(choice["criterion"], "certainty")
            _, err = self.links_of(*both, "--select")
            self.assertEqual(err.count("agreement"), 2)
            for run in (f"two {model}", f"back {model}"):
                choice = json.loads((FOLDER / run / "alignment.json").read_text())
                self.assertEqual(choice["criterion"], "agreement")
                self.assertTrue(0 < choice["value"] <= 1)
            merged = {}
            for method in ("intersection", "grow-diag", "grow-diag-final-and", "union", "product"):
                merged[method], err = self.links_of(*both, "--symmetrize", method, "--gold", "data/test_seen.links")
                self.assertIn(method, err)
                self.assertIn("backward: layer", err)
            one, _ = self.links_of(f"two {model}", *forward)
            for line, alone in enumerate(one):
                self.assertLessEqual(merged["intersection"][line], alone)
                self.assertLessEqual(alone, merged["union"][line])
                self.assertLessEqual(merged["intersection"][line], merged["grow-diag"][line])
                self.assertLessEqual(merged["grow-diag"][line], merged["grow-diag-final-and"][line])
                self.assertLessEqual(merged["grow-diag-final-and"][line], merged["union"][line])
            self.refuse("align", *both, "--symmetrize", "sum", says=["sum", "grow-diag"])
            self.refuse("align", *both, "--symmetrize", "product", "--threshold", 0.5, says=["product", "--threshold"])
            _, err = self.links_of(*both, "--symmetrize", "product", "--gold", "data/test_seen.links", "--measures")
            self.assertNotIn("threshold", err)
            for name in ("entropy", "coverage deviation", "gold mass", "agreement of directions"):
                self.assertRegex(err, name + r" \d\.\d+")
        self.refuse("align", "gru", "--source", "data/test_seen.en", "--backward", "transformer", says=["--target"])

    def test_each_convention_of_links_does_what_it_says(self):
        texts = ["--source", "data/test_seen.en", "--target", "data/test_seen.de"]
        for model in MODELS:
            plain = ["--threshold", 1, "--per-source", 0]
            argmax, _ = self.links_of(model, *texts, *plain)
            lengths = [len(line.split()) for line in (FOLDER / "data/test_seen.de").read_text().splitlines()]
            self.assertEqual([len(line) for line in argmax], lengths)  # a link a target word
            wider, _ = self.links_of(model, *texts, "--threshold", 0.3, "--per-source", 0)
            self.assertTrue(all(few <= many for few, many in zip(argmax, wider)))
            self.assertNotEqual(argmax, wider)
            sources, _ = self.links_of(model, *texts, "--threshold", 0, "--per-source", 0.01)
            for line, text in zip(sources, (FOLDER / "data/test_seen.en").read_text().splitlines()):
                self.assertLessEqual(len(line), len(text.split()))
            dropped, err = self.links_of(model, *texts, *plain, "--end-of-source", "drop", "--gold", "data/test_seen.links")
            self.assertTrue(all(few <= many for few, many in zip(dropped, argmax)))
            self.assertIn("none where </s> is largest", err)
            norms, err = self.links_of(model, *texts, *plain, "--weights", "norms", "--gold", "data/test_seen.links")
            self.assertIn("value norms", err)
            self.assertNotEqual(norms, argmax)
            self.assertGreater(sum(map(len, norms)), 0.9 * sum(lengths))
            (FOLDER / "marks.en").write_text("It is cold .\n")
            (FOLDER / "marks.de").write_text("Es ist kalt !\n")
            marks, _ = self.links_of(model, "--source", "marks.en", "--target", "marks.de", "--final-punctuation")
            self.assertEqual([link for link in marks[0] if link.startswith("3-") or link.endswith("-3")], ["3-3"])

    def test_guided_training_brings_attention_to_the_links(self):
        for model in MODELS:
            text = CONFIG.format(run=f"guided {model}", type=model, updates=120)
            text = text.replace("target: data/train.de}", "target: data/train.de, alignment: data/train.links}")
            text = text.replace("  batch_tokens: 600", "  alignment: {weight: 0.5}\n  batch_tokens: 600")
            (FOLDER / "guided.yaml").write_text(text)
            nmt("train", "guided.yaml")
            found, plain = records(f"guided {model}"), records(model)
            losses = [record["alignment_loss"] for record in found if "alignment_loss" in record]
            self.assertEqual(len(losses), 6)
            self.assertLess(losses[-1], 0.85 * losses[0])
            self.assertFalse(any("alignment_loss" in record for record in plain))
            aer = [[record["alignment"]["aer"] for record in run if "alignment" in record][-1] for run in (found, plain)]
            self.assertLess(aer[0], aer[1])
            nmt("train", "guided.yaml", "--verify-resume")

    def refuse(self, *arguments, exit_status=2, says=(), stdin=b""):
        def found():
            files = ((path, path.lstat()) for path in FOLDER.rglob("*"))
            return sorted((str(path), stat.st_mode, stat.st_size, 0 if path.is_dir() else stat.st_mtime_ns) for path, stat in files)
        before = found()
        _, err = nmt(*arguments, check=exit_status, stdin=stdin)
        for text in says:
            self.assertIn(text, err)
        self.assertNotIn("Exception raised from", err)
        self.assertEqual(found(), before, "a refusal changes nothing")

    def test_words_that_are_no_command_or_too_large_are_named(self):
        self.refuse("trian", "x.yaml", says=['nmt: unknown command "trian", did you mean "train"?\n'])
        self.refuse("zzz", says=['nmt: unknown command "zzz", expected one of train, '])
        for option in ("--layer", "--head"):
            self.refuse("align", "gru", "--source", "data/valid.en", "--target", "data/valid.de", option, "9",
                        says=[f"nmt: {option} 9: the model of gru has 1 layers of 1 heads"])

    def test_a_place_that_cannot_be_written_to_is_refused_before_any_work(self):
        write_config("placed.yaml", "gru", "unused")
        (FOLDER / "a-file").write_text("")
        places = [("a-file/run", "a-file is a file")]
        if os.geteuid() != 0:  # root may write anywhere
            (FOLDER / "locked").mkdir(mode=0o555, exist_ok=True)
            places.append(("locked/run", "no permission to write into "))
        for place, says in places:
            self.refuse("train", "placed.yaml", "--set", f"run_dir={place}", exit_status=1, says=[f"{place} cannot be made", says])
            _, said = nmt("train", "placed.yaml", "--set", f"run_dir={place}", check=1)
            self.assertNotIn("vocabulary", said)  # which is what the work begins with

    def test_a_message_cannot_speak_to_the_terminal(self):
        _, said = nmt("translate", "a\x1b[31mrun\x07", check=1)
        self.assertIn("a [31mrun", said)
        self.assertNotRegex(said, "[\x1b\x07]")

    def test_compare_takes_odd_sets_and_refuses_what_cannot_be_compared(self):
        (FOLDER / "odd.en").write_text("the cat sees the dog .\n\n   \nthe dog\n")
        (FOLDER / "odd.de").write_text("die Katze sieht den Hund .\n\nleer\n\n")
        nmt("compare", "gru", "--source", "odd.en", "--reference", "odd.de", "--out", "odd-report", "--lines", "2,1,1")
        report = json.loads((FOLDER / "odd-report/report.json").read_text())
        self.assertEqual(len(report["models"]), 1)
        self.assertEqual([len(sentence["attention"]) > 0 for sentence in report["sentences"]], [True, False, False, True])
        self.assertEqual([sentence["entropy"][0] is None for sentence in report["sentences"]], [False, True, True, True])
        files = ["--source", "odd.en", "--reference", "odd.de", "--out", "no"]
        # References without blanks between words are cut into characters, and the signature says so (C34).
        (FOLDER / "odd.zh").write_text("猫看见了狗。\n\n\n狗\n")
        nmt("compare", "gru", "--source", "odd.en", "--reference", "odd.zh", "--out", "zh-report")
        report = json.loads((FOLDER / "zh-report/report.json").read_text())
        self.assertIn("|tok:zh|", report["models"][0]["bleu_signature"])
        # Of lines that are too long, how many and whose: one line of warning a model.
        (FOLDER / "long.en").write_text("cold " * 700 + "\nIt is cold.\n" + "cold " * 800 + "\n")
        (FOLDER / "long.de").write_text("kalt\nEs ist kalt.\nkalt\n")
        _, said = nmt("compare", *MODELS, "--source", "long.en", "--reference", "long.de", "--out", "long-report")
        for model in MODELS:
            lines = [line for line in said.splitlines() if f"{model}: 2 lines of " in line and line.endswith("the first is line 1")]
            self.assertEqual(len(lines), 2, said)  # to translate, and to look at
        self.refuse("compare", "gru", "./gru/", *files, says=["./gru/: given twice"])
        self.refuse("compare", "gru", "no-run", *files, exit_status=1, says=["no-run: is no run directory"])
        shutil.copytree(FOLDER / "gru", FOLDER / "other-way")
        config = (FOLDER / "other-way/config.yaml").read_text()
        (FOLDER / "other-way/config.yaml").write_text(config.replace('target_language: "de"', 'target_language: "fr"'))
        self.refuse("compare", "gru", "other-way", *files, says=['other-way translates "en" to "fr"', "expected runs of this direction"])
        # A run of the opposite direction is scored on the test set exchanged, in a table of its own.
        (FOLDER / "other-way/config.yaml").write_text(config.replace('source_language: "en"', 'source_language: "de"')
                                                      .replace('target_language: "de"', 'target_language: "en"'))
        out, _ = nmt("compare", "gru", "other-way", "transformer", "--source", "data/valid.en", "--reference", "data/valid.de",
                     "--gold", "data/valid.links", "--out", "both-ways")
        report = json.loads((FOLDER / "both-ways/report.json").read_text())
        self.assertEqual([model["architecture"] for model in report["models"]], ["gru", "transformer"])
        self.assertTrue(all(len(sentence["translations"]) == 2 for sentence in report["sentences"]))
        other, = report["opposite"]
        self.assertEqual(other["name"], "GRU, additive attention (de to en)")
        translated, _ = nmt("translate", "other-way", stdin=(FOLDER / "data/valid.de").read_bytes())
        (FOLDER / "back.en").write_text(translated)
        scored, _ = nmt("score", "--hypothesis", "back.en", "--reference", "data/valid.en", "--metrics", "bleu")
        self.assertIn(f"= {other['bleu']:.2f} ", scored)
        links, _ = nmt("align", "other-way", "--source", "data/valid.de", "--target", "data/valid.en")
        (FOLDER / "back.links").write_text(links)
        scored, _ = nmt("aer", "--hypothesis", "back.links", "--gold", "data/valid.links", "--gold-base", 0, "--reverse")
        self.assertIn(f"AER {100 * other['aer']:.2f}", scored)
        for text in (out, (FOLDER / "both-ways/report.md").read_text()):
            self.assertIn("GRU, additive attention (de to en)", text)

    def test_unequal_files_are_refused_by_name_with_both_counts(self):  # C10
        (FOLDER / "five.en").write_text("a\nb\nc\nd\ne\n")
        (FOLDER / "four.de").write_text("A\nB\nD\nE\n")
        write_config("unequal.yaml", "gru", "unequal")
        self.refuse("train", "unequal.yaml", "--set", "data.train.source=five.en", "--set", "data.train.target=four.de",
                    exit_status=1, says=["five.en: 5 lines, but ", "four.de has 4 lines"])
        for part in ("valid", "test"):
            self.refuse("train", "unequal.yaml", "--set", f"data.{part}.source=five.en", "--set", f"data.{part}.target=four.de",
                        exit_status=1, says=["five.en: 5 lines, but ", "four.de has 4 lines"])
        (FOLDER / "three.links").write_text("0-0\n" * 3)
        for arguments in (["align", "gru", "--source", "five.en", "--target", "five.en"],
                          ["compare", "gru", "--source", "five.en", "--reference", "five.en", "--out", "no"]):
            self.refuse(*arguments, "--gold", "three.links", exit_status=1, says=["three.links: 3 lines of links, but the texts that it links have 5"])
        self.refuse("train", "unequal.yaml", "--set", "data.train.source=empty.en", "--set", "data.train.target=empty.en",
                    exit_status=1, says=["empty.en"])
        self.refuse("align", "gru", "--source", "five.en", "--target", "four.de", exit_status=1, says=["four.de: 4 lines, but five.en has 5 lines"])
        self.refuse("score", "--model", "gru", "--source", "five.en", "--hypothesis", "four.de", exit_status=1,
                    says=["four.de: 4 lines, but five.en has 5 lines"])
        self.refuse("compare", *MODELS, "--source", "five.en", "--reference", "four.de", "--out", "no", exit_status=1,
                    says=["five.en", "four.de"])
        self.refuse("score", "--hypothesis", "five.en", "--reference", "four.de", exit_status=1, says=["five.en", "four.de"])
        self.refuse("score", "--hypothesis", "five.en", "--reference", "five.en", "--baseline", "four.de", exit_status=1,
                    says=["five.en", "four.de", "5", "4"])

    def test_score_refuses_bad_options_before_it_reads_a_file(self):
        files = ["score", "--hypothesis", "no-such-file", "--reference", "no-such-file"]
        for options, says in ((["--metrics", "bleu,rouge"], "rouge"), (["--smooth-value", "2"], "--smooth exp has no value"),
                              (["--smooth", "laplace"], "laplace"), (["--paired", "ar"], "--baseline"), (["--trials", "0"], "0")):
            self.refuse(*files, *options, says=[says])

    def test_bad_configs_are_refused_with_line_and_key(self):  # C27, C28
        text = (FOLDER / "gru.yaml").read_text().replace("run_dir: gru", "run_dir: bad")
        for old, new, says in (("learning_rate", "learning_rat", ["learning_rat", 'did you mean "training.learning_rate"']),
                               ("vocab_size: 900", "vocab_size: 1,5", ["vocab_size"]),
                               ("dropout: 0.1", "dropout: nan", ["model.dropout", "nan"]),
                               ("beam_size: 3", "beam_size: -1", ["translation.beam_size", "-1"]),
                               ("type: gru", "type: grue", ["model.type", "grue", "gru"])):
            (FOLDER / "bad.yaml").write_text(text.replace(old, new, 1))
            line = next(i for i, row in enumerate((FOLDER / "bad.yaml").read_text().split("\n"), 1) if new in row)
            self.refuse("train", "bad.yaml", says=[f"bad.yaml:{line}:", *says])
        self.refuse("train", "none.yaml", says=["none.yaml"])
        self.refuse("train", "gru.yaml", "--set", "training.nothing=1", says=["--set", "training.nothing"])

    def test_language_no_stays_a_word(self):  # C29
        write_config("norwegian.yaml", "gru", "norwegian")
        out, _ = nmt("train", "norwegian.yaml", "--dry-run", "--set", "data.source_language=no", "--set",
                     "data.target_language=on")
        self.assertIn('source_language: "no"', out)
        self.assertFalse((FOLDER / "norwegian").exists())

    def test_a_finished_run_is_not_overwritten_unasked(self):
        self.refuse("train", "gru.yaml", says=["--resume", "--overwrite"])
        self.refuse("train", "gru.yaml", "--resume", "--set", "model.hidden_size=64", says=["model.hidden_size", "64", "32"])
        self.refuse("train", "gru.yaml", "--set", "run_dir=five", "--resume", says=["no run"])

    def test_bad_options_are_refused_before_a_model_is_loaded(self):
        self.refuse("translate", "gru", "--beam-size", 0, says=["--beam-size"])
        self.refuse("translate", "nothing", "--beam-size", 5, "--n-best", 10, says=["10", "5"])
        self.refuse("translate", "nothing", exit_status=1, says=["nothing", "no run directory"])
        self.refuse("translate", "gru", "--device", "cuda:77", says=["cuda:77"])
        self.refuse("align", "gru", "--source", "data/test_seen.en", "--layer", 9, says=["--layer 9"])
        self.refuse("align", "nothing", "--source", "data/test_seen.en", "--lines", 99, says=["99", "30"])
        self.refuse("align", "nothing", "--source", "data/test_seen.en", "--format", "png", says=["--heatmaps"])
        folder = os.open(FOLDER, os.O_RDONLY)  # a standard input that cannot be read
        done = subprocess.run([NMT, "translate", "gru"], cwd=FOLDER, stdin=folder, capture_output=True)
        os.close(folder)
        self.assertEqual((done.returncode, b"cannot read" in done.stderr), (1, True))
        self.refuse("nonsense", says=[])

    def test_a_failed_start_leaves_the_old_run_and_no_new_one(self):
        shutil.copytree(FOLDER / "gru", FOLDER / "kept")
        write_config("kept.yaml", "gru", "kept")
        self.refuse("train", "kept.yaml", "--overwrite", "--set", "tokenizer.vocab_size=8", says=["tokenizer.vocab_size"])
        self.refuse("train", "kept.yaml", "--overwrite", "--set", "data.max_length=1", exit_status=1,
                    says=["data.max_length"])
        self.refuse("train", "kept.yaml", "--set", "run_dir=fresh", "--set", "tokenizer.vocab_size=8",
                    says=["tokenizer.vocab_size"])
        self.refuse("train", "kept.yaml", "--set", "data.test.source=five.none", "--set", "data.test.target=five.none",
                    "--set", "run_dir=fresh", exit_status=1, says=["five.none"])
        (FOLDER / "foreign/translations").mkdir(parents=True)
        self.refuse("train", "kept.yaml", "--overwrite", "--set", "run_dir=foreign", says=["translations"])
        (FOLDER / "kept/checkpoints/last").unlink()
        _, err = nmt("train", "kept.yaml", "--resume")  # as a kill between saving and pointing leaves it
        self.assertIn("resuming after update 120", err)
        self.refuse("train", "kept.yaml", "--overwrite", "--set", f"training.warm_start={FOLDER / 'kept'}",
                    says=["training.warm_start", "run_dir itself"])

    def test_a_tiny_corpus_shrinks_the_vocabulary_and_trains(self):  # C11, C13
        (FOLDER / "one.en").write_text("hello world\n")
        write_config("one.yaml", "gru", "one", updates=3)
        arguments = ["train", "one.yaml", "--set", "tokenizer.vocab_size=8000"]
        for side in ("train.source", "train.target", "valid.source", "valid.target"):
            arguments += ["--set", f"data.{side}=one.en"]
        _, err = nmt(*arguments, "--set", 'data.valid.alignment=""')
        self.assertIn("asked for 8000", err)
        self.assertIn("1 training pairs", err)
        self.assertEqual(len(self.lines_out("one", b"hello world\n", "--beam-size", 20)), 1)

    def test_the_last_updates_of_an_epoch_take_what_is_left(self):  # C13, C23
        (FOLDER / "seven.en").write_text("".join(f"hello world {i}\n" for i in range(7)))
        for model in MODELS:
            write_config("seven.yaml", model, f"seven-{model}")
            arguments = ["train", "seven.yaml", "--set", 'data.valid.alignment=""', "--set", "tokenizer.vocab_size=40", "--set",
                         "training.batch_tokens=1", "--set", "training.accumulate=4", "--set", "training.max_epochs=2", "--set",
                         "training.log_every=1"]
            for side in ("train.source", "train.target", "valid.source", "valid.target"):
                arguments += ["--set", f"data.{side}=seven.en"]
            _, said = nmt(*arguments)
            self.assertIn("7 training pairs", said)
            updates = [record for record in records(f"seven-{model}") if "target_tokens" in record]
            self.assertEqual([record["update"] for record in updates], [1, 2, 3, 4])  # four pairs and three, twice
            for first in (0, 2):
                four, three = (record["target_tokens"] for record in updates[first:first + 2])
                self.assertGreater(four, three)
                self.assertEqual(four + three, updates[0]["target_tokens"] + updates[1]["target_tokens"])

    def test_pairs_with_an_empty_side_are_left_out_and_said(self):  # C21
        (FOLDER / "holes.en").write_text("hello world\n\nhello you\n")
        (FOLDER / "holes.de").write_text("hallo welt\nnichts\n\n")
        for model in MODELS:
            write_config("holes.yaml", model, f"holes {model}", updates=3)
            arguments = ["train", "holes.yaml", "--set", 'data.valid.alignment=""']
            for part in ("train", "valid"):
                arguments += ["--set", f"data.{part}.source=holes.en", "--set", f"data.{part}.target=holes.de"]
            _, err = nmt(*arguments)
            self.assertIn("3 training pairs, 3 validation pairs", err)
            self.assertIn("left out: 2 pairs with an empty side", err)
            self.assertNotIn("nan", err)

    def test_a_run_that_leads_elsewhere_is_refused(self):
        def link(path):
            path.rename(FOLDER / "elsewhere")
            path.symlink_to(FOLDER / "elsewhere")

        def pipe(path):
            path.unlink(missing_ok=True)
            os.mkfifo(path)

        for name, change in (("config.yaml", pipe), ("source.spm", link), ("train.log", link), ("checkpoints", link)):
            shutil.rmtree(FOLDER / "leads", ignore_errors=True)
            shutil.copytree(FOLDER / "gru", FOLDER / "leads")
            change(FOLDER / "leads" / name)
            says = [f"leads/{name}: is a link, a pipe or a device"]
            write_config("led.yaml", "gru", "leads")
            for arguments in (["translate", "leads"], ["info", "leads"], ["average", "leads", "--last", 2],
                              ["compare", "leads", "--source", "data/valid.en", "--reference", "data/valid.de", "--out", "no"],
                              ["train", "led.yaml", "--resume"],
                              ["train", "led.yaml", "--set", "run_dir=begun", "--set", "training.warm_start=leads"]):
                if arguments[:2] == ["train", "led.yaml"] and "--set" in arguments:
                    _, said = nmt(*arguments, check=1)
                    self.assertIn(says[0], said)
                    shutil.rmtree(FOLDER / "begun", ignore_errors=True)
                else:
                    self.refuse(*arguments, exit_status=1, says=says)
            elsewhere = FOLDER / "elsewhere"
            if elsewhere.exists():
                shutil.rmtree(elsewhere) if elsewhere.is_dir() else elsewhere.unlink()

    def test_a_damaged_checkpoint_is_refused_by_name(self):  # C25, C30
        shutil.copytree(FOLDER / "gru", FOLDER / "damaged")
        best = FOLDER / "damaged/checkpoints" / (FOLDER / "damaged/checkpoints/best").read_text().strip()
        whole = (best / "model.safetensors").read_bytes()
        for bytes_left in (0, len(whole) // 2):
            (best / "model.safetensors").write_bytes(whole[:bytes_left])
            self.refuse("translate", "damaged", exit_status=1, says=["model.safetensors", "damaged"], stdin=b"a\n")
        (best / "model.safetensors").write_bytes(whole)
        shutil.copy(FOLDER / "damaged/source.spm", FOLDER / "damaged/target.spm")
        self.refuse("translate", "damaged", exit_status=1, says=["vocabulary"], stdin=b"a\n")

    def test_other_programs_read_a_run(self):  # Python's safetensors, TensorBoard
        interpreter = ROOT / ".deps/test-python/interpreter"
        if not interpreter.exists():
            self.skipTest("no .deps/test-python: scripts/setup.sh --tests installs safetensors and tensorboard")
        # As after a kill behind update 60: what the first part wrote of later updates is made again.
        config = write_config("parts.yaml", "gru", "parts")
        nmt("train", config)
        shutil.rmtree(FOLDER / "parts/checkpoints/update-00000120")
        (FOLDER / "parts/checkpoints/last").write_text("update-00000060\n")
        time.sleep(1.1)  # TensorBoard orders event files by the second in their names
        nmt("train", config, "--resume")
        found = subprocess.run([interpreter.read_text().strip(), ROOT / "tests/commands/read_run.py", FOLDER / "parts"],
                               env=dict(os.environ, PYTHONPATH=str(ROOT / ".deps/test-python")), capture_output=True,
                               text=True)
        self.assertEqual(found.returncode, 0, found.stderr)
        found = json.loads(found.stdout)
        listed, _ = nmt("info", "parts", "--parameters")
        self.assertEqual(len(found["weights"]), listed.count("["))
        weights = last_weights("parts")
        begin = 8 + int.from_bytes(weights[:8], "little")
        header = json.loads(weights[8:begin])
        for name, (shape, total) in found["weights"].items():
            self.assertRegex(listed, rf"\[{', '.join(map(str, shape))}\] +{re.escape(name)}\n")
            first, last = header[name]["data_offsets"]
            self.assertAlmostEqual(total, math.fsum(array.array("f", weights[begin + first:begin + last])), places=4)
        own = [json.loads(line) for line in (FOLDER / "parts/metrics.jsonl").read_text().splitlines()]
        losses = [[record["update"], record["loss"]] for record in own if "loss" in record]
        self.assertEqual([step for step, _ in found["curves"]["training/loss"]], [step for step, _ in losses])
        for (_, read), (_, written) in zip(found["curves"]["training/loss"], losses):
            self.assertAlmostEqual(read, written, places=5)
        self.assertIn("validation/bleu", found["curves"])
        self.assertGreater(found["curves"]["training/update_ratio"][-1][1], 0)

    def test_resuming_is_proved_on_the_users_config(self):
        config = write_config("proof.yaml", "transformer", "proof")
        before = sorted(str(path) for path in FOLDER.rglob("*"))
        _, err = nmt("train", config, "--verify-resume")
        self.assertIn("verified", err)
        self.assertEqual(sorted(str(path) for path in FOLDER.rglob("*")), before)

    def test_a_run_starts_from_another_with_parts_frozen(self):
        config = write_config("warm.yaml", "gru", "warm")
        warm = ["--set", f"training.warm_start={FOLDER / 'gru'}", "--set", "training.freeze=[embeddings.*, encoder*]",
                "--set", "training.max_updates=20", "--set", "training.learning_rate=1e-4"]
        _, err = nmt("train", config, *warm)
        self.assertIn("to start from", err)
        first = [json.loads(line) for line in (FOLDER / "warm/metrics.jsonl").read_text().splitlines()][0]
        cold = [json.loads(line) for line in (FOLDER / "gru/metrics.jsonl").read_text().splitlines()][0]
        self.assertLess(first["loss"], 0.9 * cold["loss"])
        self.refuse("train", config, "--overwrite", "--set", "training.freeze=nothing_like_it",
                    says=("training.freeze", "nothing_like_it"))
        self.refuse("train", config, "--overwrite", *warm, "--set", "model.hidden_size=24", exit_status=1,
                    says=("gru/checkpoints", "shape"))
        self.refuse("train", config, "--overwrite", *warm, "--set", "tokenizer.lowercase=true",
                    says=("training.warm_start", "lowercase"))

    def test_several_texts_with_weights_are_trained_on(self):
        lines = {side: (FOLDER / f"data/train.{side}").read_text().splitlines(keepends=True) for side in ("en", "de")}
        for side, text in lines.items():
            (FOLDER / f"first.{side}").write_text("".join(text[:500]))
            (FOLDER / f"second.{side}").write_text("".join(text[500:]))
        config = write_config("texts.yaml", "gru", "texts")
        _, err = nmt("train", config, "--set", "data.train.source=[first.en, second.en]", "--set",
                     "data.train.target=[first.de, second.de]", "--set", "data.train.weight=[2, 0.5]", "--set",
                     "data.shuffle_buffer=1000", "--set", "training.max_updates=20")
        self.assertIn("1,500 training pairs", err)
        self.refuse("train", config, "--overwrite", "--set", "data.train.source=[first.en, second.en]", "--set",
                    "data.train.target=[first.de, data/valid.de]", exit_status=1, says=("second.en", "1000 lines", "40"))

    def test_memory_does_not_grow_with_the_corpus(self):
        for side in ("en", "de"):
            text = (FOLDER / f"data/train.{side}").read_text()
            with open(FOLDER / f"large.{side}", "w") as out:
                for _ in range(600):  # 900,000 pairs, 100 MB
                    out.write(text)
        peaks = []
        for name in ("data/train", "large"):
            config = write_config("memory.yaml", "gru", f"memory-{len(peaks)}")
            process = subprocess.Popen(
                [NMT, "train", config, "--set", f"data.train.source={name}.en", "--set",
                 f"data.train.target={name}.de", "--set", "data.shuffle_buffer=1500", "--set",
                 "training.max_updates=100", "--set", f"training.warm_start={FOLDER / 'gru'}"],
                cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            peaks.append(usage.ru_maxrss / 1024)
        self.assertLess(peaks[1], peaks[0] + 20, "MB")

    def test_checkpoints_are_averaged_by_command(self):
        config = write_config("mean.yaml", "gru", "mean")
        nmt("train", config, "--set", "training.keep_last=3", "--set", "training.average=0", "--set",
            "training.validate_every=10")
        out, _ = nmt("average", "mean", "--last", "3", "--make-best")
        self.assertEqual(out.count("checkpoint: "), 3)
        best = (FOLDER / "mean/checkpoints/best").read_text().strip()
        self.assertTrue(best.startswith("average-"))
        self.assertEqual(len(self.lines_out("mean", b"the dog sleeps\n")), 1)
        nmt("average", "mean", "--last", "9", check=1)

    def test_a_run_belongs_to_one_process(self):
        config = write_config("mine.yaml", "gru", "mine", updates=4000)
        process = subprocess.Popen([NMT, "train", config], cwd=FOLDER, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            log = FOLDER / "mine/metrics.jsonl"
            deadline = time.time() + 60
            while time.time() < deadline and not (log.exists() and log.read_text()):
                time.sleep(0.05)
            for option in ("--resume", "--overwrite"):
                _, err = nmt("train", config, option, check=1)
                self.assertIn("another process is at work", err)
        finally:
            process.kill()
            process.wait()
        nmt("train", config, "--overwrite", "--set", "training.max_updates=1", "--set", "training.average=0")

    def test_kills_lose_nothing(self):  # C25, shortened: 30 kills take half a minute
        found = subprocess.run([sys.executable, ROOT / "tests/commands/kill_test.py", NMT, "--kills", "6", "--updates",
                                "24"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_a_vocabulary_of_another_run_is_refused(self):  # C30
        shutil.copytree(FOLDER / "gru", FOLDER / "swapped")
        model = FOLDER / "swapped/source.spm"
        (FOLDER / "other.en").write_text("some other words altogether\n" * 20)
        (FOLDER / "other.de").write_text("ganz andere Worte\n" * 20)
        nmt("train", write_config("other.yaml", "gru", "other"), "--set", "data.train.source=other.en", "--set",
            "data.train.target=other.de", "--set", "training.max_updates=1", "--set", "training.average=0")
        model.write_bytes((FOLDER / "other/source.spm").read_bytes())
        self.refuse("translate", "swapped", exit_status=1, says=("model.safetensors", ".spm"), stdin=b"a\n")

    def test_cuda_where_there_is_none_is_refused(self):  # C31
        if os.path.exists("/dev/nvidia0"):
            self.skipTest("this machine has a GPU")
        for arguments in (("translate", "gru", "--device", "cuda"),
                          ("train", write_config("gpu.yaml", "gru", "gpu"), "--device", "cuda")):
            self.refuse(*arguments, says=("cuda", "0 CUDA devices"))

    def test_a_wild_learning_rate_ends_without_spoiling_the_run(self):  # C32
        config = write_config("wild.yaml", "transformer", "wild")
        _, err = nmt("train", config, "--set", "training.learning_rate=1e30", "--set", "training.warmup_updates=0",
                     "--set", "training.schedule=constant", "--set", "training.max_updates=60", check=1)
        self.assertRegex(err, "no finite loss|NaN or infinite")
        best = FOLDER / "wild/checkpoints/best"
        if best.exists():
            self.lines_out("wild", b"the dog sleeps\n")

    def test_the_same_lines_give_the_same_bytes_each_time(self):  # C38
        block = (FOLDER / "data/test_seen.en").read_bytes()
        for model in MODELS:
            once = self.lines_out(model, block)
            self.assertEqual(self.lines_out(model, block * 5), once * 5)

    def test_every_command_explains_itself(self):
        for command in ("train", "translate", "align", "average", "compare", "score", "aer", "lab", "data generate",
                        "info", "config"):
            out, _ = nmt(*command.split(), "--help")
            self.assertIn("Example:", out, command)
        self.assertIn("LibTorch", nmt("--version")[0])
        self.assertIn("parameters:", nmt("info", "gru")[0])
        self.assertIn("learning_rate", nmt("config")[0])


if __name__ == "__main__":
    NMT = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory(prefix="nmt-end-to-end-") as folder:
        FOLDER = pathlib.Path(folder)
        (FOLDER / "empty.en").touch()
        unittest.main()
