#!/usr/bin/env python3
"""Reads made-up report pages as a person does, in headless Chromium, and compares what they show with report.json.

    page_test.py WRITE_MADE_UP_REPORT [--screenshots DIR] [unittest's arguments]

Exit status 77, "skipped", where Chromium or its driver is missing (Debian: chromium, chromium-driver).
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, find_programs  # noqa: E402

if not all(find_programs()):
    print("skipped: no chromium or no chromedriver; expected Debian's packages chromium and chromium-driver")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREENSHOTS = None
if "--screenshots" in sys.argv:
    at = sys.argv.index("--screenshots")
    SCREENSHOTS = pathlib.Path(sys.argv[at + 1])
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    del sys.argv[at:at + 2]

KINDS = {
    "two": (), "one": ("models=1",), "six": ("models=6",), "hostile": ("hostile=1", "sentences=12"),
    "plain": ("gold=0", "references=0", "empty=1"), "no attention": ("attention=0", "empty=1"), "none": ("sentences=0",), "no model": ("models=0", "sentences=0"),
    "long": ("long=1", "sentences=9"),
    "limited": ("budget=150000",), "many": ("sentences=3000", "budget=3000000"),
}
RIGHT, DOWN, END, TAB = "\ue014", "\ue015", "\ue010", "\ue004"  # WebDriver's keys

# Text of an element whose background is known: its contrast by WCAG 2, and what it says.
CONTRASTS = """
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => channels(color).slice(0, 3).map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const groundOf = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if ((channels(color)[3] ?? 1) > 0.99) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest('script, noscript, option, .unseen, .dense .value, :disabled')) continue;
    const style = getComputedStyle(element);
    const ink = luminance(element.closest('svg') ? style.fill : style.color);
    const ground = luminance(groundOf(element));
    found.push([(Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05), walker.currentNode.data.trim(), element.className.baseVal ?? element.className]);
  }
  return found.sort((a, b) => a[0] - b[0]).slice(0, 5);
"""

# What a screen reader would stumble over.
FLAWS = """
  const flaws = [];
  const visible = (e) => e.getClientRects().length > 0;
  for (const e of document.querySelectorAll('button, a[href], input, select, [role=region], svg[role=img]')) {
    const name = e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim();
    if (!name) flaws.push(`no name: ${e.outerHTML.slice(0, 100)}`);
    if (!e.matches('input, button, select, svg') && e.tagName === 'A' && !e.getAttribute('href')) flaws.push('a link to nowhere');
  }
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption?.textContent.trim()) flaws.push('a table without a caption');
    if (!table.querySelector('th[scope=row]') && table.rows.length > 1 && !table.matches('.list')) flaws.push(`no row headers: ${table.className}`);
    for (const th of table.querySelectorAll('th')) if (!th.scope) flaws.push('a header without scope');
  }
  let level = 0;
  for (const h of document.querySelectorAll('h1, h2, h3, h4')) {
    const next = Number(h.tagName[1]);
    if (next > level + 1) flaws.push(`heading ${h.textContent} skips a level`);
    if (!h.textContent.trim()) flaws.push('an empty heading');
    level = next;
  }
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  if (new Set(ids).size < ids.length) flaws.push('an id stands twice');
  if (!document.documentElement.lang || document.querySelectorAll('main').length !== 1) flaws.push('no language or main part');
  for (const e of document.querySelectorAll('[tabindex]')) if (e.tabIndex > 0) flaws.push('a tab order of its own');
  return flaws;
"""


def two_digits(value):
    return "–" if value is None else f"{value:,.2f}"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.reports = {}
        for name, options in KINDS.items():
            folder = pathlib.Path(cls.folder.name) / name
            folder.mkdir()
            subprocess.run([PROGRAM, str(folder), *options], check=True, stdout=subprocess.DEVNULL)
            cls.reports[name] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        cls.browser = Browser(1280, 1000)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def open(self, name, fragment=""):
        self.browser.open("about:blank")
        self.browser.prefer("light")
        self.browser.open((pathlib.Path(self.folder.name) / name / "index.html").as_uri() + fragment)
        return self.reports[name]

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def texts(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent.trim())", selector)

    def cells(self, table):
        return self.browser.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map("
                                "(row) => [...row.cells].map((cell) => cell.textContent.trim()))", table)

    def weights(self, report, sentence, model, target, choice=0):
        held, = [a for a in report["sentences"][sentence]["attention"]
                 if (a["model"], a["target"], a["choice"]) == (model, target, choice)]
        values = [byte / 255 for byte in base64.b64decode(held["weights"])]
        return [values[t * held["columns"]:(t + 1) * held["columns"]] for t in range(held["rows"])]

    def strip(self, model):
        return self.texts(f".strip[data-model='{model}'] li small")

    def wait_for(self, done):
        """Until `done()` or 5 s have passed; the test then says what is wrong."""
        end = time.monotonic() + 5
        while not done() and time.monotonic() < end:
            time.sleep(0.02)

    # --- all kinds of reports ---

    def test_opens_without_a_word_on_the_console(self):
        for name, report in self.reports.items():
            with self.subTest(name):
                self.open(name)
                scored = any(model["bleu"] is not None for model in report["models"])
                self.assertEqual(len(self.cells("#scores")), len(report["models"]) if scored else 0)
                self.assertEqual(self.browser.run("return document.querySelectorAll('section h2').length"), 5)
                self.assertEqual(self.browser.console(), [])

    def test_fits_the_window_of_a_desk_and_of_a_telephone(self):
        for name in ("two", "six", "hostile"):
            for width in (1280, 390):
                with self.subTest((name, width)):
                    self.browser.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                    self.open(name)
                    self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
        self.browser.command("Emulation.clearDeviceMetricsOverride")

    # --- the numbers ---

    def test_shows_the_numbers_of_report_json(self):
        for name in ("two", "six", "plain"):
            with self.subTest(name):
                report = self.open(name)
                self.assertEqual(len(self.cells("#scores")), len(report["models"]) if name != "plain" else 0)
                for row, model in zip(self.cells("#scores"), report["models"]):
                    self.assertEqual(row[0], model["name"])
                    shown = [key for key in ("bleu", "chrf", "ter") if model[key] is not None]
                    self.assertEqual([cell.split()[0] for cell in row[1:]], [two_digits(model[key]) for key in shown])
                    for cell, key in zip(row[1:], shown):
                        interval = model[f"{key}_interval"]
                        self.assertIn(f"({two_digits(interval['mean'])} ± {two_digits(interval['half_width'])})", cell)
                tests = self.cells("#tests-sentences") + self.cells("#tests-seeds")
                self.assertEqual(len(tests), len(report["comparison"]["tests"]))
                for row, test in zip(tests, report["comparison"]["tests"]):
                    self.assertEqual(row[2].replace("−", "-"), f"{test['difference']:+.2f}")
                    self.assertEqual(row[3], f"{test['p_value']:.4f}")
                    alike = [t for t in report["comparison"]["tests"] if (t["over"], t["metric"]) == (test["over"], test["metric"])]
                    verdict = "too few seeds to tell" if test["over"] == "seeds" else "no difference shown"
                    self.assertEqual(row[4] == verdict, test["over"] == "seeds" or test["p_value"] >= 0.05 / len(alike))
                costs = {row[0]: row[1:] for row in self.cells("#costs")}
                self.assertEqual(costs["Parameters"], [f"{model['parameters']:,}" for model in report["models"]])
                self.assertEqual(len(self.cells("#agreements")), len(report["comparison"]["agreements"]))
                for row, pair in zip(self.cells("#agreements"), report["comparison"]["agreements"]):
                    self.assertEqual(row[1:], ["–" if pair[key] is None else f"{pair[key]:.3f}"
                                               for key in ("link_agreement", "divergence", "rank_correlation")])
        report = self.open("two")
        rows = self.cells("#alignment-measures")
        self.assertEqual([row[1] for row in rows], [f"{100 * model['aer']:.1f}\u00a0%" for model in report["models"]])
        grid = report["models"][1]["alignment"]["aer_grids"][0]
        shown = self.browser.run("return [...document.querySelectorAll('table.grid')].map((t) => [...t.querySelectorAll('td')].map((c) => parseFloat(c.textContent)))")
        self.assertEqual(shown[1], [round(100 * value, 1) for value in grid["aer"]])

    def test_says_which_model_is_better_on_a_measure_where_less_is_better(self):
        report = self.open("six")
        found = 0
        for row, test in zip(self.cells("#tests-sentences"), report["comparison"]["tests"]):
            if test["metric"] == "TER" and row[4].endswith("is better"):
                found += 1
                better = test["model"] if test["difference"] < 0 else test["baseline"]
                self.assertEqual(row[4], report["models"][better]["name"] + " is better")
        self.assertGreater(found, 0)

    def test_runs_of_the_other_direction_have_a_table_of_their_own(self):
        report = self.open("six")
        self.assertEqual(self.cells("#opposite"), [[
            model["name"], two_digits(model["bleu"]), two_digits(model["chrf"]), two_digits(model["ter"]),
            "–" if model["aer"] is None else f"{100 * model['aer']:.1f}", f"{model['parameters']:,}"] for model in report["opposite"]])
        self.assertEqual(len(report["opposite"]), 2)
        self.open("two")
        self.assertEqual(self.cells("#opposite"), [])

    def test_runs_of_several_seeds_are_summed_up_and_tested(self):
        report = self.open("six")
        rows = {row[0]: row[1:] for row in self.cells("#groups")}
        self.assertEqual(list(rows), [group["group"] for group in report["groups"]])
        group, = (group for group in report["groups"] if len(group["models"]) > 1)
        alone = [group for group in report["groups"] if len(group["models"]) == 1]
        for single in alone:
            self.assertEqual(rows[single["group"]][:2], ["1", two_digits(single["bleu"]["mean"])])
        self.assertEqual(rows[group["group"]][:2], ["2", f"{two_digits(group['bleu']['mean'])} ± {two_digits(group['bleu']['deviation'])}"])
        over_seeds = [i for i, test in enumerate(report["comparison"]["tests"]) if test["over"] == "seeds"]
        self.assertGreater(len(over_seeds), 2)
        first = report["comparison"]["tests"][over_seeds[0]]
        names = [report["models"][first[key]]["group"] for key in ("model", "baseline")]
        self.assertEqual(self.cells("#tests-seeds")[0][0], " − ".join(names))
        self.assertIn(f"{names[0]} against {names[1]}, means of the seeds: ", self.texts(".lead li")[0])

    # --- a sentence ---

    def test_pointing_at_a_word_lights_up_what_both_models_look_at(self):
        report = self.open("two", "#line=1")
        for column in (2, 4):
            self.browser.point_at(f".word[data-row='reference'][data-column='{column}']")
            for model in (0, 1):
                row = self.weights(report, 0, model, "reference")[column]
                self.assertEqual(self.strip(model), [two_digits(weight) for weight in row])
                shades = self.browser.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.className)",
                                          f".strip[data-model='{model}'] li")
                self.assertEqual(shades, [f"cell w{round(255 * weight)}" for weight in row])
            self.assertEqual(self.browser.run("return document.querySelectorAll('.heatmap tr.pointed').length"), 2)
        said = self.texts("#said")[0]
        self.assertIn(report["models"][0]["name"], said)

    def test_pointing_at_a_translated_word_shows_what_the_search_saw(self):
        report = self.open("two", "#line=12")
        words = self.browser.run("return [...document.querySelectorAll(\".word[data-row='1']\")].map((e) => e.dataset.column)")
        self.browser.point_at(f".word[data-row='1'][data-column='{words[2]}']")
        row = self.weights(report, 11, 1, "translation")[2]
        self.assertEqual(self.strip(1), [two_digits(weight) for weight in row])

    def test_switching_layer_and_head_shows_their_weights(self):
        report = self.open("two", "#line=9")
        choices = report["models"][1]["alignment"]["choices"]
        for layer, head in ((1, 0), (1, 3), (3, 4)):
            self.browser.choose("figure[data-model='1'] select[data-key='layer']", str(layer))
            self.browser.choose("figure[data-model='1'] select[data-key='head']", str(head))
            choice, = [i for i, c in enumerate(choices) if (c["layer"], c["head"], c["shift"]) == (layer, head, 0)]
            expected = self.weights(report, 8, 1, "reference", choice)
            shown = self.browser.run("return [...document.querySelectorAll(\"figure[data-model='1'] tbody tr\")].map("
                                     "(row) => [...row.querySelectorAll('td.cell')].map((c) => c.className.match(/w(\\d+)/)[1]))")
            self.assertEqual(shown, [[str(round(255 * weight)) for weight in row] for row in expected])
        self.browser.choose("figure[data-model='0'] select[data-key='shift']", "1")
        self.assertEqual(self.browser.run("return document.querySelector(\"figure[data-model='0'] select[data-key='shift']\").value"), "1")

    def test_rows_of_the_heatmaps_switch_to_the_translations(self):
        report = self.open("two", "#line=12")
        self.browser.click("input[name='target'][value='translation']")
        for model in (0, 1):
            self.assertEqual(self.texts(f"figure[data-model='{model}'] .heatmap tbody th"),
                             report["sentences"][11]["translations"][model].split())

    def test_gold_links_are_outlined_and_named(self):
        report = self.open("two", "#line=1")
        gold = report["sentences"][0]["gold"].split()
        outlined = self.browser.run("return ['sure', 'possible'].map((kind) => document.querySelectorAll(`figure[data-model='0'] td.${kind}`).length)")
        self.assertEqual(outlined, [sum("-" in link for link in gold), sum("p" in link for link in gold)])
        self.assertIn("sure gold link", self.texts("figure[data-model='0'] td.sure")[0])

    def test_words_can_be_reached_by_keyboard(self):
        report = self.open("two", "#line=1")
        self.browser.press(".word[tabindex='0']", RIGHT)
        before = self.browser.run("return document.activeElement.dataset.column")
        self.browser.press_active(RIGHT)
        after = self.browser.run("return document.activeElement.dataset.column")
        self.assertEqual(int(after), int(before) + 1)
        row = self.weights(report, 0, 0, "reference")[int(after)]
        self.assertEqual(self.strip(0), [two_digits(weight) for weight in row])
        self.browser.press_active(DOWN)
        self.assertEqual(self.browser.run("return document.activeElement.dataset.row"), "0")
        self.assertNotEqual(self.browser.run("return getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.word[tabindex=\"0\"]').length"), 1)

    def test_an_empty_translation_is_said(self):
        report = self.open("plain", "#line=1")
        self.assertEqual(report["sentences"][0]["translations"][0], "")
        self.assertIn("empty translation", self.texts(".words table")[0])
        self.assertIn("empty translation", self.texts("figure[data-model='0']")[0])
        self.assertEqual(self.browser.run("return document.querySelectorAll(\"figure[data-model='1'] .heatmap\").length"), 1)

    def test_without_a_reference_no_word_counts_as_different_from_it(self):
        self.open("plain", "#line=9")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.differs').length"), 0)
        self.assertEqual(self.texts(".words tbody th")[:2], [model["name"] for model in self.reports["plain"]["models"]])

    def test_a_sentence_of_hundreds_of_words_is_read_word_by_word(self):
        report = self.open("long", "#line=9")
        self.assertGreater(len(report["sentences"][8]["source"].split()), 200)
        self.assertIn("too many to draw", self.texts("figure[data-model='0']")[0])
        self.browser.point_at(".word[data-row='reference'][data-column='5']")
        self.assertEqual(self.strip(0), [two_digits(weight) for weight in self.weights(report, 8, 0, "reference")[5]])

    def test_right_to_left_words_run_from_the_right(self):
        self.open("two", "#line=6")  # its reference is Hebrew
        self.assertEqual(self.browser.run("return document.querySelector('table.words').dir"), "rtl")
        first, last = self.browser.run("const words = [...document.querySelectorAll(\".word[data-row='reference']\")];"
                                       "return [words[0], words.at(-1)].map((w) => w.getBoundingClientRect().left)")
        self.assertGreater(first, last)
        self.open("two", "#line=5")  # its source is Arabic
        self.assertEqual(self.browser.run("return document.querySelector('.heatmap').dir"), "rtl")
        # Numbers and </s> keep their own direction: else .68 reads 68. and ⟨/s⟩ is mirrored.
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.heatmap .value, .end')].map("
                                          "(e) => getComputedStyle(e).direction).filter((d) => d !== 'ltr')"), [])

    def test_says_what_the_file_has_no_room_for(self):
        report = self.open("limited")
        self.assertGreater(report["attention_left_out"], 0)
        self.assertIn(f"{report['attention_left_out']:,} matrices of attention are not in this file", self.texts("#attention")[0])
        held = {sentence["line"] for sentence in report["sentences"] if not sentence["attention"]}
        if held:
            self.open("limited", f"#line={min(held)}")
            self.assertIn("not in this file", self.texts(".heatmaps")[0])

    def test_any_of_six_models_can_be_shown(self):
        self.open("six", "#line=9")
        self.browser.click("#attention input[type='checkbox'][value='0']")
        self.browser.click("#attention input[type='checkbox'][value='4']")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.heatmaps figure')].map((f) => f.dataset.model)"), ["1", "4"])
        self.assertEqual(len(self.texts(".strip")), 2)

    # --- the list ---

    def test_an_address_opens_a_sentence_and_links_lead_there(self):
        report = self.open("two", "#line=23")
        self.assertEqual(self.texts(".source bdi")[0], report["sentences"][22]["source"])
        self.browser.click("#next")
        self.assertEqual(self.texts(".source bdi")[0], report["sentences"][23]["source"])
        self.assertEqual(self.browser.run("return location.hash"), "#line=24")
        line = int(self.texts(".list tbody th a")[0])
        self.browser.click(".list tbody th a")
        self.wait_for(lambda: self.browser.run("return Number(document.querySelector('#line').value)") == line)
        self.assertEqual(self.texts(".source bdi")[0], report["sentences"][line - 1]["source"])
        self.assertEqual(self.texts(".list tr[aria-current='true'] th"), [str(line)])

    def test_a_line_that_is_not_there_opens_a_sentence_all_the_same(self):
        self.open("two", "#line=99999")
        self.browser.click("input[name='target'][value='translation']")
        before = self.browser.run("return Number(document.querySelector('#line').value)")
        self.browser.click("#previous" if before > 1 else "#next")
        self.assertEqual(abs(self.browser.run("return Number(document.querySelector('#line').value)") - before), 1)

    def test_only_the_rows_in_sight_are_made(self):
        report = self.open("many")
        rows = "return document.querySelectorAll('.list tbody tr:not(.spacer)').length"
        self.assertLess(self.browser.run(rows), 40)
        self.browser.choose("#sentences select", "line")
        self.browser.run("document.querySelector('.scroller').scrollTop = 1e9")
        self.wait_for(lambda: self.texts(".list tbody th a")[-1] == "3000")
        self.assertEqual(self.texts(".list tbody th a")[-1], "3000")
        self.assertLess(self.browser.run(rows), 40)
        self.assertIn(report["sentences"][-1]["source"], self.texts(".list .source-line"))

    def test_sentences_are_sorted_and_searched(self):
        report = self.open("two")
        sentences = report["sentences"]
        expected = {
            "difference": lambda s: -abs(s["chrf"][1] - s["chrf"][0]), "second": lambda s: s["chrf"][0] - s["chrf"][1],
            "first": lambda s: s["chrf"][1] - s["chrf"][0], "divergence": lambda s: -s["divergence"][0],
            "longest": lambda s: -len(s["source"].split()), "line": lambda s: s["line"],
        }
        for sort, key in expected.items():
            with self.subTest(sort):
                self.browser.choose("#sentences select", sort)
                lines = [int(line) for line in self.texts(".list tbody th a")]
                in_order = sorted(sentences, key=lambda s: (key(s), s["line"]))
                values = [key(sentences[line - 1]) for line in lines]
                for value, sentence in zip(values, in_order):
                    self.assertAlmostEqual(value, key(sentence), places=9)
        self.browser.press("#search", "hund GARDEN")
        found = [s for s in sentences if "hund" in json.dumps(s, ensure_ascii=False).lower() and "garden" in s["source"].lower()]
        self.wait_for(lambda: self.texts("#count")[0].startswith(f"{len(found)} of"))
        self.assertEqual(self.texts("#count")[0], f"{len(found)} of {len(sentences)} sentences")

    # --- hostile text ---

    def test_hostile_text_is_shown_literally(self):
        report = self.open("hostile", "#line=1")
        self.assertEqual(self.browser.run("return [window.broken ?? null, document.title, document.querySelectorAll('b, i, img').length]"),
                         [None, report["title"], 0])
        self.assertEqual(self.texts("h1")[0], report["title"])
        self.assertEqual(self.cells("#scores")[0][0], report["models"][0]["name"])
        self.assertEqual(self.texts(".strip[data-model='0'] li bdi"), report["sentences"][0]["source"].split())
        reference = self.texts(".word[data-row='reference']")
        self.assertEqual(reference[:4], ["<b>bold</b>", "<img", "src=x", "onerror=alert(1)>"])
        self.assertIn("\ufffdolleh", reference)  # what would turn the line round is replaced
        self.assertIn(report["breakdowns"][0]["parts"][0]["part"], self.texts("th[scope='row'] bdi"))
        self.assertIn(report["models"][0]["alignment_choice"], self.texts("#alignment-measures td"))

    # --- readers ---

    def test_has_names_headers_and_order_for_a_screen_reader(self):
        for name in self.reports:
            with self.subTest(name):
                self.open(name)
                self.assertEqual(self.browser.run(FLAWS), [])

    def test_axe_finds_no_serious_fault(self):
        script = ROOT / ".deps/test-python/axe_playwright_python/axe.min.js"
        if not script.exists():
            self.skipTest("no axe in .deps/test-python: scripts/setup.sh --tests installs it")
        for name in ("two", "six", "hostile", "plain", "long"):
            for scheme in ("light", "dark"):
                with self.subTest((name, scheme)):
                    self.open(name, "#line=1")
                    self.browser.prefer(scheme)
                    self.browser.run(script.read_text(encoding="utf-8"))
                    found = self.browser.run_async("const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((r) => done(r.violations))")
                    self.assertEqual([f"{fault['impact']}: {fault['id']}, {fault['nodes'][0]['html'][:200]}" for fault in found
                                      if fault["impact"] in ("serious", "critical")], [])

    def test_text_stands_out_in_light_and_dark(self):
        for name in ("two", "six"):
            for scheme in ("light", "dark"):
                with self.subTest((name, scheme)):
                    self.open(name, "#line=9")
                    self.browser.prefer(scheme)
                    worst = self.browser.run(CONTRASTS)
                    self.assertGreaterEqual(worst[0][0], 4.5, worst)

    def test_is_light_or_dark_as_the_reader_prefers_and_light_on_paper(self):
        self.open("two")
        ground = "return getComputedStyle(document.body).backgroundColor"
        light = self.browser.run(ground)
        self.browser.prefer("dark")
        dark = self.browser.run(ground)
        self.assertGreater(sum(map(int, light[4:-1].split(","))), 700)
        self.assertLess(sum(map(int, dark[4:-1].split(","))), 120)
        self.browser.command("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertEqual(self.browser.run(ground), light)
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('.controls')).display"), "none")
        self.browser.command("Emulation.setEmulatedMedia", media="", features=[])

    @unittest.skipUnless(SCREENSHOTS, "only with --screenshots DIR")
    def test_screenshots(self):
        for name in ("two", "one", "six", "hostile", "plain"):
            for scheme in ("light", "dark"):
                self.open(name)
                self.browser.prefer(scheme)
                height = self.browser.run("return document.documentElement.scrollHeight")
                self.browser.command("Emulation.setDeviceMetricsOverride", width=1280, height=height, deviceScaleFactor=1, mobile=False)
                self.browser.screenshot(SCREENSHOTS / f"{name}-{scheme}.png")
                self.browser.command("Emulation.clearDeviceMetricsOverride")


if __name__ == "__main__":
    unittest.main(verbosity=2)
