#!/usr/bin/env python3
"""nmt's decoder against CTranslate2's with the same weights, in turn in one run: ratios with their spread.

    bench/decode/compare.py RUN SOURCE WORK [--length 16] [--settings 5x64 1x64] [--rounds 3]

RUN is a transformer run of nmt, SOURCE raw text, a sentence a line. WORK gets the weights in CTranslate2's format, the
sentences as ids and what every program printed. A setting is beam x batch; batch 1 is a call for each sentence. `make
bench-decode` calls it with the demo's transformer or a run of the user's.

Each figure is sentences a second of the translation alone: no start, no loading. CTranslate2 is given its threads both ways,
one worker with all or a worker each, and the better of the two in the same round is what a ratio is taken against. A
round runs every program once, every other one in the opposite order.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}}–{max(values):{form}})"


def run(command, log):
    process = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    log.write_text(process.stdout + process.stderr, encoding="utf-8")
    if process.returncode:
        sys.exit(f"{process.stderr}compare.py: {command[0]} ended with {process.returncode}")
    rate, peak = re.search(r"sentences/s ([\d.]+) .* peak MB (\d+)", process.stdout).groups()
    return float(rate), int(peak)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--length", type=int, default=0, help="every translation has so many pieces; 0: as the model ends it")
    parser.add_argument("--settings", nargs="+", default=["1x64", "5x64", "1x1", "5x1"], metavar="BEAMxBATCH")
    parser.add_argument("--ours", nargs="+", default=["fp32", "bf16", "int8"], help="precisions of nmt")
    parser.add_argument("--theirs", nargs="+", default=["float32", "int8"], help="compute types of CTranslate2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--single-sentences", type=int, default=100, help="at batch 1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--nmt", default=str(ROOT / "build/bin/bench_decode"))
    parser.add_argument("--python", default=str(ROOT / ".deps/peers/ctranslate2/bin/python"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    model, ids = options.work / "ctranslate2", options.work / "ids.txt"
    subprocess.run([options.python, HERE / "to_ctranslate2.py", options.run, model], check=True)
    subprocess.run([options.nmt, options.run, options.source, "--sentences", str(options.sentences), "--beam-size", "1", "--rounds", "1",
                    "--ids", ids], check=True, stdout=subprocess.DEVNULL)

    programs = {f"nmt, {precision}": precision for precision in options.ours}
    for compute_type in options.theirs:
        for intra, inter in ((options.threads, 1), (1, options.threads)):
            programs[f"CTranslate2, {compute_type}, {intra} x {inter}"] = (compute_type, intra, inter)
    print("| beam | batch | program | sentences/s, median (range) | peak MB | " +
          " | ".join(f"nmt {precision} is faster by" for precision in options.ours) + " |")
    print("|--:|--:|---|--:|--:|" + "--:|" * len(options.ours))
    for setting in options.settings:
        beam, batch = map(int, setting.split("x"))
        common = ["--beam-size", beam, "--batch-size", batch, "--length", options.length, "--limit", 100, "--rounds", 1, "--sentences",
                  options.single_sentences if batch == 1 else options.sentences]
        if batch == 1:
            common.append("--one-by-one")
        found = []
        for number in range(options.rounds):
            found.append({})
            for name in list(programs) if number % 2 == 0 else reversed(list(programs)):
                kind = programs[name]
                if name.startswith("nmt"):
                    command = [options.nmt, options.run, options.source, "--threads", options.threads, "--precision", kind]
                else:
                    command = [options.python, HERE / "ctranslate2_decode.py", model, ids, "--compute-type", kind[0],
                               "--intra-threads", kind[1], "--inter-threads", kind[2]]
                log = options.work / f"{setting}.{re.sub('[^a-z0-9]+', '-', name.lower())}.log"
                found[-1][name] = run(command + common, log)
        for name, kind in programs.items():
            cells = [str(beam), str(batch), name, spread([each[name][0] for each in found], ",.1f"),
                     str(max(each[name][1] for each in found))]
            for precision in options.ours:
                if name.startswith("nmt"):
                    cells.append("")
                    continue
                both = [other for other in programs if other.startswith(f"CTranslate2, {kind[0]},")]
                ratios = [each[f"nmt, {precision}"][0] / max(each[other][0] for other in both) for each in found]
                better = statistics.median(each[name][0] for each in found) == max(
                    statistics.median(each[other][0] for each in found) for other in both)
                cells.append(spread(ratios, ".2f") + " ×" if better else "")
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
