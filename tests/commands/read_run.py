#!/usr/bin/env python3
"""Reads a run as others do: its weights with Python's safetensors, its metrics with TensorBoard's own reader.

    read_run.py RUN

Prints one JSON object: shape and sum of each weight, and each curve as [update, value] points.
Needs safetensors, numpy and tensorboard (scripts/setup.sh --tests installs them into .deps/test-python).
"""
import json
import pathlib
import sys

from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def main(run):
    run = pathlib.Path(run)
    checkpoint = run / "checkpoints" / (run / "checkpoints/last").read_text().strip()
    weights = load_file(checkpoint / "model.safetensors")
    events = EventAccumulator(str(run / "tensorboard"), size_guidance={"scalars": 0})
    events.Reload()
    curves = {tag: events.Scalars(tag) for tag in events.Tags()["scalars"]}
    print(json.dumps({
        "weights": {name: [list(tensor.shape), float(tensor.sum(dtype="float64"))] for name, tensor in weights.items()},
        "curves": {tag: [[point.step, point.value] for point in points] for tag, points in curves.items()},
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
