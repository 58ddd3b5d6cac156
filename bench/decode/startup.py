#!/usr/bin/env python3
"""From the start of a program to its first translation, and its peak memory, in turn in one run: nmt and CTranslate2.

    bench/decode/startup.py RUN [RUN...] --ctranslate2 MODEL [--rounds 5]

Each program is started, loads the model, translates one short sentence at beam 5 and ends. MODEL is what to_ctranslate2.py
made of a run; CTranslate2's time has the start of Python in it, which its users pay.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
THEIRS = ("import sys, ctranslate2; t = ctranslate2.Translator(sys.argv[1], intra_threads=2); "
          "print(t.translate_batch([['▁a', '▁b']], beam_size=5)[0].hypotheses)")


def measure(command, text):
    begin = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(text.encode())
    process.stdin.close()
    if not process.stdout.readline():
        sys.exit(f"{process.stderr.read().decode()}startup.py: {command[0]} printed nothing")
    seconds = time.monotonic() - begin
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"startup.py: {command[0]} ended with {status}")
    return seconds, usage.ru_maxrss // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("--ctranslate2", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--text", default="the old man reads a book\n")
    parser.add_argument("--nmt", default=str(ROOT / "build/bin/nmt"))
    parser.add_argument("--python", default=str(ROOT / ".deps/peers/ctranslate2/bin/python"))
    options = parser.parse_args()
    programs = {f"nmt, {run.name}": [options.nmt, "translate", run, "--beam-size", 5] for run in options.runs}
    if options.ctranslate2:
        programs["CTranslate2"] = [options.python, "-c", THEIRS, options.ctranslate2]
    found = {name: [] for name in programs}
    for _ in range(options.rounds + 1):
        for name, command in programs.items():
            found[name].append(measure(command, options.text))
    print("| program | seconds to the first translation, median (range) | peak MB |\n|---|--:|--:|")
    for name, results in found.items():
        seconds = [each[0] for each in results[1:]]  # the first one fills the cache of files
        print(f"| {name} | {statistics.median(seconds):.2f} ({min(seconds):.2f}–{max(seconds):.2f}) | {max(each[1] for each in results)} |")


if __name__ == "__main__":
    main()
