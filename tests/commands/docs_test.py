#!/usr/bin/env python3
"""Holds README.md and docs/ to the program: links lead somewhere, commands and keys exist, the user guide can be followed.

    tests/commands/docs_test.py build/bin/nmt

The pages of PAGES are followed in folders of their own: a ```yaml block that begins with `# NAME.yaml` becomes that file, with fewer
updates of training, and each `$ ` line of a ```console block runs and prints the lines below it. There `...` stands for any lines
and `…` for anything in a line.
"""
import functools
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

NMT = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path()
PAGES = ("guide", "troubleshooting")
FEWER = {"max_updates": 20, "validate_every": 10, "log_every": 10, "warmup_updates": 5}  # at most
KEY = r"(?:data|tokenizer|model|training|translation)(?:\.[a-z_][a-z_0-9]*)+"


def documents():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def output(*arguments):
    done = subprocess.run([NMT, *arguments], capture_output=True, timeout=60, check=True)
    return done.stdout.decode()


@functools.cache
def options_of(*command):
    """The options of a command, by its help."""
    return set(re.findall(r"^ +(?:-\w,)?(--[a-z-]+)", output(*command, "--help"), re.M))


@functools.cache
def commands_of(*command):
    _, _, listed = output(*command, "--help").partition("\nSubcommands:\n")
    return set(re.findall(r"^  (\w+)", listed, re.M))


@functools.cache
def config_keys():
    keys, section = set(), []
    for line in output("config").splitlines():
        if found := re.match(r"( *)(\w+):", line):
            section[len(found[1]) // 2:] = [found[2]]
            keys.add(".".join(section))
    return keys


def code_of(text):
    """The code of a page: its blocks, lines that end in a backslash joined, and what stands in backticks."""
    found = []

    def take(block):
        language, body = block.groups()
        lines = re.sub(r"\\\n\s*", "", body).splitlines()
        found.extend(line[2:] for line in lines if line.startswith("$ ")) if language == "console" else found.extend(lines)
        return ""

    text = re.sub(r"^```(\w*)\n(.*?)^```$", take, text, flags=re.M | re.S)
    indented = re.compile(r"((?:^    .*\n)+)", re.M)
    for block in indented.findall(text):
        found += re.sub(r"\\\n\s*", "", block).splitlines()
    found += [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", indented.sub("", text))]
    return found


def invocations(line):
    """The words of each call of nmt in a line of shell."""
    if not re.search(r"(^|[\s(/])\$?nmt\s+(--)?[a-z]", line):
        return
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    call, begins = None, True
    for word in [*words, ";"]:
        if re.fullmatch(r"[();<>|&]+", word):
            if call:
                yield call
            call, begins = None, True
            continue
        if call is not None:
            call.append(word)
        elif begins and re.fullmatch(r"(build(-\w+)?/bin/|\.\./\.\./build/bin/)?nmt|\$nmt", word):
            call = []
        begins = word in ("do", "then", "time", "nice") or "=" in word  # what a command may follow


class Docs(unittest.TestCase):
    maxDiff = None

    def test_every_relative_link_leads_to_a_file_and_a_heading(self):
        def anchors(path):
            text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
            headings = re.findall(r"^#+ (.*)$", text, re.M)
            return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings} | set(
                re.findall(r'<a id="([^"]+)">', text))

        links = 0
        for page in documents():
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
                if re.match(r"\w+:", target):
                    continue
                links += 1
                path, _, anchor = target.partition("#")
                file = (page.parent / path).resolve() if path else page
                self.assertTrue(file.exists(), f"{page.name}: {target}: no such file")
                if anchor and file.suffix == ".md":
                    self.assertIn(anchor, anchors(file), f"{page.name}: {target}: no such heading")
        self.assertGreater(links, 100)

    def test_every_command_line_names_a_command_and_its_options(self):
        calls = 0
        for page in documents():
            for line in code_of(page.read_text(encoding="utf-8")):
                for call in invocations(line):
                    command = []
                    while call and call[0] in commands_of(*command):
                        command.append(call.pop(0))
                    where = f"{page.name}: {line}"
                    # `nmt COMMAND --help` stands for every command.
                    self.assertTrue(command or call[:1] == ["COMMAND"] or call[:1] == ["--version"], f"{where}: no such command")
                    for word in call:
                        if word.startswith("--"):
                            self.assertIn(word.partition("=")[0], options_of(*command), where)
                    calls += 1
        self.assertGreater(calls, 100)

    def test_every_config_key_exists(self):
        keys = config_keys()
        self.assertIn("training.alignment.weight", keys)
        named = 0
        for page in documents():
            text = page.read_text(encoding="utf-8")
            if page.name == "migrating.md":  # the first column is other programs' words
                text = re.sub(r"^\|(?:[^|\\]|\\.)*\|", "|", text, flags=re.M)
            for line in code_of(text):
                for key in re.findall(rf"(?<![\w./$-]){KEY}", line):
                    if key == "model.safetensors" or line.startswith("nmt: "):  # a file; messages about keys that are not there
                        continue
                    named += 1
                    self.assertTrue(key in keys, f"{page.name}: {key} in `{line}`")
        self.assertGreater(named, 100)

    def test_every_fault_names_tests_that_are_there(self):
        text = (ROOT / "tests/faults.md").read_text()
        end_to_end = (ROOT / "tests/commands/end_to_end_test.py").read_text()
        rows = [line.split(" | ") for line in text.splitlines() if re.match(r"\| C\d\d \|", line)]
        self.assertEqual([row[0] for row in rows], [f"| C{i:02}" for i in range(1, 41)])
        for name, _, tests, _ in rows:
            named = re.findall(r"`([^`]+)`", tests)
            self.assertTrue(named, name)
            for one in named:
                found = (ROOT / "tests" / one).is_file() if "." in one else one == "IsBlank" or f"def test_{one}" in end_to_end
                self.assertTrue(found, f"{name}: {one}")

    def test_the_page_of_config_keys_is_what_nmt_config_says(self):
        made = subprocess.run([ROOT / "scripts/make_config_page.sh", NMT], capture_output=True, timeout=60, check=True)
        page = (ROOT / "docs/config.md").read_text(encoding="utf-8")
        self.assertEqual(page, made.stdout.decode(), "stale: scripts/make_config_page.sh > docs/config.md")
        self.assertEqual(set(re.findall(r"^\| `([\w.]+)`", page, re.M)) | {key.rpartition(".")[0] for key in config_keys()} - {""},
                         config_keys())

    def test_the_page_for_those_who_change_names_options_of_ours_only(self):
        page = (ROOT / "docs/migrating.md").read_text(encoding="utf-8")
        ours = set.union(*(options_of(command) for command in commands_of()))
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", re.sub(r"^\|(?:[^|\\]|\\.)*\|", "|", page, flags=re.M)))
        self.assertGreater(len(named), 10)
        self.assertLessEqual(named, ours)

    def follow(self, page):
        folder = FOLDER / page
        folder.mkdir()
        commands = 0
        text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
        for language, body in re.findall(r"^```(yaml|console)\n(.*?)^```$", text, re.M | re.S):
            if language == "yaml":
                name = re.match(r"# (\S+\.yaml)\n", body)
                if name:
                    (folder / name[1]).write_text(re.sub(
                        rf"\b({'|'.join(FEWER)}): (\d+)",
                        lambda found: f"{found[1]}: {min(int(found[2]), FEWER[found[1]])}" if page == "guide" else found[0], body))
                continue
            for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
                self.run_command(folder, command, expected, f"{page}.md")
                commands += 1
        return commands

    def run_command(self, folder, command, expected, page):
        done = subprocess.run(["bash", "-c", f'nmt() {{ "{NMT}" "$@"; }}; {command}'], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, env=os.environ | {"OMP_NUM_THREADS": "1"})
        printed = done.stdout.decode()
        pattern = "".join("(?:.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("…"))) + "\n"
                          for line in expected.splitlines())
        self.assertTrue(re.fullmatch(pattern, printed), f"{page}: $ {command}\nexpected:\n{expected}\nprinted:\n{printed}")
        refused = re.search(r"^nmt: (?!warning: )", expected, re.M)
        self.assertEqual(done.returncode != 0, bool(refused), f"{page}: $ {command}: exit {done.returncode}\n{printed}")

    def test_the_guide_can_be_followed(self):
        self.assertGreater(self.follow("guide"), 20)

    def test_every_trouble_says_what_its_page_says(self):
        self.assertGreater(self.follow("troubleshooting"), 40)


if __name__ == "__main__":
    NMT = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory(prefix="nmt-docs-") as scratch:
        FOLDER = pathlib.Path(scratch)
        unittest.main()
