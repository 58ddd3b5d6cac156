#!/usr/bin/env python3
"""Cuts a corpus of pieces into the batches that every side of bench-train reads.

    bench/train/make_batches.py data/train.sp.en data/train.sp.de data/vocab.txt batches.txt

A line a batch: sentence pairs joined by tabs, a pair as "source ids|target ids". Ids are those of nmt: 0 padding, 1
unknown, 2 <s>, 3 </s> (neither of which stands in the file). Pairs are sorted by length and cut at 4,096 target
positions, padding included; the batches are shuffled by a fixed seed.
"""
import random
import sys


def main(source_path, target_path, vocabulary_path, out_path, batch_tokens=4096):
    with open(vocabulary_path, encoding="utf-8") as file:
        ids = {line.rstrip("\n"): index for index, line in enumerate(file)}
    ids.update({"<unk>": 1, "<pad>": 0})  # the peers' vocabulary has them the other way round

    def read(path):
        with open(path, encoding="utf-8") as file:
            return [[ids.get(piece, 1) for piece in line.split()] for line in file]

    pairs = list(zip(read(source_path), read(target_path)))
    pairs.sort(key=lambda pair: (len(pair[1]), len(pair[0])))
    batches, batch = [], []
    for pair in pairs:
        if batch and (len(pair[1]) + 1) * (len(batch) + 1) > batch_tokens:
            batches.append(batch)
            batch = []
        batch.append(pair)
    batches.append(batch)
    random.Random(1).shuffle(batches)
    with open(out_path, "w", encoding="ascii") as out:
        for batch in batches:
            out.write("\t".join("|".join(" ".join(map(str, side)) for side in pair) for pair in batch) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
