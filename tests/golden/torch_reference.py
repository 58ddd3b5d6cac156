"""The reference for make_torch_golden.py: both translators made of PyTorch's own modules.

What PyTorch lacks is written out: the attention of the GRU's decoder, and multi-head attention with an additive score.
as_ours(get) gives get(parameter) by nmt's name and cut to nmt's layout; `get` picks the value or the gradient.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn


def padding(lengths, size):
    """True where there is padding."""
    return torch.arange(size)[None] >= lengths[:, None]


class AdditiveMultihead(nn.Module):
    """Stands where nn.MultiheadAttention stands, with v^T tanh(W q + U k) of each head instead of the dot product."""

    batch_first = True

    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(size, size) for _ in range(4))
        self.v = nn.Parameter(torch.zeros(heads, size // heads))

    def forward(self, query, key, value, attn_mask=None, key_padding_mask=None, **_):
        contexts, weights = [], []
        parts = (self.query(query), self.key(key), self.value(value))
        for head, (q, k, v) in enumerate(zip(*(part.chunk(self.heads, -1) for part in parts))):
            e = torch.einsum("btsk,k->bts", torch.tanh(q[:, :, None] + k[:, None]), self.v[head])
            for mask in (attn_mask, None if key_padding_mask is None else key_padding_mask[:, None]):
                if mask is not None:  # true, or minus infinity, where nothing may be seen
                    e = e.masked_fill(mask if mask.dtype == torch.bool else mask == -math.inf, -math.inf)
            weights.append(e.softmax(-1))
            contexts.append(weights[-1] @ v)
        return self.output(torch.cat(contexts, -1)), torch.stack(weights, 1)


def multi_head_as_ours(attention, get):
    """Our names and layouts of get(parameter)."""
    if isinstance(attention, AdditiveMultihead):
        names = {f"{name}.{kind}": get(getattr(getattr(attention, name), kind))
                 for name in ("query", "key", "value", "output") for kind in ("weight", "bias")}
        return {**names, "scorer.v": get(attention.v)}
    names = {"output.weight": get(attention.out_proj.weight), "output.bias": get(attention.out_proj.bias)}
    for kind in ("weight", "bias"):
        parts = get(getattr(attention, f"in_proj_{kind}")).chunk(3)
        names.update({f"{name}.{kind}": part for name, part in zip(("query", "key", "value"), parts)})
    return names


def gru_as_ours(cell, get, suffix=""):
    """Our names of an nn.GRUCell, or of one layer and direction of an nn.GRU. Gates lie alike: r, z, n."""
    return {ours: get(getattr(cell, theirs + suffix))
            for ours, theirs in (("input_weight", "weight_ih"), ("input_bias", "bias_ih"),
                                 ("recurrent_weight", "weight_hh"), ("recurrent_bias", "bias_hh"))}


def tied_embeddings(tie, source_size, target_size, size):
    """Source and target embedding and the output layer; tied ones hold one nn.Parameter."""
    source, target = nn.Embedding(source_size, size), nn.Embedding(target_size, size)
    output = nn.Linear(size, target_size)
    if tie in ("target", "all"):
        output.weight = target.weight
    if tie == "all":
        source.weight = target.weight
    return source, target, output


def embeddings_as_ours(model, tie, get):
    names = {"embeddings.target": get(model.target.weight), "embeddings.output_bias": get(model.output.bias)}
    if tie != "all":
        names["embeddings.source"] = get(model.source.weight)
    if tie == "none":
        names["embeddings.output"] = get(model.output.weight)
    return names


class GruTranslator(nn.Module):
    """Bahdanau et al. 2015, and the conditional GRU of Nematus (Sennrich et al. 2017, section 2)."""

    def __init__(self, tie, source_size, target_size, embedding, hidden, attention, layers, decoder, readout, score):
        super().__init__()
        self.tie, self.embedding, self.layers, self.order, self.kind, self.score = (
            tie, embedding, layers, decoder, readout, score)
        self.source, self.target, self.output = tied_embeddings(tie, source_size, target_size, embedding)
        self.encoder = nn.GRU(embedding, hidden, num_layers=layers, batch_first=True, bidirectional=True)
        if decoder == "conditional":
            self.cell, self.context_cell = nn.GRUCell(embedding, hidden), nn.GRUCell(2 * hidden, hidden)
        else:
            self.cell = nn.GRUCell(embedding + 2 * hidden, hidden)
        self.initial = nn.Linear(hidden, hidden)
        self.query, self.key = nn.Linear(hidden, attention, bias=False), nn.Linear(2 * hidden, attention)
        if score == "additive":
            self.v = nn.Parameter(torch.zeros(attention))
        size = 2 * embedding if readout == "maxout" else embedding
        self.readout_state = nn.Linear(hidden, size)
        self.readout_embedding = nn.Linear(embedding, size, bias=False)
        self.readout_context = nn.Linear(2 * hidden, size, bias=False)

    def attend(self, state, memory, blocked):
        query, key = self.query(state)[:, None], self.key(memory)
        if self.score == "additive":
            e = torch.tanh(query + key) @ self.v
        else:
            e = (query * key).sum(-1) / math.sqrt(key.size(-1))
        weights = e.masked_fill(blocked, -math.inf).softmax(-1)
        return torch.einsum("bs,bsc->bc", weights, memory), weights

    def forward(self, batch):
        packed = nn.utils.rnn.pack_padded_sequence(self.source(batch["source_BS"]), batch["source_lengths_B"],
                                                   batch_first=True, enforce_sorted=False)
        packed_memory, last = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(packed_memory, batch_first=True)
        blocked = padding(batch["source_lengths_B"], memory.size(1))
        state = torch.tanh(self.initial(last[-1]))  # last[-1]: the backward direction of the last layer
        hidden, attention = [], []
        for y in self.target(batch["target_input_BT"]).unbind(1):
            if self.order == "conditional":
                between = self.cell(y, state)
                context, weights = self.attend(between, memory, blocked)
                seen = state = self.context_cell(context, between)
            else:
                context, weights = self.attend(state, memory, blocked)
                seen = state
                state = self.cell(torch.cat([y, context], 1), state)
            t = self.readout_state(seen) + self.readout_embedding(y) + self.readout_context(context)
            hidden.append(F.max_pool1d(t, kernel_size=2) if self.kind == "maxout" else torch.tanh(t))
            attention.append(weights)
        return self.output(torch.stack(hidden, 1)), torch.stack(attention, 1)[:, None, None]

    def as_ours(self, get):
        names = embeddings_as_ours(self, self.tie, get)
        for layer in range(self.layers):
            for direction, suffix in (("forward", ""), ("backward", "_reverse")):
                cell = gru_as_ours(self.encoder, get, f"_l{layer}{suffix}")
                names.update({f"encoder.{direction}{layer}.{name}": value for name, value in cell.items()})
        cell = gru_as_ours(self.cell, get)
        if self.order == "conditional":
            context_cell = gru_as_ours(self.context_cell, get)
            names.update({f"decoder.context_cell.{name}": value for name, value in context_cell.items()})
        else:
            names["decoder.context_gates.weight"] = cell["input_weight"][:, self.embedding:]
            cell["input_weight"] = cell["input_weight"][:, :self.embedding]
        names.update({f"decoder.cell.{name}": value for name, value in cell.items()})
        for name in ("initial", "query", "key", "readout_state", "readout_embedding", "readout_context"):
            names.update({f"decoder.{name}.{kind}": get(parameter)
                          for kind, parameter in getattr(self, name).named_parameters()})
        if self.score == "additive":
            names["decoder.scorer.v"] = get(self.v)[None]
        return names


class Positions(nn.Module):
    """Vaswani et al. 2017, section 3.5, or a learned table."""

    def __init__(self, kind, size, rows):
        super().__init__()
        self.size = size
        self.table = nn.Embedding(rows, size) if kind == "learned" else None

    def forward(self, count):
        if self.table:
            return self.table(torch.arange(count))
        return torch.tensor([[(math.cos if i % 2 else math.sin)(position / 10000 ** ((i - i % 2) / self.size))
                              for i in range(self.size)] for position in range(count)])


class Transformer(nn.Module):
    """Vaswani et al. 2017."""

    def __init__(self, tie, source_size, target_size, size, heads, feed_forward, layers, norm, activation, positions,
                 max_positions, score):
        super().__init__()
        self.tie, self.size = tie, size
        self.source, self.target, self.output = tied_embeddings(tie, source_size, target_size, size)
        self.source_positions = Positions(positions, size, max_positions)
        self.target_positions = Positions(positions, size, max_positions)
        options = dict(d_model=size, nhead=heads, dim_feedforward=feed_forward, dropout=0.0, activation=activation,
                       batch_first=True, norm_first=norm == "pre")
        self.encoder = nn.ModuleList(nn.TransformerEncoderLayer(**options) for _ in range(layers))
        self.decoder = nn.ModuleList(nn.TransformerDecoderLayer(**options) for _ in range(layers))
        self.encoder_norm = nn.LayerNorm(size) if norm == "pre" else None
        self.decoder_norm = nn.LayerNorm(size) if norm == "pre" else None
        if score == "additive":
            for layer in [*self.encoder, *self.decoder]:
                layer.self_attn = AdditiveMultihead(size, heads)
            for layer in self.decoder:
                layer.multihead_attn = AdditiveMultihead(size, heads)
        self.weights = []
        for layer in self.decoder:  # the layer asks for no weights and throws them away
            layer.multihead_attn.register_forward_pre_hook(
                lambda _, inputs, named: (inputs, {**named, "need_weights": True, "average_attn_weights": False}),
                with_kwargs=True)
            layer.multihead_attn.register_forward_hook(lambda _, inputs, found: self.weights.append(found[1]))

    def embed(self, embedding, positions, ids):
        return embedding(ids) * math.sqrt(self.size) + positions(ids.size(1))

    def forward(self, batch):
        self.weights.clear()
        memory = self.embed(self.source, self.source_positions, batch["source_BS"])
        # As numbers, 0 or minus infinity: PyTorch warns when it has to mix both kinds of mask.
        blocked = torch.zeros(batch["source_BS"].shape).masked_fill(
            padding(batch["source_lengths_B"], memory.size(1)), -math.inf)
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=blocked)
        if self.encoder_norm:
            memory = self.encoder_norm(memory)
        x = self.embed(self.target, self.target_positions, batch["target_input_BT"])
        causal = nn.Transformer.generate_square_subsequent_mask(x.size(1), dtype=torch.float64)
        for layer in self.decoder:
            x = layer(x, memory, tgt_mask=causal, memory_key_padding_mask=blocked)
        if self.decoder_norm:
            x = self.decoder_norm(x)
        return self.output(x), torch.stack(self.weights, 1)

    def as_ours(self, get):
        names = embeddings_as_ours(self, self.tie, get)

        def add(prefix, module):
            names.update({f"{prefix}.{kind}": get(parameter) for kind, parameter in module.named_parameters()})

        for side in ("source_positions", "target_positions"):
            if getattr(self, side).table:
                names[f"{side}.weight"] = get(getattr(self, side).table.weight)
        for side, blocks in (("encoder", (("self", "self_attn"), ("feed_forward", None))),
                             ("decoder", (("self", "self_attn"), ("cross", "multihead_attn"), ("feed_forward", None)))):
            for number, layer in enumerate(getattr(self, side)):
                for index, (block, attention) in enumerate(blocks, 1):
                    add(f"{side}{number}.{block}_residual.norm", getattr(layer, f"norm{index}"))
                    if attention:
                        found = multi_head_as_ours(getattr(layer, attention), get)
                        names.update({f"{side}{number}.{block}_attention.{name}": value
                                      for name, value in found.items()})
                add(f"{side}{number}.feed_forward.inner", layer.linear1)
                add(f"{side}{number}.feed_forward.outer", layer.linear2)
        if self.encoder_norm:
            add("encoder_norm", self.encoder_norm)
            add("decoder_norm", self.decoder_norm)
        return names
