"""How bench-train runs JoeyNMT and eole: a model of the same shape on the same text, with their own batches and loop.

Their configurations take the sizes from tiny.yaml and gru.yaml, and a nominal batch of 4,096 tokens, which the two count
in their own ways. What they log is what counts: both print the target tokens a second of every few updates, </s> counted,
padding not. A rate over several of these intervals, all of equally many updates, is their harmonic mean.
"""
import json
import math
import pathlib
import re
import statistics

HERE = pathlib.Path(__file__).resolve().parent
BATCH_TOKENS = 4096
SPECIALS = ["<unk>", "<pad>", "<s>", "</s>"]


def sizes(model):
    """The numbers in the `model:` section of the model's configuration."""
    text = (HERE / f"{model}.yaml").read_text(encoding="utf-8")
    return {key: json.loads(number) for key, number in re.findall(r"^  (\w+): ([\d.]+)$", text, re.MULTILINE)}


def write_vocabulary(corpus, folder):
    """The corpus' vocabulary with the special pieces first, in the order that both peers expect."""
    pieces = (corpus / "vocab.txt").read_text(encoding="utf-8").splitlines()
    text = "\n".join(SPECIALS + [piece for piece in pieces if piece not in SPECIALS]) + "\n"
    (folder / "vocab.txt").write_text(text, encoding="utf-8")
    return folder / "vocab.txt"


def joeynmt_config(model, corpus, folder, updates, log_every):
    size = sizes(model)
    valid = "valid" if (corpus / "valid.source").exists() else "train"  # JoeyNMT wants one; it is never translated
    side = {"level": "word", "lowercase": False, "max_length": 100, "voc_file": str(write_vocabulary(corpus, folder))}
    if model == "tiny":
        def stack(layers):
            return {"type": "transformer", "num_layers": layers, "num_heads": size["heads"],
                    "hidden_size": size["hidden_size"], "ff_size": size["feed_forward_size"], "layer_norm": "pre",
                    "dropout": size["dropout"], "embeddings": {"embedding_dim": size["hidden_size"], "scale": True}}

        layers = {"encoder": stack(size["encoder_layers"]), "decoder": stack(size["decoder_layers"])}
    else:
        common = {"type": "recurrent", "rnn_type": "gru", "num_layers": size["encoder_layers"],
                  "dropout": size["dropout"], "embeddings": {"embedding_dim": size["embedding_size"], "scale": False}}
        layers = {"encoder": {**common, "hidden_size": size["encoder_hidden_size"], "bidirectional": True},
                  "decoder": {**common, "hidden_size": size["hidden_size"], "hidden_dropout": size["dropout"],
                              "attention": "bahdanau", "init_hidden": "bridge", "input_feeding": True}}
    tied = model == "tiny"
    return {
        "name": model, "joeynmt_version": "2.3.0", "model_dir": str(folder / "model"), "use_cuda": False,
        "data": {"dataset_type": "plain", "train": str(corpus / "train"), "dev": str(corpus / valid),
                 "src": {"lang": "source", **side}, "trg": {"lang": "target", **side}},
        "testing": {"batch_type": "sentence", "batch_size": 64, "eval_metrics": []},
        # JoeyNMT asks for a schedule: one that changes nothing.
        "training": {"optimizer": "adam", "adam_betas": [0.9, 0.98], "learning_rate": 0.0001, "learning_rate_min": 0.0,
                     "scheduling": "exponential", "decrease_factor": 1.0, "loss": "crossentropy",
                     "label_smoothing": 0.1, "normalization": "tokens", "batch_type": "token",
                     "batch_size": BATCH_TOKENS, "shuffle": True, "random_seed": 1, "epochs": 1000, "updates": updates,
                     "logging_freq": log_every, "validation_freq": 1000000, "overwrite": True},
        "model": {"initializer": "xavier_uniform", "bias_initializer": "zeros", "embed_initializer": "normal",
                  "embed_init_weight": 0.1, "tied_embeddings": tied, "tied_softmax": tied, **layers},
    }


def eole_config(model, corpus, folder, updates, log_every):
    size = sizes(model)
    vocabulary = str(write_vocabulary(corpus, folder))
    count = len((folder / "vocab.txt").read_text(encoding="utf-8").splitlines())
    if model == "tiny":
        shape = {"architecture": "transformer", "hidden_size": size["hidden_size"], "layers": size["encoder_layers"],
                 "heads": size["heads"], "transformer_ff": size["feed_forward_size"], "share_embeddings": True,
                 "share_decoder_embeddings": True,
                 "embeddings": {"word_vec_size": size["hidden_size"],
                                "position_encoding_type": "SinusoidalInterleaved"}}
    else:
        # With the architecture "rnn", eole makes every encoder unidirectional, whatever encoder_type says. The hidden
        # size of a bidirectional one is that of both directions together.
        stack = {"layers": size["encoder_layers"], "rnn_type": "GRU"}
        shape = {"architecture": "custom", "hidden_size": size["hidden_size"], "input_feed": 1,
                 "embeddings": {"word_vec_size": size["embedding_size"]},
                 "encoder": {"encoder_type": "brnn", "hidden_size": 2 * size["encoder_hidden_size"],
                             "src_word_vec_size": size["embedding_size"], **stack},
                 "decoder": {"decoder_type": "rnn", "hidden_size": size["hidden_size"], "global_attention": "mlp",
                             "tgt_word_vec_size": size["embedding_size"], **stack}}
    return {
        "src_vocab": vocabulary, "tgt_vocab": vocabulary, "share_vocab": True, "src_vocab_size": count,
        "tgt_vocab_size": count, "pad_token": "<pad>", "save_data": str(folder / "data"), "overwrite": True, "seed": 1,
        "report_every": log_every,
        "data": {"train": {"path_src": str(corpus / "train.source"), "path_tgt": str(corpus / "train.target"),
                           "transforms": []}},
        "training": {"model_path": str(folder / "model"), "world_size": 0, "num_workers": 0, "compute_dtype": "fp32",
                     "batch_type": "tokens", "batch_size": BATCH_TOKENS, "batch_size_multiple": 1,
                     "bucket_size": 32768, "accum_count": [1], "accum_steps": [0], "normalization": "tokens",
                     "optim": "adam", "adam_beta2": 0.98, "learning_rate": 0.0001, "decay_method": "none",
                     "max_grad_norm": 0, "label_smoothing": 0.1, "dropout": [size["dropout"]],
                     "attention_dropout": [size["dropout"]], "dropout_steps": [0], "train_steps": updates,
                     "valid_steps": 1000000, "save_checkpoint_steps": 1000000},
        "model": shape,
    }


PEERS = {  # configuration, command, target tokens/s in the log
    "joeynmt": (joeynmt_config, ["bin/python", "-m", "joeynmt", "train", "--skip-test"], r"Tokens per Sec: *(\d+)"),
    "eole": (eole_config, ["bin/eole", "train", "-config"], r"\d+/ *(\d+) tok/s"),
}


def prepare(peer, model, corpus, environment, folder, updates, warm):
    """Writes the peer's configuration into `folder`; returns its command and what finds the rate in its output."""
    config, command, pattern = PEERS[peer]
    folder.mkdir(parents=True, exist_ok=True)
    log_every = math.gcd(updates, warm) or updates
    path = folder / "config.yaml"  # JSON, which is YAML too
    path.write_text(json.dumps(config(model, corpus, folder, warm + updates, log_every), indent=1), encoding="utf-8")

    def rate(output):
        rates = [int(found) for found in re.findall(pattern, output)][warm // log_every:]
        if len(rates) != updates // log_every:
            raise ValueError(f"expected {updates // log_every} rates after the warm-up, found {len(rates)}")
        return statistics.harmonic_mean(rates)

    return [str(environment / command[0]), *command[1:], str(path)], rate
