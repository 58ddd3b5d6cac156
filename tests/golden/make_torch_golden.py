#!/usr/bin/env python3
"""Writes the *.safetensors files beside it: what PyTorch makes of attention, both translators and ten updates.

    python3 -m venv VENV && VENV/bin/pip install torch==2.11.0 safetensors==0.8.0
    VENV/bin/python tests/golden/make_torch_golden.py

All in float64 on the CPU. The reference is PyTorch's own modules wherever there is one (MultiheadAttention, GRUCell,
GRU on packed sequences, TransformerEncoderLayer and TransformerDecoderLayer, Bilinear, cross_entropy, Adam, LambdaLR),
and the formula written out where there is none. Their parameters are renamed and cut to the layouts of nmt; the tests
that read the files give them to nmt's modules and compare. A file's metadata says what it holds:

    holds    in words
    config   the model and training sections of a run's config, as `nmt train` reads them
    made_by  this script and the version of PyTorch

scores        NAME.query_BHTK, .key_BHSK, .direction_BHTS, .parameter.X       in, for each of the five scores
              NAME.scores_BHTS, .gradient.query_BHTK, .gradient.X ...        out; gradients of sum(scores x direction)
multi_head    parameter.X; CASE.query_BTD, .memory_BSD, .lengths_B, .direction_BTD
              CASE.context_BTD, .weights_BHTS, .gradient.X                    gradients of sum(context x direction)
gru_cell      input_BI, hidden_BH, direction_BH, parameter.X; next_BH, gradient.X
gru_*, transformer_*
              parameter.X; batch0.* and batch1.*: source_BS, source_lengths_B, target_input_BT, target_output_BT
              logits_BTV, attention_BLHTS, loss (a target token), gradient.X  of batch0
              takes_UB[u, b] = 1 where update u takes batch b; losses_U, norms_U (before clipping), rates_U, and
              updated.X: the parameters after these updates
"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F
from safetensors.torch import save
from torch import nn

from torch_reference import GruTranslator, Transformer, gru_as_ours, multi_head_as_ours, padding

PAD, BEGIN, END = 0, 2, 3
FIRST_WORD = 4
FOLDER = pathlib.Path(__file__).resolve().parent


def write(name, holds, tensors, config=None):
    metadata = {"holds": holds, "made_by": f"make_torch_golden.py, PyTorch {torch.__version__.split('+')[0]}"}
    if config:
        metadata["config"] = config
    data = save({key: value.detach().clone().contiguous() for key, value in tensors.items()}, metadata)
    # safetensors writes metadata in a random order; sorted, the same numbers make the same file.
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header["__metadata__"] = metadata
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode().ljust(size)
    assert len(text) == size
    (FOLDER / f"{name}.safetensors").write_bytes(data[:8] + text + data[8 + size:])


def gradients(value, leaves, prefix="gradient."):
    """The gradients of the scalar `value` by name."""
    return {prefix + name: gradient for name, gradient in
            zip(leaves, torch.autograd.grad(value, list(leaves.values())))}


def leaf(*shape, scale=1.0):
    return (torch.randn(shape) * scale).requires_grad_()


def scores():
    torch.manual_seed(1)
    B, H, T, S, K = 2, 2, 3, 5, 4

    def dot(query, key):
        return torch.stack([torch.stack([(query[:, :, t] * key[:, :, s]).sum(-1) for s in range(S)], -1)
                            for t in range(T)], -2)

    def scaled_dot(query, key):
        result = dot(query, key) / math.sqrt(K)
        # PyTorch's fused attention over the unit vectors as values gives its weights.
        weights = F.scaled_dot_product_attention(query, key, torch.eye(S).expand(B, H, S, S))
        assert torch.allclose(result.softmax(-1), weights, rtol=0, atol=1e-14)
        return result

    def cosine(query, key, scale):
        return F.cosine_similarity(query[:, :, :, None], key[:, :, None], dim=-1) * scale.view(1, H, 1, 1)

    def general(query, key, weight):
        shape = (B, T, S, K)
        return torch.stack([F.bilinear(query[:, h, :, None].expand(shape).contiguous(),
                                       key[:, h, None].expand(shape).contiguous(), weight[h, None]).squeeze(-1)
                            for h in range(H)], 1)

    def additive(query, key, v):
        return (v.view(1, H, 1, 1, K) * torch.tanh(query[:, :, :, None] + key[:, :, None])).sum(-1)

    tensors = {}
    for name, score, parameters in (("dot", dot, {}), ("scaled_dot", scaled_dot, {}),
                                    ("cosine", cosine, {"scale": leaf(H, scale=3)}),
                                    ("general", general, {"weight": leaf(H, K, K)}),
                                    ("additive", additive, {"v": leaf(H, K)})):
        inputs = {"query_BHTK": leaf(B, H, T, K), "key_BHSK": leaf(B, H, S, K)}
        direction = torch.randn(B, H, T, S)
        result = score(*inputs.values(), *parameters.values())
        found = {**inputs, **{f"parameter.{key}": value for key, value in parameters.items()},
                 "direction_BHTS": direction, "scores_BHTS": result,
                 **gradients((result * direction).sum(), {**inputs, **parameters})}
        tensors.update({f"{name}.{key}": value for key, value in found.items()})
    write("scores", "the five attention scores with the gradients of queries, keys and parameters", tensors)


def multi_head():
    torch.manual_seed(2)
    B, T, D, H = 3, 5, 8, 2
    attention = nn.MultiheadAttention(D, H, batch_first=True)
    randomize(attention)
    tensors = {f"parameter.{name}": value
               for name, value in multi_head_as_ours(attention, lambda parameter: parameter).items()}
    causal = nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64)
    for case, S, lengths, mask in (("none", 7, None, None), ("padding", 7, [7, 2, 4], None),
                                   ("causal", T, None, causal), ("padding_causal", T, [3, 5, 1], causal)):
        attention.zero_grad()
        inputs = {"query_BTD": leaf(B, T, D), "memory_BSD": leaf(B, S, D)}
        query, memory = inputs.values()
        blocked = None
        if lengths:
            tensors[f"{case}.lengths_B"] = torch.tensor(lengths)
            blocked = torch.zeros(B, S).masked_fill(padding(torch.tensor(lengths), S), -math.inf)
        context, weights = attention(query, memory, memory, key_padding_mask=blocked, attn_mask=mask,
                                     need_weights=True, average_attn_weights=False)
        direction = torch.randn(B, T, D)
        (context * direction).sum().backward()
        found = {**inputs, "direction_BTD": direction, "context_BTD": context, "weights_BHTS": weights}
        found.update({f"gradient.{name}": value.grad for name, value in inputs.items()})
        found.update({f"gradient.{name}": value
                      for name, value in multi_head_as_ours(attention, lambda p: p.grad).items()})
        tensors.update({f"{case}.{name}": value for name, value in found.items()})
    write("multi_head", "scaled dot-product attention with two heads: values, weights and gradients for each mask",
          tensors)


def gru_cell():
    torch.manual_seed(3)
    B, I, H = 3, 4, 5
    cell = nn.GRUCell(I, H)
    randomize(cell)
    inputs = {"input_BI": leaf(B, I), "hidden_BH": leaf(B, H)}
    parameters = gru_as_ours(cell, lambda parameter: parameter)
    direction = torch.randn(B, H)
    result = cell(*inputs.values())
    write("gru_cell", "one step of a GRU cell with all gradients",
          {**inputs, "direction_BH": direction, "next_BH": result,
           **{f"parameter.{name}": value for name, value in parameters.items()},
           **gradients((result * direction).sum(), {**inputs, **parameters})})


BATCHES = (  # lengths of sources and targets, without end tokens: some padding on each side of each batch
    ((4, 1, 6), (3, 5, 1)),
    ((2, 5), (6, 2)),
)
UPDATES = 10
SMOOTHING = 0.1
WARMUP = 4
BETAS = (0.9, 0.98)


def randomize(module):
    """Parameters of ordinary size, none at a special value such as the bias 0."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if "norm" in name and name.endswith("weight"):
                parameter.copy_(1 + 0.2 * torch.randn(parameter.shape))
            elif parameter.dim() > 1:
                # A GRU's states are small. Larger weights bring its attention to where tanh bends; where it is nearly
                # linear, the gradients of query and key cancel and leave float32 too few digits to compare.
                scale = 4 if name in ("query.weight", "key.weight") else 1
                parameter.copy_(scale * torch.randn(parameter.shape) / math.sqrt(parameter.size(1)))
            else:
                parameter.copy_(0.5 * torch.randn(parameter.shape))


def draw_batch(lengths, source_size, target_size):
    def rows(sizes, vocabulary):
        return [torch.randint(FIRST_WORD, vocabulary, (size,)).tolist() for size in sizes]

    def padded(sentences):
        longest = max(map(len, sentences))
        return torch.tensor([sentence + [PAD] * (longest - len(sentence)) for sentence in sentences])

    sources, targets = rows(lengths[0], source_size), rows(lengths[1], target_size)
    return {"source_BS": padded([row + [END] for row in sources]),
            "source_lengths_B": torch.tensor([len(row) + 1 for row in sources]),
            "target_input_BT": padded([[BEGIN] + row for row in targets]),
            "target_output_BT": padded([row + [END] for row in targets])}


def smoothed_loss(logits, target):
    """Summed over real tokens; the smoothing goes to all pieces but padding, the right one included."""
    real = target != PAD
    q = torch.full((int(real.sum()), logits.size(-1)), SMOOTHING / (logits.size(-1) - 1))
    q[:, PAD] = 0
    q[torch.arange(len(q)), target[real]] += 1 - SMOOTHING
    return F.cross_entropy(logits[real], q, reduction="sum")


def tokens(batch):
    return int((batch["target_output_BT"] != PAD).sum())


def clip(parameters, clip_norm):
    """clip_grad_norm_, but for the 1e-6 that it adds to the norm; gives the norm before."""
    norm = nn.utils.get_total_norm([parameter.grad for parameter in parameters])
    nn.utils.clip_grads_with_norm_(parameters, clip_norm, norm - 1e-6)
    return norm


def train(model, batches, learning_rate, clip_norm):
    parameters = list(model.parameters())
    adam = torch.optim.Adam(parameters, lr=learning_rate, betas=BETAS, eps=1e-9)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda done: min((done + 1) / WARMUP, math.sqrt(WARMUP / (done + 1))))
    # In turn, and the last two updates over both, as accumulation does.
    takes = [[update >= UPDATES - 2 or update % 2 == b for b in range(2)] for update in range(UPDATES)]
    losses, norms, rates = [], [], []
    for update in range(UPDATES):
        taken = [batch for b, batch in enumerate(batches) if takes[update][b]]
        adam.zero_grad()
        loss = sum(smoothed_loss(model(batch)[0], batch["target_output_BT"]) for batch in taken)
        (loss / sum(map(tokens, taken))).backward()
        losses.append(loss.detach())
        norms.append(clip(parameters, clip_norm))
        rates.append(schedule.get_last_lr()[0])
        adam.step()
        schedule.step()
    clipped = [norm > clip_norm for norm in norms]
    assert any(clipped) and not all(clipped), f"clip at {clip_norm}: {[round(norm.item(), 3) for norm in norms]}"
    return {"takes_UB": torch.tensor(takes).long(), "losses_U": torch.stack(losses), "norms_U": torch.stack(norms),
            "rates_U": torch.tensor(rates)}


def whole_model(name, holds, model, sizes, config, learning_rate, clip_norm):
    randomize(model)
    batches = [draw_batch(lengths, *sizes) for lengths in BATCHES]
    tensors = {f"batch{b}.{key}": value for b, batch in enumerate(batches) for key, value in batch.items()}

    def add(prefix, get):
        tensors.update({prefix + key: value.detach().clone() for key, value in model.as_ours(get).items()})

    add("parameter.", lambda parameter: parameter)
    logits, attention = model(batches[0])
    loss = smoothed_loss(logits, batches[0]["target_output_BT"]) / tokens(batches[0])
    loss.backward()
    tensors.update({"logits_BTV": logits, "attention_BLHTS": attention, "loss": loss})
    add("gradient.", lambda parameter: parameter.grad)
    tensors.update(train(model, batches, learning_rate, clip_norm))
    add("updated.", lambda parameter: parameter)
    training = (f"training: {{learning_rate: {learning_rate}, schedule: inverse_sqrt, warmup_updates: {WARMUP}, "
                f"label_smoothing: {SMOOTHING}, clip_norm: {clip_norm}, "
                f"adam_beta1: {BETAS[0]}, adam_beta2: {BETAS[1]}}}\n")
    write(name, holds + ": logits, attention, loss, gradients, and ten updates", tensors,
          config=f"model: {{{config}, dropout: 0}}\n" + training)


def gru(name, seed, tie, sizes, layers, decoder, readout, score, attention_size=0, learning_rate=0.001, clip_norm=1.0):
    torch.manual_seed(seed)
    embedding, hidden = 5, 6
    model = GruTranslator(tie, *sizes, embedding, hidden, attention_size or hidden, layers, decoder, readout, score)
    whole_model(name, f"GRU, {decoder} order, {readout} readout, {score} attention, tied: {tie}", model, sizes,
                f"type: gru, attention: {score}, embedding_size: {embedding}, hidden_size: {hidden}, "
                f"encoder_layers: {layers}, decoder_layers: 1, tie_embeddings: {tie}, decoder: {decoder}, "
                f"readout: {readout}, attention_size: {attention_size}", learning_rate, clip_norm)


def transformer(name, seed, tie, sizes, layers, norm, activation, positions, score, learning_rate=0.001, clip_norm=1.0):
    torch.manual_seed(seed)
    size, heads, feed_forward, max_positions = 8, 2, 12, 10
    model = Transformer(tie, *sizes, size, heads, feed_forward, layers, norm, activation, positions, max_positions,
                        score)
    whole_model(name, f"transformer, {norm}-norm, {activation}, {positions} positions, {score} attention, tied: {tie}",
                model, sizes,
                f"type: transformer, attention: {score}, embedding_size: {size}, hidden_size: {size}, "
                f"encoder_layers: {layers}, decoder_layers: {layers}, tie_embeddings: {tie}, heads: {heads}, "
                f"feed_forward_size: {feed_forward}, norm: {norm}, positions: {positions}, activation: {activation}, "
                f"max_positions: {max_positions}", learning_rate, clip_norm)


def main():
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    scores()
    multi_head()
    gru_cell()
    gru("gru_conditional", 4, "target", (12, 11), 1, "conditional", "tanh", "additive")
    gru("gru_bahdanau", 5, "none", (10, 12), 2, "bahdanau", "maxout", "additive", attention_size=7, clip_norm=1.9)
    gru("gru_scaled_dot", 6, "all", (11, 11), 1, "conditional", "tanh", "scaled_dot")
    transformer("transformer_pre_norm", 7, "all", (11, 11), 2, "pre", "relu", "sinusoidal", "scaled_dot",
                clip_norm=1.9)
    transformer("transformer_post_norm", 8, "none", (10, 12), 2, "post", "gelu", "learned", "scaled_dot",
                clip_norm=2.83)
    transformer("transformer_additive", 9, "target", (12, 10), 1, "pre", "gelu", "sinusoidal", "additive",
                clip_norm=1.4)


if __name__ == "__main__":
    main()
