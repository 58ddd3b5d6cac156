#!/usr/bin/env python3
"""Training with several processes on this machine: the same numbers as one, and what goes wrong.

    tests/commands/workers_test.py build/bin/nmt
"""
import array
import json
import math
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import run_records

NMT = ""
FOLDER = pathlib.Path()

# 13 batches an epoch or so: windows of 2, 3 and 6 all end in a part of one.
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
training: {{batch_tokens: 300, accumulate: {accumulate}, max_updates: {updates}, validate_every: 4, log_every: 1, warmup_updates: 2,
           tensorboard: false}}
"""
NEVER = 1000000
# All that draws numbers, counts or averages, at once.
EVERYTHING = ["training.ema_decay=0.9", "training.average=2", "training.r_drop=0.5", "training.word_dropout=0.1",
              "training.schedule=plateau", "training.patience=2", "precision=bf16"]


def config(run, model="transformer", accumulate=1, updates=8):
    path = FOLDER / f"{run}.yaml"
    path.write_text(CONFIG.format(run=run, model=model, accumulate=accumulate, updates=updates))
    return path


STARTED = []


def start(*arguments, **variables):
    STARTED.append(subprocess.Popen([NMT, *map(str, arguments)], cwd=FOLDER, text=True, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, env={**os.environ, **variables}))
    return STARTED[-1]


def finish(process, check=0):
    out, _ = process.communicate(timeout=120)
    if process.returncode != check:
        raise AssertionError(f"exit {process.returncode}, expected {check}\n{out}")
    return out


def train(*arguments, check=0):
    return finish(start("train", *arguments), check)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def place(rank, size, port, **more):
    """The environment of one worker, as a launcher sets it."""
    return {"RANK": str(rank), "WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), **more}


def records(run):
    return run_records.records(FOLDER / run)


def weights_file(run):
    checkpoints = FOLDER / run / "checkpoints"
    return checkpoints / (checkpoints / "last").read_text().strip() / "model.safetensors"


def weights(run):
    """Name -> values, of the last checkpoint."""
    data = weights_file(run).read_bytes()
    size = int.from_bytes(data[:8], "little")
    found = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            found[name] = array.array("f", data[8 + size + begin:8 + size + end])
    return found


def numbers(value, path=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, f"{path}/{key}")
    elif isinstance(value, (int, float)):
        yield path, value


def worker_processes(parent):
    return {int(re.search(rb"RANK=(\d+)", pathlib.Path(f"/proc/{pid}/environ").read_bytes()).group(1)): int(pid)
            for pid in pathlib.Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()}


def await_updates(run, updates):
    path = FOLDER / run / "metrics.jsonl"
    for _ in range(600):
        if path.exists() and len(path.read_text().splitlines()) >= updates:
            return
        time.sleep(0.05)
    raise AssertionError(f"{run} made no {updates} updates in 30 s")


class Workers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([NMT, "data", "generate", "--out", "data", "--train", "250"], cwd=FOLDER, check=True, capture_output=True)
        for side in ("en", "de"):
            lines = (FOLDER / f"data/train.{side}").read_text().splitlines(keepends=True)
            (FOLDER / f"data/train.{side}").write_text("".join(lines[:240]))
            (FOLDER / f"data/valid.{side}").write_text("".join(lines[240:249]))

    def tearDown(self):
        for process in STARTED:  # a test that failed leaves none behind
            if process.poll() is None:
                process.kill()

    def assert_equal_training(self, one, other, tolerance=1e-5):
        """Losses, gradient norms and validations agree, and the weights do.

        But for biases of keys: their gradient is exactly 0 under a softmax over the keys, so that Adam makes steps of its
        rounding noise."""
        self.assertEqual(len(records(one)), len(records(other)))
        for record, same in zip(records(one), records(other)):
            found = dict(numbers(same))
            for path, value in numbers(record):
                if path == "/update_ratio":
                    continue  # has those biases in it
                self.assertLessEqual(abs(found[path] - value), tolerance * abs(value), f"{path} of {record} and {same}")
        others = weights(other)
        for name, values in weights(one).items():
            if name.endswith("key.bias"):
                continue
            difference = math.dist(values, others[name])
            self.assertLessEqual(difference, tolerance * math.hypot(*values) + 1e-12, name)

    def test_workers_are_one_process_with_the_batches_of_all(self):
        for model in ("gru", "transformer"):
            for workers in (2, 3):
                alone, together = f"alone-{model}-{workers}", f"together-{model}-{workers}"
                more = [word for key in EVERYTHING for word in ("--set", key)] if workers == 2 else []
                train(config(alone, model, accumulate=workers), *more)
                train(config(together, model), "--workers", workers, *more)
                self.assert_equal_training(alone, together)

    def test_a_run_of_workers_is_a_pure_function_and_resumes_bit_for_bit(self):
        train(config("whole", accumulate=2, updates=8), "--workers", 3)
        train(config("again", accumulate=2, updates=8), "--workers", 3)
        train(config("parts", accumulate=2, updates=4), "--workers", 3)
        out = train(config("parts", accumulate=2, updates=8), "--workers", 3, "--resume")
        self.assertIn("resuming after update 4", out)
        for other in ("again", "parts"):
            self.assertEqual(records("whole"), records(other))
            self.assertEqual(weights_file("whole").read_bytes(), weights_file(other).read_bytes())

    def test_another_number_of_workers_goes_on_with_a_run(self):
        train(config("six", accumulate=6))
        train(config("moved", accumulate=3, updates=4), "--workers", 2)
        refused = train(config("moved", accumulate=4), "--workers", 3, "--resume", check=2)
        self.assertIn("training.accumulate: 4 here, 3 in the run; with 3 workers an update would see 12 batches, in the "
                      "run 6", refused)
        out = train(config("moved", accumulate=2), "--workers", 3, "--resume")
        self.assertIn("the run of 2 workers goes on with 3: an update still sees 6 batches", out)
        self.assert_equal_training("six", "moved")
        out = train(config("moved", accumulate=2, updates=9), "--resume")
        self.assertIn("the run of 3 workers goes on with 1: an update now sees 2 instead of 6 batches", out)

    def test_compressed_gradients_train_almost_the_same(self):
        train(config("exact"), "--workers", 2)
        train(config("compressed"), "--workers", 2, "--set", "training.gradient_compression=bf16")
        self.assertNotEqual(records("exact"), records("compressed"))
        for record, same in zip(records("exact"), records("compressed")):
            if "loss" in record:
                self.assertAlmostEqual(record["loss"], same["loss"], delta=0.02 * record["loss"])

    def test_a_worker_that_is_killed_ends_the_others_and_the_run_goes_on(self):
        for victim in (0, 1):
            run = f"killed-{victim}"
            group = start("train", config(run, updates=NEVER), "--workers", 3, "--worker-timeout", 60)
            await_updates(run, 8)
            os.kill(worker_processes(group)[victim], signal.SIGKILL)
            begin = time.monotonic()
            out = finish(group, check=1)
            self.assertLess(time.monotonic() - begin, 20)
            self.assertIn(f"worker {victim} of 3 was killed by signal 9", out)
            self.assertEqual(re.findall(r"nmt: worker (\d) of 3 \(.*, process \d+\) has died", out), [str(victim)])
            done = len([record for record in records(run) if "loss" in record])
            out = train(config(run, updates=done + 4), "--workers", 2, "--resume")
            self.assertIn("resuming after update", out)

    def test_a_worker_that_hangs_ends_the_others(self):
        group = start("train", config("hung", updates=NEVER), "--workers", 3, "--worker-timeout", 3)
        await_updates("hung", 4)
        hung = worker_processes(group)[2]
        os.kill(hung, signal.SIGSTOP)
        begin = time.monotonic()
        line = ""
        while "no sign" not in line:
            line = group.stdout.readline()
            self.assertTrue(line)
        self.assertRegex(line, r"worker 2 of 3 \(.*\) has given no sign for 3 s: it is stopped, or")
        self.assertLess(time.monotonic() - begin, 10)
        os.kill(hung, signal.SIGKILL)
        finish(group, check=1)

    def test_lines_are_shared_among_workers_and_come_out_in_order(self):
        train(config("translates"))
        text = "".join((FOLDER / f"data/train.en").read_text().splitlines(keepends=True)[:50]) + "\n \nlast"
        for options in ([], ["--n-best", "2", "--alignment", "hard"], ["--batch-size", "1"]):
            outputs = [subprocess.run([NMT, "translate", "translates", "--threads", "1", *options, *more], input=text, text=True,
                                      cwd=FOLDER, capture_output=True, check=True).stdout
                       for more in ([], ["--workers", "3"])]
            self.assertEqual(*outputs)
            self.assertGreaterEqual(len(outputs[0].splitlines()), 53)

    def test_ctrl_c_saves_once_and_ends_all(self):
        group = start("train", config("stopped", updates=NEVER), "--workers", 2)
        await_updates("stopped", 3)
        group.send_signal(signal.SIGINT)
        out = finish(group, check=1)
        self.assertEqual(len(re.findall(r"interrupted after update \d+; the same command with --resume", out)), 1)
        at = int(re.search(r"interrupted after update (\d+)", out).group(1))
        self.assertIn(f"resuming after update {at}", train(config("stopped", updates=at + 1), "--workers", 2, "--resume"))

    def test_workers_that_would_train_something_else_are_refused(self):
        (FOLDER / "data/other.de").write_text((FOLDER / "data/train.de").read_text().replace("der", "die"))
        cases = {"training.learning_rate=0.5": "training.learning_rate: 0.5 here, 0.001 in worker 0",
                 "data.train.target=data/other.de": "data.train: the files here do not hold what those of worker 0 hold"}
        for change, message in cases.items():
            port = free_port()
            path = config("differs")
            group = [start("train", path, **place(0, 2, port)), start("train", path, "--set", change, **place(1, 2, port))]
            for process in group:
                self.assertIn(f"worker 1 would train something else than worker 0: {message}", finish(process, check=2))
            self.assertFalse((FOLDER / "differs").exists())

    def test_a_port_in_use_and_missing_workers_are_named(self):
        path = config("nothing")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            out = finish(start("train", path, **place(0, 2, port)), check=1)
            self.assertIn(f"127.0.0.1:{port}: the port is in use", out)
        port = free_port()
        group = [start("train", path, "--worker-timeout", 2, **place(rank, 4, port)) for rank in (0, 2)]
        for process in group:
            self.assertIn("workers 1, 3 of 4 did not join within 2 s", finish(process, check=1))
        out = finish(start("train", path, "--worker-timeout", 1, **place(1, 2, free_port())), check=1)
        self.assertIn("worker 1 of 2: nobody answered at 127.0.0.1", out)
        self.assertIn("but a launcher has started 2", finish(start("train", path, "--workers", 2, **place(0, 2, port)), 2))

    def test_workers_listen_on_loopback_alone(self):
        group = start("train", config("listens", updates=NEVER), "--workers", 2)
        await_updates("listens", 1)
        listening = {}
        for pid in worker_processes(group).values():
            sockets = {os.readlink(link) for link in pathlib.Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()}
            for table in ("tcp", "tcp6"):
                for line in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                    fields = line.split()
                    if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                        listening[fields[1]] = pid
        group.send_signal(signal.SIGTERM)
        finish(group, check=1)
        self.assertGreaterEqual(len(listening), 2)
        for address in listening:
            self.assertTrue(address.startswith("0100007F:"), listening)

    def test_a_launcher_that_starts_again_goes_on_with_the_run(self):
        port = free_port()
        again = {"TORCHELASTIC_RESTART_COUNT": "1"}
        for variables, updates, message in (({}, 4, "training ended after 4"), (again, 8, "resuming after update 4")):
            path = config("elastic", updates=updates)
            group = [start("train", path, **place(rank, 2, port, **variables)) for rank in range(2)]
            self.assertIn(message, finish(group[0]))
            finish(group[1])


if __name__ == "__main__":
    NMT = str(pathlib.Path(sys.argv.pop(1)).resolve())
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = pathlib.Path(folder)
        unittest.main()
