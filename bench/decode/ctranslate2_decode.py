#!/usr/bin/env python3
"""Times CTranslate2 on the sentences that bench_decode wrote, as bench_decode times nmt.

    ctranslate2_decode.py MODEL IDS --compute-type int8 --intra-threads 1 --inter-threads 2

Prints the same line as bench_decode. Needs ctranslate2 (bench/setup_peers.sh ctranslate2).
"""
import argparse
import resource
import statistics
import time

import ctranslate2


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("ids")
    parser.add_argument("--compute-type", default="float32")
    parser.add_argument("--intra-threads", type=int, default=2)
    parser.add_argument("--inter-threads", type=int, default=1)
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=0)
    parser.add_argument("--length", type=int, default=0, help="every translation has so many pieces")
    parser.add_argument("--limit", type=int, default=256, help="no translation has more pieces")
    parser.add_argument("--one-by-one", action="store_true")
    parser.add_argument("--out", help="file that gets each translation's ids")
    options = parser.parse_args()
    translator = ctranslate2.Translator(options.model, device="cpu", compute_type=options.compute_type,
                                        intra_threads=options.intra_threads, inter_threads=options.inter_threads)
    with open(options.ids, encoding="utf-8") as file:
        special = ["<pad>", "<unk>", "<s>", "</s>"]
        sentences = [[special[int(i)] if int(i) < 4 else i for i in line.split()] for line in file]
    sentences = sentences[:options.sentences or None]
    lengths = dict(max_decoding_length=options.length, min_decoding_length=options.length) if options.length else \
        dict(max_decoding_length=options.limit)
    lengths.update(beam_size=options.beam_size, length_penalty=1.0)
    rates = []
    for number in range(options.rounds + 1):  # the first one does not count
        begin = time.monotonic()
        if options.one_by_one:
            found = [translator.translate_batch([sentence], **lengths)[0] for sentence in sentences]
        else:
            found = translator.translate_batch(sentences, max_batch_size=options.batch_size, batch_type="examples", **lengths)
        if number:
            rates.append(len(sentences) / (time.monotonic() - begin))
    pieces = sum(len(result.hypotheses[0]) + 1 for result in found) / len(sentences)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.writelines(" ".join(str(special.index(t)) if t in special else t for t in result.hypotheses[0]) + "\n"
                            for result in found)
    median = statistics.median(rates)
    print(f"sentences/s {median:.1f} ({min(rates):.1f}-{max(rates):.1f})  target tokens/s {median * pieces:.0f}  pieces a "
          f"sentence {pieces:.1f}  ms a sentence {1e3 / median:.2f}  peak MB "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}  ({translator.compute_type})")


if __name__ == "__main__":
    main()
