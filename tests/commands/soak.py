#!/usr/bin/env python3
"""Trains for long and looks whether memory and open files grow.

    tests/commands/soak.py build/bin/nmt CONFIG --updates 20000 [--set KEY=VALUE...]

The run goes into a folder that is removed at the end. After its first quarter the process may take a tenth more memory, and no
file more. Translating for long: noise_test.py --lines 1000000.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from noise_test import open_files, resident_megabytes


def last_update(metrics):
    try:
        return json.loads(metrics.read_text().splitlines()[-1])["update"]
    except (OSError, ValueError, IndexError):
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nmt")
    parser.add_argument("config")
    parser.add_argument("--updates", type=int, default=20000)
    parser.add_argument("--set", action="append", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        settings = [f"run_dir={run}", f"training.max_updates={options.updates}", *options.set]
        command = [options.nmt, "train", options.config, *(word for setting in settings for word in ("--set", setting))]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = []  # update, MB, files
        while process.poll() is None:
            time.sleep(2)
            try:
                found.append((last_update(run / "metrics.jsonl"), resident_megabytes(process.pid), open_files(process.pid)))
            except (OSError, AttributeError):  # it has just ended
                break
        if process.wait() != 0:
            sys.exit(f"soak.py: {' '.join(command)}: exit {process.returncode}")
    quarters = [[one for one in found if options.updates * q / 4 <= one[0] < options.updates * (q + 1) / 4] for q in range(4)]
    if not all(quarters):
        sys.exit("soak.py: too short to tell")
    most = [(max(one[1] for one in quarter), max(one[2] for one in quarter)) for quarter in quarters]
    print("most in each quarter of the updates: " + ", ".join(f"{megabytes:.0f} MB and {files} files" for megabytes, files in most))
    if most[3][0] > 1.1 * most[0][0] + 5 or most[3][1] > most[0][1]:
        sys.exit("soak.py: it grows")


if __name__ == "__main__":
    main()
