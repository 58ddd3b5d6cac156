"""Prints the batches of one epoch by the definition in nmt/corpus/batch_order.h, for batch_order_test.cc."""

MASK = (1 << 64) - 1


class SplitMix64:
    """The generator of nmt/text/splitmix64.h."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        return self.next() * bound >> 64

    def shuffle(self, values):
        for i in range(len(values), 1, -1):
            j = self.below(i)
            values[i - 1], values[j] = values[j], values[i - 1]


def mix_seed(*parts):
    seed = 0
    for part in parts:
        seed = SplitMix64(seed ^ SplitMix64(part).next()).next()
    return seed


def epoch_order(source, target, batch_tokens, seed, epoch):
    """One window only: the pairs hold fewer than 100 batches' tokens."""
    random = SplitMix64(mix_seed(seed, 1, epoch))
    pairs = list(range(len(source)))
    random.shuffle(pairs)
    pairs.sort(key=lambda i: (target[i], source[i]))
    batches = [[]]
    for i in pairs:
        batch = batches[-1] + [i]
        if batches[-1] and len(batch) * max(max(source[j], target[j]) + 1 for j in batch) > batch_tokens:
            batches.append([i])
        else:
            batches[-1] = batch
    random.shuffle(batches)
    return batches


print(epoch_order(source=[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8], target=[2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5],
                  batch_tokens=24, seed=7, epoch=3))
