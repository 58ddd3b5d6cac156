#!/usr/bin/env python3
"""nmt's decoder against another program's, in turn in one run: ratios with their spread.

    bench/decode/compare.py ctranslate2 RUN SOURCE WORK [--length 16] [--settings 5x64 1x64] [--rounds 3]
    bench/decode/compare.py joeynmt RUN SOURCE WORK

RUN is a run of nmt, SOURCE raw text, a sentence a line. WORK gets the sentences as ids and what every program printed. A
setting is beam x batch; batch 1 is a call for each sentence. `make bench-decode` calls it with the demo's runs or a run of
the user's.

CTranslate2 translates with the weights of RUN, a transformer, as long as the model goes on. It is given its threads both
ways, one worker with all or a worker each, and the better of the two in the same round is what a ratio is taken against.
JoeyNMT gets a model of RUN's shape with random weights, and both programs write 16 pieces a sentence.

Each figure is sentences a second of the translation alone: no start, no loading. A round runs every program once, every
other one in the opposite order.
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
    parser.add_argument("peer", choices=["ctranslate2", "joeynmt"])
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--length", type=int, help="every translation has so many pieces; 0: as the model ends it")
    parser.add_argument("--settings", nargs="+", metavar="BEAMxBATCH")
    parser.add_argument("--ours", nargs="+", default=["fp32", "bf16", "int8"], help="precisions of nmt")
    parser.add_argument("--theirs", nargs="+", default=["float32", "int8"], help="compute types of CTranslate2")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--single-sentences", type=int, default=100, help="at batch 1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--nmt", default=str(ROOT / "build/bin/bench_decode"))
    parser.add_argument("--joeynmt-sentences", type=int, default=128, help="of --sentences, those that JoeyNMT is given time for")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / ".deps/peers", help="of bench/setup_peers.sh")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    python, ids = options.peers / options.peer / "bin/python", options.work / "ids.txt"
    if options.length is None:
        options.length = 16 if options.peer == "joeynmt" else 0
    settings = options.settings or (["1x64", "5x64"] if options.peer == "joeynmt" else ["1x64", "5x64", "1x1", "5x1"])
    subprocess.run([options.nmt, options.run, options.source, "--sentences", str(options.sentences), "--beam-size", "1", "--rounds", "1",
                    "--ids", ids], check=True, stdout=subprocess.DEVNULL)

    ours = {f"nmt, {precision}": [options.nmt, options.run, options.source, "--threads", options.threads, "--precision", precision]
            for precision in options.ours}
    theirs = {}
    if options.peer == "joeynmt":
        theirs["JoeyNMT"] = [python, HERE / "joeynmt_decode.py", options.run, ids, "--threads", options.threads]
    else:
        model = options.work / "ctranslate2"
        subprocess.run([python, HERE / "to_ctranslate2.py", options.run, model], check=True)
        for compute_type in options.theirs:
            for intra, inter in ((options.threads, 1), (1, options.threads)):
                theirs[f"CTranslate2, {compute_type}, {intra} x {inter}"] = [
                    python, HERE / "ctranslate2_decode.py", model, ids, "--compute-type", compute_type, "--intra-threads", intra,
                    "--inter-threads", inter]
    programs = {**ours, **theirs}
    print("| beam | batch | program | sentences/s, median (range) | peak MB | " +
          " | ".join(f"nmt {precision} is faster by" for precision in options.ours) + " |")
    print("|--:|--:|---|--:|--:|" + "--:|" * len(options.ours))
    for setting in settings:
        beam, batch = map(int, setting.split("x"))
        sentences = options.single_sentences if batch == 1 else options.sentences
        common = ["--beam-size", beam, "--batch-size", batch, "--length", options.length, "--rounds", 1]
        not_joeynmt = ["--limit", 100, "--sentences", sentences] + (["--one-by-one"] if batch == 1 else [])
        found = []
        for number in range(options.rounds):
            found.append({})
            for name in list(programs) if number % 2 == 0 else reversed(list(programs)):
                log = options.work / f"{setting}.{re.sub('[^a-z0-9]+', '-', name.lower())}.log"
                mine = ["--sentences", min(sentences, options.joeynmt_sentences)] if name == "JoeyNMT" else not_joeynmt
                found[-1][name] = run(programs[name] + common + mine, log)
        for name in programs:
            cells = [str(beam), str(batch), name, spread([each[name][0] for each in found], ",.1f"),
                     str(max(each[name][1] for each in found))]
            for precision in options.ours:
                if name in ours:
                    cells.append("")
                    continue
                both = [other for other in theirs if other.split(",")[:2] == name.split(",")[:2]]
                ratios = [each[f"nmt, {precision}"][0] / max(each[other][0] for other in both) for each in found]
                better = statistics.median(each[name][0] for each in found) == max(
                    statistics.median(each[other][0] for each in found) for other in both)
                cells.append(spread(ratios, ".2f") + " ×" if better else "")
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
