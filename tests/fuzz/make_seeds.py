#!/usr/bin/env python3
"""Writes the small inputs of each kind that the fuzz targets begin with, into tests/fuzz/seeds. What a search found is kept
there beside them under names that begin with "found".

    tests/fuzz/make_seeds.py
"""
import json
import pathlib
import struct

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds"

CONFIG = b"""run_dir: runs/mine
seed: 2
data:
  source_language: no
  train: {source: [a.en, b.en], target: [a.de, b.de], weight: [1, 0.5]}
  valid: {source: v.en, target: v.de}
model: {type: gru, hidden_size: 8, dropout: .1}
training: {learning_rate: 1e-4, max_updates: 10}
"""
PLAN = b"""out: runs/plan
seeds: [1, 2]
set: {threads: 1}
runs:
  - config: a.yaml
    name: gru
    set: {model.attention: [additive, dot]}
test: {source: t.en, reference: t.de}
parts:
  other: {source: u.en, reference: u.de, gold: u.links}
"""


def tensors(header, body, length=None):
    text = json.dumps(header).encode() if isinstance(header, dict) else header
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def entry(begin=0, end=8, shape=(2,), dtype="F32"):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


CONFIG_FILE, BEST, STATE, MANIFEST, ALIGNMENT, FINISH, METRICS, SUBWORDS = (bytes([i]) for i in range(8))
ALL = {
    "config": {
        "full": CONFIG, "plan": PLAN, "empty": b"", "overrides": CONFIG + b"\0model.dropout=0.2\nseed=\ntraining=1\n=",
        "list": b"- 1\n- 2\n", "twice": b"seed: 1\nseed: 2\n", "null": b"seed: ~\n", "alias": b"a: &a [*a]\nb: *a\n",
        "merge": b"model: &m {type: gru}\ndata: {<<: *m}\n", "deep": b"[" * 2000, "maps": b"{a: " * 500, "tag": b"!!python/object:x {}\n",
        "large": b"seed: 99999999999999999999\nmodel: {dropout: 1e999}\n", "bytes": b"seed: \xff\xfe\n", "documents": b"seed: 1\n---\nseed: 2\n",
        "open": b"seed: \"1\n", "tabs": b"model:\n\ttype: gru\n",
    },
    "links": {
        "zero": b"0-0 1-2 3p3\n\n2-1\n", "one": b"1-1 2p2\n", "known": b"0 1 2 dog Hund\n# a note\n\n3\t0\t0\ta\tein\n",
        "large": b"99999999999999999999-1 1-9223372036854775807\n", "broken": b"0- -1 0-0-0 a-b 0\xe2\x80\x931\n", "negative": b"-1-0\n",
        "space": b" \t0-0\r\n\x00 1-1",
    },
    "text": {
        "words": b"The small dogs.\nA cat!\n", "ends": b"a\r\nb\rc\n\n\xe2\x80\xa8d\xc2\x85e\x0bf\x0cg", "invalid": b"\xff\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80 a\xe2\x82",
        "reserved": b"<s> </s> <pad> <unk> \xe2\x96\x81 \xe2\x96\x81a", "wide": "\uff21\ufb01\u00bd\u2026\u200b\u0130\u1e9e\u0300".encode(), "right": "\u202eabc \u05d0\u05d1".encode(),
        "nul": b"a\0b\n\0\n",
    },
    "scores": {
        "equal": b"the dog\nthe dog\n", "empty": b"\n\n\nthe dog\nthe dog\n\n", "moved": b"b c d a e f\na b c d e f\n",
        "marks": "\u4e2d\u6587\u3002 $1,000.50 \u00abx\u00bb &quot;-\n1.000,5 \u4e2d \u6587\n".encode(), "bytes": b"\xff\xfe a\n\xc3( b\n",
    },
    "subwords": {"empty": b"", "text": b"no model", "piece": b"\n\x0c\n\x05<unk>\x15\0\0\0\0\x18\x02", "cut": b"\n\x7f\n\x05<unk>"},
    "safetensors": {
        "one": tensors({"a": entry(), "__metadata__": {"v": "1"}}, bytes(8)), "empty": b"", "none": tensors({}, b""),
        "long_header": tensors({"a": entry()}, bytes(8), 2**62), "cut": tensors({"a": entry(end=80, shape=(20,))}, bytes(8)),
        "overlap": tensors({"a": entry(), "b": entry()}, bytes(8)), "gap": tensors({"a": entry(4, 12)}, bytes(16)),
        "overflow": tensors({"a": entry(shape=(2**62, 2**62, 4))}, bytes(8)), "negative": tensors({"a": entry(-8, 0, (-2,))}, bytes(8)),
        "type": tensors({"a": entry(dtype="Q9")}, bytes(8)), "scalar": tensors({"a": entry(end=4, shape=())}, bytes(4)),
        "nan": tensors({"a": entry()}, b"\0\0\xc0\x7f" * 2), "deep": tensors(b"[" * 5000, b""), "no_json": tensors(b"{a", b""),
    },
    "run": {
        "config": CONFIG_FILE + CONFIG, "huge_model": CONFIG_FILE + b"model: {type: gru, hidden_size: 65536, embedding_size: 65536}\n",
        "no_config": CONFIG_FILE, "outside": BEST + b"../../etc\n", "other": BEST + b"update-00000009\n", "long": BEST + b"update-" + b"1" * 5000,
        "state": STATE + b'{"update": 3, "epoch": -1, "best_score": 1e999}', "state_text": STATE + b'{"update": "3"}', "no_json": STATE + b"{",
        "deep": STATE + b'{"a":' * 5000, "manifest": MANIFEST + b'{"files": {"../x": {"size": 1, "checksum": "1"}}}', "manifest_list": MANIFEST + b"[1, 2]",
        "alignment": ALIGNMENT + b'{"layer": 99, "head": -1, "shift": 7}', "alignment_null": ALIGNMENT + b"null", "finish": FINISH + b'{"update": 1e300, "seconds": null}',
        "metrics": METRICS + b'{"update": 1, "loss": 2, "seconds": 3}\n{"update": \n[]\n{"validation": {"bleu": "x"}}\n', "subwords": SUBWORDS + b"no model",
    },
}


def main():
    for target, inputs in ALL.items():
        folder = SEEDS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in inputs.items():
            (folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
