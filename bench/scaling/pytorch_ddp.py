#!/usr/bin/env python3
"""The training step of bench/train/pytorch_loop.py in PyTorch's DistributedDataParallel, on the same batch file.

    RANK=0 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 bench/scaling/pytorch_ddp.py batches.txt tiny|gru

Needs a Python with torch 2.11; bench/scaling/compare.py starts the workers. Prints the rate of all workers together, and
of the same workers each on its own at the same time (apart).
"""
import pathlib
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "train"))
import pytorch_loop  # noqa: E402


class Loss(nn.Module):
    """DistributedDataParallel shares the gradients of what goes through forward()."""

    def __init__(self, model, bf16):
        super().__init__()
        self.model, self.bf16 = model, bf16

    def forward(self, source, target_input, target_output):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            logits = self.model.logits(self.model(source, target_input))
        return F.cross_entropy(logits.flatten(0, 1), target_output.flatten(), ignore_index=pytorch_loop.PAD,
                               label_smoothing=0.1)


def main():
    options = pytorch_loop.read_options(__doc__)
    model, adam = pytorch_loop.make_model(options)
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    together = nn.parallel.DistributedDataParallel(Loss(model, options.bf16), gradient_as_bucket_view=True)

    def step(batch):
        loss = together(*batch)
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=False)
        loss.item()

    def seconds(chosen):
        dist.barrier()
        begin = time.perf_counter()
        for batch in chosen:
            step(batch)
        dist.barrier()
        return time.perf_counter() - begin

    batches = list(pytorch_loop.read_batches(options.batches, size * (options.warm + options.updates * options.windows)))
    own, first = batches[rank::size], options.warm
    seconds(own[:first])
    rates, slower = [], []
    for window in range(options.windows):
        begin = first + window * options.updates
        chosen = own[begin:begin + options.updates]
        elapsed = seconds(chosen)
        tokens = sum(int((batch[2] != pytorch_loop.PAD).sum()) for batch in
                     batches[begin * size:(begin + options.updates) * size])
        rates.append(tokens / elapsed)
        with together.no_sync():
            slower.append(elapsed / seconds(chosen))
    if rank == 0:
        print(f"target tokens/s {statistics.median(rates):.0f} ({min(rates):.0f}-{max(rates):.0f})  "
              f"together over apart {statistics.median(slower):.2f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
