#!/usr/bin/env python3
"""Writes a transformer run's weights in CTranslate2's format, so that both programs decode with the same ones.

    to_ctranslate2.py RUN OUT

Tokens are the run's ids in decimal (and <pad>, <unk>, <s>, </s> for 0 to 3), as bench_decode --ids writes them: what is
compared is decoding, not the cutting into pieces. Takes pre-norm and post-norm, relu and gelu, sinusoidal and learned
positions; the attention must be scaled_dot.
Needs ctranslate2, numpy, safetensors and pyyaml (bench/setup_peers.sh makes an environment with them).
"""
import pathlib
import sys

import ctranslate2
import numpy as np
import yaml
from ctranslate2.specs import common_spec, transformer_spec
from safetensors.numpy import load_file


def linear(spec, weights, names):
    """Several of our layers with one input are one of theirs."""
    spec.weight = np.concatenate([weights[name + ".weight"] for name in names])
    spec.bias = np.concatenate([weights[name + ".bias"] for name in names])


def norm(spec, weights, name):
    spec.gamma, spec.beta = weights[name + ".weight"], weights[name + ".bias"]


def positions(size, count=1024):
    """Vaswani et al. 2017, section 3.5."""
    angle = np.arange(count)[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    table = np.zeros((count, size), dtype="float32")
    table[:, 0::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return table


def main(run, out):
    run = pathlib.Path(run)
    model = yaml.safe_load((run / "config.yaml").read_text())["model"]
    if model["type"] != "transformer" or model["attention"] not in ("default", "scaled_dot"):
        sys.exit(f"{run}: expected a transformer with scaled_dot attention")
    checkpoint = run / "checkpoints" / (run / "checkpoints/best").read_text().strip()
    weights = load_file(checkpoint / "model.safetensors")
    pre_norm = model["norm"] == "pre"
    spec = transformer_spec.TransformerSpec.from_config(
        (model["encoder_layers"], model["decoder_layers"]), model["heads"], pre_norm=pre_norm,
        activation=common_spec.Activation.RELU if model["activation"] == "relu" else common_spec.Activation.GELU)
    target = weights["embeddings.target"]
    for side, part, embedding in (("encoder", spec.encoder, weights.get("embeddings.source", target)),
                                  ("decoder", spec.decoder, target)):
        holder = part.embeddings[0] if isinstance(part.embeddings, list) else part.embeddings
        holder.weight = embedding
        part.scale_embeddings = True
        learned = weights.get(("source" if side == "encoder" else "target") + "_positions.weight")
        part.position_encodings.encodings = positions(target.shape[1]) if learned is None else learned
        if pre_norm:
            norm(part.layer_norm, weights, side + "_norm")
        for i, layer in enumerate(part.layer):
            name = f"{side}{i}."
            norm(layer.self_attention.layer_norm, weights, name + "self_residual.norm")
            linear(layer.self_attention.linear[0], weights,
                   [name + "self_attention." + role for role in ("query", "key", "value")])
            linear(layer.self_attention.linear[1], weights, [name + "self_attention.output"])
            if side == "decoder":
                norm(layer.attention.layer_norm, weights, name + "cross_residual.norm")
                linear(layer.attention.linear[0], weights, [name + "cross_attention.query"])
                linear(layer.attention.linear[1], weights, [name + "cross_attention." + role for role in ("key", "value")])
                linear(layer.attention.linear[2], weights, [name + "cross_attention.output"])
            norm(layer.ffn.layer_norm, weights, name + "feed_forward_residual.norm")
            linear(layer.ffn.linear_0, weights, [name + "feed_forward.inner"])
            linear(layer.ffn.linear_1, weights, [name + "feed_forward.outer"])
    spec.decoder.projection.weight = weights.get("embeddings.output", target)
    spec.decoder.projection.bias = weights["embeddings.output_bias"]
    special = ["<pad>", "<unk>", "<s>", "</s>"]
    tokens = [special[i] if i < 4 else str(i) for i in range(len(target))]
    spec.register_source_vocabulary([special[i] if i < 4 else str(i)
                                     for i in range(len(weights.get("embeddings.source", target)))])
    spec.register_target_vocabulary(tokens)
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = "<s>", "</s>", "<unk>"
    spec.config.add_source_eos, spec.config.add_source_bos = True, False
    spec.config.layer_norm_epsilon = 1e-5
    spec.validate()
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    spec.save(str(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
