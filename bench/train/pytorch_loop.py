#!/usr/bin/env python3
"""The same training step as bench_train's, as a plain PyTorch program would write it, on the same batch file.

    bench/train/pytorch_loop.py batches.txt tiny|gru [--bf16] [--updates 8] [--warm 4] [--windows 2] [--threads 2]

Needs a Python with torch 2.11. `tiny` is nn.Transformer with the shape of tiny.yaml; `gru` has the sizes of gru.yaml and
feeds the attention's vector to the next step (Luong et al. 2015, section 3.3), as the Python toolkits do. For the
allocator's best, set MALLOC_MMAP_THRESHOLD_=8589934592 MALLOC_TRIM_THRESHOLD_=17179869184 MALLOC_TOP_PAD_=268435456.
"""
import argparse
import math
import resource
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

PAD, BEGIN, END = 0, 2, 3


def read_batches(path, count):
    def padded(rows):
        longest = max(map(len, rows))
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])

    with open(path, encoding="ascii") as file:
        for _, line in zip(range(count), file):
            pairs = [[list(map(int, side.split())) for side in pair.split("|")] for pair in line.rstrip("\n").split("\t")]
            yield (padded([source + [END] for source, _ in pairs]), padded([[BEGIN] + target for _, target in pairs]),
                   padded([target + [END] for _, target in pairs]))


class Tiny(nn.Module):
    def __init__(self, vocabulary, size=128, dropout=0.3):
        super().__init__()
        self.size, self.dropout = size, dropout
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=PAD)
        nn.init.normal_(self.embedding.weight, std=size**-0.5)
        self.transformer = nn.Transformer(size, 4, 4, 4, 256, dropout, batch_first=True, norm_first=True)
        angles = torch.arange(512)[:, None] * torch.exp(torch.arange(0, size, 2) * (-math.log(10000) / size))
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], 2).flatten(1))

    def embed(self, ids):
        x = self.embedding(ids) * math.sqrt(self.size) + self.positions[: ids.size(1)]
        return F.dropout(x, self.dropout, self.training)

    def forward(self, source, target):
        future = torch.ones(target.size(1), target.size(1), dtype=torch.bool).triu(1)
        blocked = source == PAD
        return self.transformer(self.embed(source), self.embed(target), tgt_mask=future, tgt_is_causal=True,
                                src_key_padding_mask=blocked, memory_key_padding_mask=blocked)

    def logits(self, hidden):
        return F.linear(hidden, self.embedding.weight)


class Gru(nn.Module):
    def __init__(self, vocabulary, embedding=256, direction=256, hidden=512, dropout=0.3):
        super().__init__()
        self.dropout = dropout
        self.source, self.target = (nn.Embedding(vocabulary, embedding, padding_idx=PAD) for _ in range(2))
        self.encoder = nn.GRU(embedding, direction, batch_first=True, bidirectional=True)
        self.initial = nn.Linear(2 * direction, hidden)
        self.cell = nn.GRUCell(embedding + hidden, hidden)
        self.key = nn.Linear(2 * direction, hidden, bias=False)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.v = nn.Linear(hidden, 1, bias=False)
        self.readout = nn.Linear(hidden + 2 * direction, hidden)
        self.output = nn.Linear(hidden, vocabulary, bias=False)

    def drop(self, x):
        return F.dropout(x, self.dropout, self.training)

    def forward(self, source, target):
        packed = nn.utils.rnn.pack_padded_sequence(self.drop(self.source(source)), (source != PAD).sum(1),
                                                   batch_first=True, enforce_sorted=False)
        memory, last = self.encoder(packed)
        memory = self.drop(nn.utils.rnn.pad_packed_sequence(memory, batch_first=True)[0])
        state = torch.tanh(self.initial(torch.cat([last[0], last[1]], 1)))
        keys, blocked, found = self.key(memory), source == PAD, []
        seen = torch.zeros_like(state)
        for y in self.drop(self.target(target)).unbind(1):
            state = self.cell(torch.cat([y, seen.to(y.dtype)], 1), state)
            scores = self.v(torch.tanh(keys + self.query(state)[:, None])).squeeze(2).masked_fill(blocked, -1e9)
            context = torch.bmm(scores.float().softmax(1).to(memory.dtype)[:, None], memory).squeeze(1)
            seen = torch.tanh(self.readout(self.drop(torch.cat([state.to(context.dtype), context], 1))))
            found.append(seen)
        return torch.stack(found, 1)

    def logits(self, hidden):
        return self.output(hidden)


def read_options(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("batches")
    parser.add_argument("model", choices=["tiny", "gru"])
    parser.add_argument("--bf16", action="store_true", help="autocast of the matrix products")
    parser.add_argument("--updates", type=int, default=8)
    parser.add_argument("--warm", type=int, default=4)
    parser.add_argument("--windows", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--vocabulary", type=int, default=10000, help="number of pieces")
    return parser.parse_args()


def make_model(options):
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    model = (Tiny if options.model == "tiny" else Gru)(options.vocabulary)
    return model, torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), fused=True)


def main():
    options = read_options(__doc__)
    model, adam = make_model(options)

    def step(source, target_input, target_output):
        with torch.autocast("cpu", torch.bfloat16, enabled=options.bf16):
            logits = model.logits(model(source, target_input))
        loss = F.cross_entropy(logits.flatten(0, 1), target_output.flatten(), ignore_index=PAD, label_smoothing=0.1)
        loss.backward()
        adam.step()
        adam.zero_grad()
        loss.item()
        return int((target_output != PAD).sum())

    batches = list(read_batches(options.batches, options.warm + options.updates * options.windows))
    for batch in batches[: options.warm]:
        step(*batch)
    rates = []
    for window in range(options.windows):
        first = options.warm + window * options.updates
        begin = time.perf_counter()
        tokens = sum(step(*batch) for batch in batches[first : first + options.updates])
        rates.append(tokens / (time.perf_counter() - begin))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"target tokens/s {statistics.median(rates):.0f} ({min(rates):.0f}-{max(rates):.0f})  peak MB {peak}")


if __name__ == "__main__":
    main()
