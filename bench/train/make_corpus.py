#!/usr/bin/env python3
"""Makes the corpus of bench-train: lines of pieces without meaning, shaped like a small real corpus.

    bench/train/make_corpus.py OUT

Writes train.source, train.target (29,000 pairs), valid.source, valid.target (100) and vocab.txt (10,000 pieces) into the
folder OUT; the same bytes every time. What a training step costs depends on the lengths and on how the pieces spread over
the vocabulary, not on what they mean; so the lengths of a pair are log-normal and correlated, and the pieces of a side
follow Zipf's law, with the numbers of Multi30k English-German cut into 10,000 joint BPE pieces: 13.9 and 14.1 pieces a
line, standard deviations of 4.6 and 5.1, correlation 0.86. A side uses a part of the vocabulary only, as languages do.
"""
import itertools
import math
import pathlib
import random
import sys

SPECIALS = ["<unk>", "<pad>", "<s>", "</s>"]
VOCABULARY, TRAIN, VALID = 10000, 29000, 100
# Mean and standard deviation of the logarithm of a length; the correlation of the two logarithms.
SOURCE_LENGTH, TARGET_LENGTH, CORRELATION = (2.579, 0.313), (2.583, 0.345), 0.857
SHORTEST, LONGEST = 3, 50
# A side's most frequent pieces: how many it uses, where in the shuffled vocabulary they begin.
SOURCE_PIECES, TARGET_PIECES = 5500, 7500
ZIPF_EXPONENT, ZIPF_SHIFT = 1.05, 0.7  # the piece of rank r has the weight (r + shift) ** -exponent


def lengths(random_numbers):
    def length(mean_and_deviation, normal):
        mean, deviation = mean_and_deviation
        return min(max(round(math.exp(mean + deviation * normal)), SHORTEST), LONGEST)

    first, other = random_numbers.gauss(0, 1), random_numbers.gauss(0, 1)
    second = CORRELATION * first + math.sqrt(1 - CORRELATION**2) * other
    return length(SOURCE_LENGTH, first), length(TARGET_LENGTH, second)


def main(out):
    folder = pathlib.Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    random_numbers = random.Random(1)
    pieces = [f"p{index}" for index in range(len(SPECIALS), VOCABULARY)]
    (folder / "vocab.txt").write_text("\n".join(SPECIALS + pieces) + "\n", encoding="ascii")
    random_numbers.shuffle(pieces)
    sides = pieces[:SOURCE_PIECES], pieces[-TARGET_PIECES:]
    weights = [list(itertools.accumulate((rank + ZIPF_SHIFT) ** -ZIPF_EXPONENT for rank in range(1, len(side) + 1)))
               for side in sides]
    for name, pairs in ("train", TRAIN), ("valid", VALID):
        with open(folder / f"{name}.source", "w", encoding="ascii") as source, \
                open(folder / f"{name}.target", "w", encoding="ascii") as target:
            for _ in range(pairs):
                for file, side, cumulative, length in zip((source, target), sides, weights, lengths(random_numbers)):
                    print(*random_numbers.choices(side, cum_weights=cumulative, k=length), file=file)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
