#!/usr/bin/env python3
"""Times JoeyNMT's decoder on the sentences that bench_decode wrote, as bench_decode times nmt, with a model of the run's shape.

    joeynmt_decode.py RUN IDS --length 16

The weights are random, so every translation is given the same number of pieces: a step costs what it costs, whatever it
says. Prints the same line as bench_decode. Needs JoeyNMT (bench/setup_peers.sh joeynmt).
"""
import argparse
import json
import logging
import pathlib
import resource
import statistics
import time
import types

import torch
import yaml
from joeynmt.batch import Batch
from joeynmt.model import build_model
from joeynmt.search import search
from joeynmt.vocabulary import Vocabulary

PAD, UNK, BEGIN, END = 0, 1, 2, 3


def joeynmt_shape(model):
    """JoeyNMT's configuration of the model that `model`, a section of nmt's, describes."""
    tied = model["tie_embeddings"] == "all"
    if model["type"] == "transformer":
        def stack(layers):
            return {"type": "transformer", "num_layers": layers, "num_heads": model["heads"], "hidden_size": model["hidden_size"],
                    "ff_size": model["feed_forward_size"], "layer_norm": model["norm"],
                    "embeddings": {"embedding_dim": model["hidden_size"], "scale": True}}
        layers = {"encoder": stack(model["encoder_layers"]), "decoder": stack(model["decoder_layers"])}
    else:
        common = {"type": "recurrent", "rnn_type": "gru", "embeddings": {"embedding_dim": model["embedding_size"], "scale": False}}
        encoder_size = model["encoder_hidden_size"] or model["hidden_size"]  # of each direction, as nmt has it
        layers = {"encoder": {**common, "num_layers": model["encoder_layers"], "hidden_size": encoder_size, "bidirectional": True},
                  "decoder": {**common, "num_layers": model["decoder_layers"], "hidden_size": model["hidden_size"],
                              "attention": "bahdanau", "init_hidden": "bridge", "input_feeding": True}}
    return {"tied_embeddings": tied, "tied_softmax": model["tie_embeddings"] != "none", "initializer": "xavier_uniform",
            "bias_initializer": "zeros", "embed_initializer": "normal", "embed_init_weight": 0.1, **layers}


def vocabulary_size(run):
    """The rows of the target embedding: a corpus that cannot fill the vocabulary has fewer than the config asks for."""
    checkpoint = run / "checkpoints" / (run / "checkpoints/best").read_text(encoding="utf-8").strip()
    with open(checkpoint / "model.safetensors", "rb") as file:
        tensors = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return max(tensor["shape"][0] for name, tensor in tensors.items() if name.startswith("embeddings."))


def make_batch(sentences):
    lengths = torch.tensor([len(ids) + 1 for ids in sentences])
    source = torch.full((len(sentences), int(lengths.max())), PAD)
    for row, ids in enumerate(sentences):
        source[row, :len(ids) + 1] = torch.tensor(ids + [END])
    return Batch(src=source, src_length=lengths, src_prompt_mask=None, trg=None, trg_prompt_mask=None,
                 indices=torch.arange(len(sentences)), device=torch.device("cpu"), pad_index=PAD, eos_index=END, is_train=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="of nmt: its config.yaml gives the shape")
    parser.add_argument("ids")
    parser.add_argument("--length", type=int, default=16, help="every translation has so many pieces")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--beam-size", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--sentences", type=int, default=0)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    logging.disable(logging.INFO)
    config = yaml.safe_load((options.run / "config.yaml").read_text(encoding="utf-8"))
    special = types.SimpleNamespace(pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>", sep_token=None,
                                    pad_id=PAD, unk_id=UNK, bos_id=BEGIN, eos_id=END, lang_tags=[])
    words = ["<pad>", "<unk>", "<s>", "</s>"] + [str(number) for number in range(4, vocabulary_size(options.run))]
    special_order = Vocabulary.__init__

    class OurOrder(Vocabulary):  # JoeyNMT wants <unk> first; the order of nmt's ids is another
        def __init__(self):
            special_order(self, words, special)

        def add_tokens(self, tokens):
            super().add_tokens(words)

    vocabulary = OurOrder()
    model = build_model(joeynmt_shape(config["model"]), vocabulary, vocabulary)
    model.eval()
    with open(options.ids, encoding="utf-8") as file:
        sentences = [[int(i) for i in line.split()] for line in file][:options.sentences or None]
    sentences.sort(key=len, reverse=True)  # batches of like length, as nmt makes them
    rates = []
    for number in range(options.rounds + 1):  # the first one does not count
        some = sentences if number else sentences[:options.batch_size]
        begin = time.monotonic()
        for first in range(0, len(some), options.batch_size):
            search(model=model, batch=make_batch(some[first:first + options.batch_size]), beam_size=options.beam_size, beam_alpha=1.0,
                   max_output_length=options.length, min_output_length=options.length, n_best=1, return_attention=False,
                   return_prob="none", generate_unk=True, repetition_penalty=-1, no_repeat_ngram_size=-1)
        if number:
            rates.append(len(some) / (time.monotonic() - begin))
    median = statistics.median(rates)
    print(f"sentences/s {median:.1f} ({min(rates):.1f}-{max(rates):.1f})  target tokens/s {median * options.length:.0f}  pieces a "
          f"sentence {options.length:.1f}  ms a sentence {1e3 / median:.2f}  peak MB "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}")


if __name__ == "__main__":
    main()
