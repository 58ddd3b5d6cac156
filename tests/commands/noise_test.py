#!/usr/bin/env python3
"""Translates lines of random bytes: a line for a line, valid UTF-8, exit 0, in memory that does not grow.

    tests/commands/noise_test.py build/bin/nmt RUN [RUN...] --lines 100000
    tests/commands/noise_test.py build/bin/nmt RUN --lines 1000000 --text data/test_seen.en      # these lines, over and over

The lines come in six parts of equal size and kind, and each is asked for before the next is sent; what the process holds after the
last one is at most a tenth more than after the second, and no file more is open. make test does the same with fewer lines
(end_to_end_test.py).
"""
import argparse
import itertools
import os
import random
import re
import subprocess
import sys
import threading
import time

PARTS = 6


def noise(lines, seed):
    """Bytes of every value but LF, up to 60 a line."""
    draw = random.Random(seed)
    values = [value for value in range(256) if value != 10]
    return b"".join(bytes(draw.choices(values, k=draw.randrange(60))) + b"\n" for _ in range(lines))


def resident_megabytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) / 1024


def open_files(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def translate_noise(nmt, run, lines, *options, cwd=None, text_of=noise):
    """`text_of`: the bytes of so many lines, for part number n. Returns the megabytes after each part, and the seconds of all. Raises AssertionError."""
    begin = time.monotonic()
    process = subprocess.Popen([nmt, "translate", run, *options], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    said = []
    listener = threading.Thread(target=lambda: said.append(process.stderr.read()))
    listener.start()
    megabytes, files = [], []
    for part in range(PARTS):
        text = text_of(lines // PARTS, part)
        writer = threading.Thread(target=lambda: (process.stdin.write(text), process.stdin.flush()))
        writer.start()
        for _ in range(lines // PARTS):
            line = process.stdout.readline()
            if not line:
                raise AssertionError(f"{run}: the output ends in part {part}: {said}")
            line.decode("utf-8")
        writer.join()
        megabytes.append(resident_megabytes(process.pid))
        files.append(open_files(process.pid))
    process.stdin.close()
    if process.stdout.read():
        raise AssertionError(f"{run}: more lines out than in")
    if process.wait() != 0:
        raise AssertionError(f"{run}: exit {process.returncode}")
    listener.join()
    process.stdout.close()
    process.stderr.close()
    if megabytes[-1] > 1.1 * megabytes[1] + 5:
        raise AssertionError(f"{run}: memory grows: {megabytes} MB")
    if files[-1] > files[0]:
        raise AssertionError(f"{run}: files stay open: {files}")
    return megabytes, time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nmt")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--lines", type=int, default=100000)
    parser.add_argument("--text", help="a file of lines in place of random bytes")
    parser.add_argument("--options", default="", help="of nmt translate, as \"--beam-size 1 --precision int8\"")
    options = parser.parse_args()
    text_of = noise
    if options.text:
        with open(options.text, "rb") as file:
            given = file.read().splitlines(keepends=True)
        text_of = lambda lines, _: b"".join(itertools.islice(itertools.cycle(given), lines))  # noqa: E731
    for run in options.runs:
        try:
            megabytes, seconds = translate_noise(options.nmt, run, options.lines, *options.options.split(), text_of=text_of)
        except AssertionError as failure:
            sys.exit(f"noise_test.py: {failure}")
        print(f"{run}: {options.lines // PARTS * PARTS} lines in {seconds:.0f} s, MB after each sixth: " +
              " ".join(f"{each:.0f}" for each in megabytes))


if __name__ == "__main__":
    main()
