#!/usr/bin/env python3
"""Checks that the code keeps its layers: every #include of nmt/, data/, commands/ and tests/ against the rules below.

    tests/check_layers.py              prints FILE:LINE: what and why, for each breach; exit status 1 if there is any
    tests/check_layers.py --self-test  plants each kind of breach in a folder of its own and sees that it is found

The order of the parts is the one list in nmt/CMakeLists.txt, lowest first; what a part declares to use is in its own
CMakeLists.txt.
"""

import argparse
import pathlib
import re
import sys
import tempfile

FOLDERS = ("nmt", "data", "commands", "tests")

# Beyond the order: parts that a part may not know although they are lower.
FORBIDDEN = {
    "attention": {"text": "attention never sees text", "corpus": "attention never sees text"},
    "models": {"text": "models work on token ids, never on text"},
}

# What a folder of the checkout may include of the others; a folder may always include itself.
MAY_INCLUDE = {
    "nmt": {"nmt"},
    "data": {"data", "nmt"},
    "commands": {"commands", "data", "nmt"},
    "tests": {"tests", "commands", "data", "nmt"},
}

# Libraries that stay behind one door: header prefix -> (who may include it, why).
BEHIND_ONE_DOOR = {
    "sentencepiece": (
        ("nmt/text/sentencepiece_wrapper.cc",),
        "its headers declare names in namespace absl that clash with Abseil's",
    ),
    "yaml-cpp": (("nmt/config/", "tests/config/"), "options are structs, read from YAML in one place"),
}

# LibTorch in headers: <torch/types.h> anywhere; the headers of modules and optimisers where such are declared.
TORCH_IN_HEADERS = re.compile(r"torch/types\.h$")
TORCH_MODULES = re.compile(r"torch/(nn|optim)(/.*)?\.h$")
PARTS_WITH_MODULES = {"attention", "models", "checkpoint", "training", "lab"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read(path):
    return path.read_text(encoding="utf-8")


def read_order(root):
    """The parts of the library, lowest first."""
    listing = re.search(r"foreach\(part ([^)]+)\)", read(root / "nmt/CMakeLists.txt"))
    if not listing:
        sys.exit("nmt/CMakeLists.txt: no `foreach(part ...)`; expected the parts there, lowest first")
    return listing.group(1).split()


def read_uses(root, order):
    """Part -> the parts that its CMakeLists.txt lets it use, directly or through another; None if it builds nothing."""
    declared, owner = {}, {}
    for part in order:
        path = root / "nmt" / part / "CMakeLists.txt"
        text = re.sub(r"#.*", "", read(path)) if path.exists() else ""
        targets = re.findall(r"\b(?:nmt_library|add_library)\s*\(\s*(nmt_\w+)", text)
        owner.update(dict.fromkeys(targets, part))
        declared[part] = set(re.findall(r"\bnmt_\w+", text)) if targets else None

    def closure(part, seen):
        for target in declared[part] or ():
            used = owner.get(target)
            if used and used not in seen:
                seen.add(used)
                closure(used, seen)
        return seen

    return {part: closure(part, {part}) if declared[part] is not None else None for part in order}


class Checker:
    def __init__(self, root):
        self.root = root
        self.order = read_order(root)
        self.uses = read_uses(root, self.order)
        self.breaches = []

    def breach(self, path, line, message):
        self.breaches.append(f"{path}:{line}: {message}")

    def check_all(self):
        for folder in FOLDERS:
            for path in sorted((self.root / folder).rglob("*")):
                if path.suffix in (".h", ".cc") and path.is_file():
                    self.check_file(path.relative_to(self.root).as_posix(), read(path))
        return self.breaches

    def check_file(self, path, text):
        lines = text.splitlines()
        folder, *inner = path.split("/")
        part = inner[0] if folder == "nmt" and len(inner) > 1 else None
        if folder == "nmt" and part not in self.order:
            self.breach(path, 1, "belongs to no part that nmt/CMakeLists.txt lists")
            return
        if path.endswith(".h"):
            self.check_guard(path, lines)
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            bracket, header = match.groups()
            self.check_door(path, number, header)
            if path.endswith(".h") and folder != "tests":
                self.check_torch(path, number, header, part)
            if bracket == '"':
                self.check_quoted(path, number, header, folder, part)

    def check_guard(self, path, lines):
        name = re.sub(r"[^A-Za-z0-9]", "_", path).upper() + "_"
        guard = name if name.startswith("NMT_") else "NMT_" + name
        directives = [(number, line.split()) for number, line in enumerate(lines, 1) if line.startswith("#")]
        found = [words[1] if len(words) > 1 else "" for _, words in directives[:2]]
        if [words[0] for _, words in directives[:2]] != ["#ifndef", "#define"] or found != [guard, guard]:
            number = directives[0][0] if directives else 1
            self.breach(path, number, f"the header guard is {' / '.join(found) or 'missing'}; expected {guard}")

    def check_door(self, path, number, header):
        for prefix, (doors, why) in BEHIND_ONE_DOOR.items():
            if header.startswith(prefix) and not path.startswith(doors):
                self.breach(path, number, f"includes <{header}>, which only {doors[0]} may: {why}")

    def check_torch(self, path, number, header, part):
        if not header.startswith("torch/") or TORCH_IN_HEADERS.match(header):
            return
        if TORCH_MODULES.match(header):
            if part in PARTS_WITH_MODULES or part is None:
                return
            self.breach(path, number, f"a header of {part} includes <{header}>; expected <torch/types.h>: only "
                        f"{', '.join(sorted(PARTS_WITH_MODULES))} declare modules")
            return
        self.breach(path, number, f"a header includes <{header}>; expected <torch/types.h>: the whole of LibTorch "
                    "takes seconds in every file")

    def check_quoted(self, path, number, header, folder, part):
        other, *inner = header.split("/")
        if not inner or ".." in header.split("/"):
            self.breach(path, number, f'includes "{header}"; expected its path from the top of the checkout')
            return
        if other not in FOLDERS:
            return  # a library that is written with quotes, as absl/ and gtest/ are
        if other not in MAY_INCLUDE[folder]:
            self.breach(path, number, f'{folder}/ includes "{header}"; it may know '
                        f"{', '.join(sorted(MAY_INCLUDE[folder]))} only")
            return
        if other == "nmt":
            self.check_part(path, number, header, part, inner[0])

    def check_part(self, path, number, header, part, used):
        if used not in self.order:
            self.breach(path, number, f'includes "{header}", of no part that nmt/CMakeLists.txt lists')
            return
        if part is None or part == used:
            return
        if self.order.index(used) > self.order.index(part):
            self.breach(path, number, f'{part} includes "{header}", but {used} lies above {part} in nmt/CMakeLists.txt')
        elif used in FORBIDDEN.get(part, {}):
            self.breach(path, number, f'{part} includes "{header}": {FORBIDDEN[part][used]}')
        elif self.uses[part] is not None and used not in self.uses[part]:
            self.breach(path, number, f'{part} includes "{header}", but nmt/{part}/CMakeLists.txt does not list '
                        f"nmt_{used} among what it uses")


# --- the self-test -------------------------------------------------------------------------------------------------

SOUND_TREE = {
    "nmt/CMakeLists.txt": "foreach(part base config text corpus attention models training)\nendforeach()\n",
    "nmt/base/CMakeLists.txt": "nmt_library(nmt_base SOURCES a.cc)\n",
    "nmt/text/CMakeLists.txt": "nmt_library(nmt_text SOURCES a.cc USES nmt_base)\n",
    "nmt/corpus/CMakeLists.txt": "nmt_library(nmt_corpus SOURCES a.cc USES nmt_text)  # not nmt_config\n",
    "nmt/base/a.h": "#ifndef NMT_BASE_A_H_\n#define NMT_BASE_A_H_\n#include <torch/types.h>\n#endif\n",
    "nmt/models/gru/cell.h": "#ifndef NMT_MODELS_GRU_CELL_H_\n#define NMT_MODELS_GRU_CELL_H_\n"
                             "#include <torch/nn/module.h>\n#endif\n",
    "nmt/base/a.cc": '#include "nmt/base/a.h"\n#include <torch/torch.h>\n#include "absl/status/status.h"\n',
    "nmt/text/sentencepiece_wrapper.cc": "#include <sentencepiece_processor.h>\n",
    "nmt/config/reader.cc": "#include <yaml-cpp/yaml.h>\n",
    "nmt/corpus/a.cc": '#include "nmt/base/a.h"\n#include "nmt/text/b.h"\n',
    "data/grammar/a.cc": '#include "data/grammar/a.h"\n#include "nmt/base/a.h"\n',
    "commands/main.cc": '#include "commands/train.h"\n#include "data/grammar/a.h"\n#include "nmt/training/a.h"\n',
    "tests/models/contract.h": "#ifndef NMT_TESTS_MODELS_CONTRACT_H_\n#define NMT_TESTS_MODELS_CONTRACT_H_\n"
                               "#include <torch/torch.h>\n#endif\n",
}

# file, its text, the line of the breach, a part of the message
BREACHES = [
    ("nmt/base/b.cc", '#include "nmt/base/a.h"\n#include "nmt/models/model.h"\n', 2, "models lies above base"),
    ("nmt/text/b.cc", ' # include "nmt/training/trainer.h"\n', 1, "training lies above text"),
    ("nmt/attention/b.cc", '#include "nmt/text/b.h"\n', 1, "attention never sees text"),
    ("nmt/attention/b.cc", '#include "nmt/corpus/batch.h"\n', 1, "attention never sees text"),
    ("nmt/models/gru/b.cc", '#include "nmt/text/b.h"\n', 1, "models work on token ids"),
    ("nmt/corpus/b.cc", '#include "nmt/config/options.h"\n', 1, "does not list nmt_config"),
    ("nmt/base/b.cc", '#include "nmt/misc/b.h"\n', 1, "of no part"),
    ("nmt/misc/b.cc", "", 1, "belongs to no part"),
    ("nmt/base/b.cc", '#include "commands/train.h"\n', 1, "may know nmt only"),
    ("nmt/base/b.cc", '#include "tests/helper.h"\n', 1, "may know nmt only"),
    ("nmt/base/b.cc", '#include "data/grammar/a.h"\n', 1, "may know nmt only"),
    ("commands/b.cc", '#include "tests/helper.h"\n', 1, "may know commands, data, nmt only"),
    ("nmt/base/b.cc", '#include "a.h"\n', 1, "expected its path from the top"),
    ("nmt/base/b.cc", '#include "../text/b.h"\n', 1, "expected its path from the top"),
    ("nmt/text/b.cc", "#include <sentencepiece_trainer.h>\n", 1, "only nmt/text/sentencepiece_wrapper.cc"),
    ("commands/b.cc", "#include <yaml-cpp/yaml.h>\n", 1, "only nmt/config/"),
    ("nmt/models/b.h", "#ifndef NMT_MODELS_B_H_\n#define NMT_MODELS_B_H_\n#include <torch/torch.h>\n#endif\n", 3,
     "expected <torch/types.h>"),
    ("nmt/text/b.h", "#ifndef NMT_TEXT_B_H_\n#define NMT_TEXT_B_H_\n#include <torch/nn/module.h>\n#endif\n", 3,
     "expected <torch/types.h>"),
    ("nmt/models/gru/b.h", "#ifndef NMT_GRU_B_H_\n#define NMT_GRU_B_H_\n#endif\n", 1, "expected NMT_MODELS_GRU_B_H_"),
    ("nmt/text/b.h", "#ifndef NMT_TEXT_B_H_\n#define NMT_TEXT_C_H_\n#endif\n", 1, "expected NMT_TEXT_B_H_"),
    ("nmt/text/b.h", "// words\n#pragma once\n", 2, "expected NMT_TEXT_B_H_"),
    ("commands/b.h", "", 1, "expected NMT_COMMANDS_B_H_"),
]


def self_test():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in SOUND_TREE.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        failures += [f"sound, but reported: {breach}" for breach in Checker(root).check_all()]
        for name, text, line, message in BREACHES:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            found = Checker(root).check_all()
            if len(found) != 1 or not found[0].startswith(f"{name}:{line}: ") or message not in found[0]:
                failures.append(f"planted in {name}:{line}: {text!r}; expected one breach with '{message}', found {found}")
            path.unlink()
    for failure in failures:
        print(failure)
    print(f"self-test: {len(BREACHES)} planted breaches, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="check the checker")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent,
                        help="the checkout (default: the one this file lies in)")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    breaches = Checker(arguments.root).check_all()
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
