#!/usr/bin/env python3
"""`nmt score` against sacreBLEU on the same lines, in turn in one run: seconds and ratios with their spread, and whether the scores agree.

    bench/metrics/compare.py WORK [--lines 100000] [--rounds 3] [--only bleu ter] [--hypothesis FILE --reference FILE]

`make bench-metrics` calls it, with sacreBLEU 2.6.0 from bench/setup_peers.sh. Without files of the user's,
WORK gets --lines pairs of lines without meaning: lengths and words as in Multi30k, and hypotheses that are the references
with words dropped, added, replaced and moved.

Each figure is the time of a whole process, with its start (0.1 s of sacreBLEU's) and reading. A round runs both programs once a row,
every other round in the opposite order. sacreBLEU keeps the words of 65,536 lines, so that repeated lines cost it less: the made
ones hardly repeat.
"""
import argparse
import itertools
import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Row -> what nmt is asked for, what sacreBLEU is. Those that draw samples are of the first 1,000 lines.
ROWS = {
    "bleu": (["--metrics", "bleu"], ["-m", "bleu"]),
    "bleu, intl": (["--metrics", "bleu", "--tokenize", "intl"], ["-m", "bleu", "--tokenize", "intl"]),
    "chrf": (["--metrics", "chrf"], ["-m", "chrf"]),
    "chrf++": (["--metrics", "chrf++"], ["-m", "chrf", "--chrf-word-order", "2"]),
    "ter": (["--metrics", "ter"], ["-m", "ter"]),
    "interval": (["--metrics", "bleu,chrf,ter", "--confidence"], ["-m", "bleu", "chrf", "ter", "--confidence"]),
    # As text: its JSON of this test fails on numpy's float32, so that these scores are not compared.
    "bootstrap": (["--metrics", "bleu,chrf,ter", "--paired", "bootstrap"], ["-m", "bleu", "chrf", "ter", "--paired-bs", "-f", "text"]),
    "randomization": (["--metrics", "bleu,chrf,ter", "--paired", "ar"], ["-m", "bleu", "chrf", "ter", "--paired-ar"]),
}
SAMPLED, SAMPLED_LINES = ("interval", "bootstrap", "randomization"), 1000
NAMES = {"bleu": "BLEU", "chrf": "chrF2", "chrf++": "chrF2++", "ter": "TER"}


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"


def make_lines(count, folder):
    random_numbers = random.Random(1)
    words = ["".join(random_numbers.choices("abcdefghijklmnopqrstuvwxyz", k=random_numbers.randint(2, 9))) for _ in range(20000)]
    cumulative = list(itertools.accumulate((rank + 0.7) ** -1.05 for rank in range(1, len(words) + 1)))

    def draw(length):
        return random_numbers.choices(words, cum_weights=cumulative, k=length)

    paths = {name: folder / f"made.{name}" for name in ("reference", "hypothesis", "baseline")}
    files = {name: open(path, "w", encoding="ascii") for name, path in paths.items()}
    for _ in range(count):
        reference = draw(min(max(round(random_numbers.lognormvariate(2.58, 0.35)), 3), 50))
        for name, edits in (("reference", 0), ("hypothesis", 0.3), ("baseline", 0.35)):
            line = reference[:]
            for _ in range(round(edits * len(reference))):
                kind, at = random_numbers.randrange(8), random_numbers.randrange(len(line))
                if kind < 2 and len(line) > 2:
                    del line[at]
                elif kind < 4:
                    line.insert(at, *draw(1))
                elif kind < 7:
                    line[at] = draw(1)[0]
                else:
                    moved = line[at:at + 3]
                    del line[at:at + 3]
                    to = random_numbers.randint(0, len(line))
                    line[to:to] = moved
            print(" ".join(line).capitalize() + ".", file=files[name])
    for file in files.values():
        file.close()
    return paths


def cut(paths, folder):
    """The first lines of each file, for the rows that draw samples."""
    short = {}
    for name, path in paths.items():
        short[name] = folder / f"first.{name}"
        with open(path, encoding="utf-8", newline="\n") as lines:
            short[name].write_text("".join(itertools.islice(lines, SAMPLED_LINES)), encoding="utf-8", newline="\n")
    return short


def run(command):
    begin = time.perf_counter()
    process = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if process.returncode:
        sys.exit(f"{process.stderr}compare.py: {command[0]} ended with {process.returncode}")
    return seconds, json.loads(process.stdout) if process.stdout[0] in "[{" else None


def scores_of_sacrebleu(found):
    """Name -> score, from JSON that is a score, a list of scores, or a list of systems, of which the second is nmt's."""
    if found is None:
        return {}
    if isinstance(found, dict):
        found = [found]
    if "system" in found[-1]:
        return {name: result["score"] for name, result in found[-1].items() if name != "system"}
    return {result["name"]: result["score"] for result in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--hypothesis", type=pathlib.Path)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--baseline", type=pathlib.Path, help="for bootstrap and randomization; without it, they are left out")
    parser.add_argument("--nmt", default=str(ROOT / "build/bin/nmt"))
    parser.add_argument("--python", default=str(ROOT / ".deps/peers/sacrebleu/bin/python"), help="one that has sacreBLEU 2.6.0")
    options = parser.parse_args()
    if (options.hypothesis is None) != (options.reference is None):
        parser.error("--hypothesis and --reference go together")
    options.work.mkdir(parents=True, exist_ok=True)
    if options.hypothesis:
        paths = {"hypothesis": options.hypothesis, "reference": options.reference}
        if options.baseline:
            paths["baseline"] = options.baseline
    else:
        paths = make_lines(options.lines, options.work)
    short = cut(paths, options.work)
    print("| | lines | nmt, s | sacreBLEU, s | nmt is faster by | scores |\n|---|--:|--:|--:|--:|---|")
    for row in options.only:
        ours, theirs = ROWS[row]
        files = short if row in SAMPLED else paths
        if row in SAMPLED[1:] and "baseline" not in files:
            continue
        commands = {
            "nmt": [options.nmt, "score", "--hypothesis", files["hypothesis"], "--reference", files["reference"], *ours, "--json"],
            "sacreBLEU": [options.python, "-m", "sacrebleu", files["reference"], "-i", files["hypothesis"], "-f", "json", "-w", "10", *theirs],
        }
        if row in SAMPLED[1:]:
            commands["nmt"] += ["--baseline", files["baseline"]]
            at = commands["sacreBLEU"].index("-i") + 1
            commands["sacreBLEU"].insert(at, files["baseline"])
        seconds, found = {name: [] for name in commands}, {}
        for number in range(options.rounds):
            for name in list(commands) if number % 2 == 0 else reversed(list(commands)):
                took, found[name] = run(commands[name])
                seconds[name].append(took)
        expected = scores_of_sacrebleu(found["sacreBLEU"])
        equal = all(abs(found["nmt"][key]["score"] - expected[NAMES[key]]) < 1e-9 for key in ours[1].split(",")) if expected else None
        verdict = {None: '', True: 'equal', False: 'DIFFER'}[equal]
        ratios = [theirs_took / ours_took for ours_took, theirs_took in zip(seconds["nmt"], seconds["sacreBLEU"])]
        print(f"| {row} | {sum(1 for _ in open(files['reference'], 'rb')):,} | {spread(seconds['nmt'], '.3f')} | "
              f"{spread(seconds['sacreBLEU'], '.2f')} | {spread(ratios, '.1f')} × | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
