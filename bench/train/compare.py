#!/usr/bin/env python3
"""nmt's training step against a plain PyTorch loop, in turn on the same batches: ratios with their spread.

    bench/train/compare.py batches.txt --python PYTHON [--rounds 5]

PYTHON has torch 2.11. The loop runs in fp32 and in bf16, with the allocator's thresholds raised; the ratio is to the
faster of the two. Run it on a machine that does nothing else.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "8589934592", "MALLOC_TRIM_THRESHOLD_": "17179869184",
             "MALLOC_TOP_PAD_": "268435456"}


def measure(command):
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ, **ALLOCATOR)).stdout
    return int(re.search(r"target tokens/s (\d+)", out)[1]), int(re.search(r"peak MB (\d+)", out)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches")
    parser.add_argument("--python", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nmt", default=str(HERE.parents[1] / "build/bin/bench_train"))
    options = parser.parse_args()
    size = ["--updates", "8", "--warm", "4", "--windows", "1"]
    print("| model | program | target tokens/s, median (range) | peak MB | ratio to the better loop, median (range) |")
    print("|---|---|--:|--:|--:|")
    for model in ("tiny", "gru"):
        loop = [options.python, str(HERE / "pytorch_loop.py"), options.batches, model, *size]
        ours = [options.nmt, options.batches, str(HERE / f"{model}.yaml"), "--without-products", *size]
        programs = {"PyTorch loop, fp32": loop, "PyTorch loop, bf16": [*loop, "--bf16"], "nmt, fp32": ours,
                    "nmt, bf16": [*ours, "--set", "precision=bf16"]}
        rounds = [{name: measure(command) for name, command in programs.items()} for _ in range(options.rounds)]
        for name in programs:
            rates = [found[name][0] for found in rounds]
            ratios = [found[name][0] / max(found["PyTorch loop, fp32"][0], found["PyTorch loop, bf16"][0])
                      for found in rounds]
            print(f"| {model} | {name} | {statistics.median(rates):,.0f} ({min(rates):,}–{max(rates):,}) | "
                  f"{max(found[name][1] for found in rounds):,} | "
                  f"{statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f}) |", flush=True)


if __name__ == "__main__":
    main()
