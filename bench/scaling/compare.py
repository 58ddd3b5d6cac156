#!/usr/bin/env python3
"""Two workers of one thread against one process of two threads, and PyTorch's DistributedDataParallel, in turn in one run.

    bench/scaling/compare.py BATCHES [--rounds 3] [--models tiny gru] [--precision bf16]

BATCHES is what bench/train/compare.py leaves in runs/bench-train/batches.txt (or bench/train/make_batches.py writes). Every
program takes the same batches, an update two of them. A ratio is of two figures of one round; every other round runs in the
opposite order. Ends with the latency and the bandwidth of a sum between two workers. Run it on a machine that does nothing
else.
"""
import argparse
import os
import pathlib
import re
import socket
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "8589934592", "MALLOC_TRIM_THRESHOLD_": "17179869184",
             "MALLOC_TOP_PAD_": "268435456"}
PROGRAMS = {"workers": "nmt, 2 workers x 1 thread", "bf16-gradients": "nmt, 2 workers x 1 thread, gradients as bf16",
            "threads": "nmt, 1 process x 2 threads", "ddp": "PyTorch DDP, 2 workers x 1 thread"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(command, workers, extra):
    """Output of worker 0."""
    port = free_port()
    processes = []
    for rank in range(workers):
        place = {"RANK": str(rank), "WORLD_SIZE": str(workers), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        environment = {**os.environ, **extra, **(place if workers > 1 else {})}
        processes.append(subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE))
    outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        sys.exit(f"compare.py: {' '.join(command)} failed")
    return outputs[0]


def measure(program, model, options):
    size = ["--updates", str(options.updates), "--warm", str(options.warm), "--windows", "1"]
    ours = [options.nmt, str(options.batches), str(ROOT / f"bench/train/{model}.yaml"), *size,
            "--set", f"precision={options.precision}"]
    if program == "ddp":
        bf16 = ["--bf16"] if options.precision == "bf16" else []
        command = [options.python, "-W", "ignore", str(HERE / "pytorch_ddp.py"), str(options.batches), model, *size, "--threads", "1", *bf16]
        return run(command, 2, {**ALLOCATOR, "OMP_NUM_THREADS": "1"})
    if program == "threads":
        return run([*ours, "--threads", "2", "--accumulate", "2"], 1, {"OMP_NUM_THREADS": "2"})
    if program == "bf16-gradients":
        ours += ["--set", "training.gradient_compression=bf16"]
    return run([*ours, "--threads", "1"], 2, {"OMP_NUM_THREADS": "1"})


def spread(values, form=".2f"):
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", nargs="+", choices=["tiny", "gru"], default=["tiny", "gru"])
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--updates", type=int, default=8, help="updates that count, each run")
    parser.add_argument("--warm", type=int, default=4, help="updates before them")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--nmt", default=str(ROOT / "build/bin/bench_workers"))
    parser.add_argument("--python", default=str(ROOT / ".deps/peers/joeynmt/bin/python"), help="one that has torch 2.11")
    options = parser.parse_args()
    rates = {(model, program): [] for model in options.models for program in options.only}
    hidden = {key: [] for key in rates}
    for number in range(options.rounds):
        for model in options.models:
            for program in options.only if number % 2 == 0 else reversed(options.only):
                output = measure(program, model, options).strip()
                print(f"round {number + 1}: {model}, {PROGRAMS[program]}: {output}", file=sys.stderr, flush=True)
                rates[model, program].append(int(re.search(r"target tokens/s (\d+)", output)[1]))
                hidden[model, program] += map(float, re.findall(r"hidden (\S+)", output))
    print("| model | program | target tokens/s, median (range) | over 1 process x 2 threads | communication hidden |")
    print("|---|---|--:|--:|--:|")
    for (model, program), found in rates.items():
        base = rates.get((model, "threads"))
        ratio = spread([rate / one for rate, one in zip(found, base)]) + " ×" if base and program != "threads" else ""
        share = spread(hidden[model, program]) if hidden[model, program] else ""
        print(f"| {model} | {PROGRAMS[program]} | {spread(found, ',.0f')} | {ratio} | {share} |")
    print("\nA sum between two workers of this machine:\n")
    print(run([options.nmt, "--exchange"], 2, {"OMP_NUM_THREADS": "1"}))


if __name__ == "__main__":
    main()
