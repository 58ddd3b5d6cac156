#!/usr/bin/env python3
"""nmt's training step against JoeyNMT, eole and a plain PyTorch loop, in turn in one run: ratios with their spread.

    bench/train/compare.py CORPUS WORK [--rounds 3] [--only nmt-bf16 eole] [--models tiny]

CORPUS holds train.source, train.target (a sentence a line, pieces separated by blanks) and vocab.txt (a piece a line);
WORK gets the batches, the peers' configurations and what every program printed. `make bench-train` calls it with a corpus
that it makes. bench/setup_peers.sh installs the peers, and the PyTorch that the loop runs on.

Every figure is real target tokens a second, </s> counted, padding not, after a warm-up. nmt and the loop train on the
same batches (make_batches.py) and time themselves; JoeyNMT and eole cut their own, and their figures come from their logs
(peers.py). The allocator's thresholds are raised for nmt, which does so itself, for the loop, and for one run of JoeyNMT.
The peak is the largest resident set of the whole process. A round runs every program once, every other one in the opposite
order; a ratio is of two figures of one round.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import make_batches
import peers

HERE = pathlib.Path(__file__).resolve().parent
ALLOCATOR = {"MALLOC_MMAP_THRESHOLD_": "8589934592", "MALLOC_TRIM_THRESHOLD_": "17179869184",
             "MALLOC_TOP_PAD_": "268435456"}
PROGRAMS = {
    "nmt-bf16": "nmt, bf16",
    "nmt-fp32": "nmt, fp32",
    "loop-bf16": "PyTorch loop, bf16",
    "loop-fp32": "PyTorch loop, fp32",
    "joeynmt": "JoeyNMT, as installed",
    "joeynmt-allocator": "JoeyNMT, allocator raised",
    "eole": "eole, as installed",
}
OURS = "nmt-bf16"


def printed_rate(output):
    return int(re.search(r"target tokens/s (\d+)", output)[1])


def prepare(program, model, options):
    """The command of a program, what its environment has besides, and the function that finds the rate in its output."""
    kind, _, variant = program.partition("-")
    size = ["--updates", str(options.updates), "--warm", str(options.warm), "--windows", "1",
            "--threads", str(options.threads)]
    if kind == "nmt":
        return [options.nmt, str(options.batches), str(HERE / f"{model}.yaml"), "--without-products", *size,
                "--set", f"precision={variant}", "--set", f"tokenizer.vocab_size={options.vocabulary}"], {}, printed_rate
    if kind == "loop":
        return [str(options.peers / "joeynmt/bin/python"), str(HERE / "pytorch_loop.py"), str(options.batches), model,
                *size, "--vocabulary", str(options.vocabulary), *(["--bf16"] if variant == "bf16" else [])], \
            ALLOCATOR, printed_rate
    command, rate = peers.prepare(kind, model, options.corpus, options.peers / kind, options.work / kind / model,
                                  options.updates, options.warm)
    return command, ALLOCATOR if variant == "allocator" else {}, rate


def measure(program, model, options):
    """Runs a program once: its rate and its peak memory in MB."""
    command, extra, rate = prepare(program, model, options)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    environment.update(extra, OMP_NUM_THREADS=str(options.threads))
    log = options.work / f"{model}.{program}.log"
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)
        _, status, usage = os.wait4(process.pid, 0)  # the usage of this child alone
    process.returncode = os.waitstatus_to_exitcode(status)
    output = log.read_text(encoding="utf-8", errors="replace")
    try:
        if process.returncode:
            raise ValueError(f"exit status {process.returncode}")
        return rate(output), usage.ru_maxrss // 1024
    except (TypeError, ValueError) as error:
        tail = "\n".join(output.splitlines()[-15:])
        sys.exit(f"{tail}\ncompare.py: {program}, {model}: {error}; above is the end of {log}")


def check(options):
    """Ends with one line when something is missing."""
    for name in "train.source", "train.target", "vocab.txt":
        if not (options.corpus / name).is_file():
            sys.exit(f"compare.py: no {name} in {options.corpus}; bench/train/make_corpus.py {options.corpus} makes a corpus")
    if any(program.startswith("nmt") for program in options.only) and not os.access(options.nmt, os.X_OK):
        sys.exit(f"compare.py: no {options.nmt}; scripts/build.sh release bench_train builds it")
    wanted = {program: program.split("-")[0].replace("loop", "joeynmt") for program in options.only}
    for program, peer in wanted.items():
        if peer in peers.PEERS and not (options.peers / peer / "versions").is_file():
            sys.exit(f"compare.py: {program} needs {options.peers / peer}, which bench/setup_peers.sh makes")


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"


def print_table(found, options):
    print("| model | program | target tokens/s, median (range) | peak MB | nmt bf16 is faster by, median (range) |")
    print("|---|---|--:|--:|--:|")
    for model in options.models:
        for program in options.only:
            rates, peaks = zip(*(one_round[model, program] for one_round in found))
            ratios = [one_round[model, OURS][0] / rate for one_round, rate in zip(found, rates)
                      if (model, OURS) in one_round]
            print(f"| {model} | {PROGRAMS[program]} | {spread(rates, ',.0f')} | {max(peaks):,} | "
                  f"{spread(ratios, '.2f') + ' ×' if ratios else ''} |")


def print_products(options):
    """A step of ours beside its own matrix products alone, as bench_train prints them."""
    print("\n| model | program | a step, ms | its products alone, ms | step over products, median (range) |")
    print("|---|---|--:|--:|--:|")
    for model in options.models:
        for program in options.only:
            if not program.startswith("nmt"):
                continue
            command, _, _ = prepare(program, model, options)
            command.remove("--without-products")
            command[command.index("--windows") + 1] = str(max(3, options.rounds))
            command[command.index("--updates") + 1] = "5"  # each is run thrice, and each shape of a product made ready
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            step, alone, ratio, low, high = re.search(
                r"ms an update (\d+)  products alone (\d+) ms, step over products (\S+) \((\S+)-(\S+)\)", output).groups()
            print(f"| {model} | {PROGRAMS[program]} | {step} | {alone} | {ratio} ({low}–{high}) |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), metavar="PROGRAM",
                        help=", ".join(PROGRAMS))
    parser.add_argument("--models", nargs="+", choices=["tiny", "gru"], default=["tiny", "gru"])
    parser.add_argument("--updates", type=int, default=16, help="updates that count, each run")
    parser.add_argument("--warm", type=int, default=4, help="updates before them")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--nmt", default=str(HERE.parents[1] / "build/bin/bench_train"))
    parser.add_argument("--peers", type=pathlib.Path, default=HERE.parents[1] / ".deps/peers")
    options = parser.parse_args()
    check(options)
    options.corpus = options.corpus.resolve()
    options.peers = options.peers.absolute()  # not resolved: Python finds its environment by the path it is called by
    options.work.mkdir(parents=True, exist_ok=True)
    options.work = options.work.resolve()
    options.batches = options.work / "batches.txt"
    with open(options.corpus / "vocab.txt", encoding="utf-8") as file:
        options.vocabulary = sum(1 for _ in file)
    make_batches.main(*(options.corpus / name for name in ("train.source", "train.target", "vocab.txt")), options.batches)

    found = []
    for number in range(options.rounds):
        found.append({})
        for model in options.models:
            for program in options.only if number % 2 == 0 else reversed(options.only):
                begin = time.monotonic()
                rate, peak = found[-1][model, program] = measure(program, model, options)
                print(f"round {number + 1} of {options.rounds}: {model}, {PROGRAMS[program]}: {rate:,.0f} tokens/s, "
                      f"{peak:,} MB, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    print_table(found, options)
    print_products(options)


if __name__ == "__main__":
    main()
