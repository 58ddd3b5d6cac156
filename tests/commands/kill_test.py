#!/usr/bin/env python3
"""Kills training at random moments and resumes it: after every kill the run holds a whole checkpoint or none, and the
run that was killed ends with the bytes of the one that was not.

    tests/commands/kill_test.py build/bin/nmt [--kills 30] [--seed 1]

Saves after every second update, so that many kills fall into a save.
"""
import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from run_records import records

CONFIG = """
run_dir: {run}
seed: 3
threads: 1
data:
  train: {{source: data/train.en, target: data/train.de}}
  valid: {{source: data/valid.en, target: data/valid.de}}
tokenizer: {{vocab_size: 150, sampling: 0.1}}
model: {{type: {model}, embedding_size: 16, hidden_size: 16, encoder_layers: 1, decoder_layers: 1, heads: 2,
        feed_forward_size: 32, dropout: 0.2}}
training: {{batch_tokens: 300, accumulate: 2, max_updates: {updates}, validate_every: 2, log_every: 1, average: 3,
           ema_decay: 0.9, keep_best: 2, tensorboard: false}}
"""


def weights(run, pointer):
    name = (run / "checkpoints" / pointer).read_text().strip()
    return (run / "checkpoints" / name / "model.safetensors").read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nmt")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--updates", type=int, default=60)
    options = parser.parse_args()
    nmt = str(pathlib.Path(options.nmt).resolve())
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def start(*arguments):
            return subprocess.Popen([nmt, *arguments], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                    text=True)

        def finish(process):
            error = process.communicate()[1]
            if process.returncode != 0:
                sys.exit(f"{' '.join(process.args)} ended with {process.returncode}:\n{error}")
            return error

        finish(start("data", "generate", "--out", "data", "--train", "600", "--valid", "8", "--test-seen", "1",
                     "--test-unseen", "1"))
        for model in ("gru", "transformer"):
            for run in ("whole", "killed"):
                (folder / f"{run}.yaml").write_text(CONFIG.format(run=f"{model}-{run}", model=model,
                                                                  updates=options.updates))
            whole, killed = folder / f"{model}-whole", folder / f"{model}-killed"
            begin = time.time()
            finish(start("train", "whole.yaml"))
            duration = time.time() - begin
            kills = saving = 0
            while kills < (options.kills + 1) // 2:
                resume = ["--resume"] if (killed / "config.yaml").exists() else []
                process = start("train", "killed.yaml", *resume)
                # Of a resumed run, which reads and plans first, only a part is left.
                time.sleep(draw.uniform(0, 0.6 * duration))
                process.send_signal(signal.SIGKILL)
                error = process.communicate()[1]
                if process.returncode == 0:  # it had ended
                    subprocess.run(["rm", "-r", str(killed)], check=True)
                    continue
                if process.returncode != -signal.SIGKILL:
                    sys.exit(f"the resumed run ended with {process.returncode}:\n{error}")
                kills += 1
                saving += any(path.suffix == ".tmp" for path in killed.glob("checkpoints/*"))
                if "damaged" in error:
                    sys.exit(f"a kill damaged a checkpoint:\n{error}")
                if (killed / "checkpoints/last").exists():
                    finish(start("info", killed.name))  # loads it
            resume = ["--resume"] if (killed / "config.yaml").exists() else []
            finish(start("train", "killed.yaml", *resume))
            if records(killed) != records(whole):
                sys.exit(f"{model}: after {kills} kills metrics.jsonl differs from the unbroken run's")
            for pointer in ("last", "best"):
                if weights(killed, pointer) != weights(whole, pointer):
                    sys.exit(f"{model}: after {kills} kills the {pointer} weights differ from the unbroken run's")
            print(f"{model}: {kills} kills, {saving} of them in a save; weights and records are those of the unbroken run")


if __name__ == "__main__":
    main()
