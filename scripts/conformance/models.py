"""Models in Hugging Face's folders: prefill and 32 tokens of each, compared with plain NumPy.

Checkpoints of random weights are made here, one of each kind that is imported; those of a folder are taken as they are.
"""
import json
import os
import shutil

import checkpoint
import numpy as np
from files import files_below
from plain_model import PlainModel
from programs import Wrong, compare

PROMPT, TOKENS = 12, 32
LARGEST = 30_000_000  # elements of a model that plain NumPy computes in reasonable time


def prompts(config):
    return np.random.default_rng(7).integers(0, config["vocab_size"], (2, PROMPT))


def steps(programs, folder, model, tokens, ranks):
    np.save("tokens.npy", tokens)
    common = ["import", "safetensors-llama", folder, "--tokens", "tokens.npy"]
    programs.run("eintool", *common, "--logits", "all", "--dtype", "f64", "-o", "prefill.json")
    programs.run("eintool", *common, "--decode", TOKENS, "-o", "decode.json")
    yield "imported"
    logits = programs.results("prefill.json", ranks, "logits")
    found = programs.results("decode.json", ranks, "tokens_out")
    yield "planned"
    compare("prefill", logits, np.array([model.logits(prompt) for prompt in tokens]), 1e-10)
    for prompt, row in zip(tokens, found):
        expected, lead = model.greedy(prompt, TOKENS)
        if list(row) != expected:
            raise Wrong(f"tokens {list(row)} where {expected} were expected (the least lead is {lead:.1e})")
    yield "equal"


def steps_of_folder(programs, table, folder):
    """A user's model, with its own prompt (tokens.npy) and logits (logits.npy), if it has them."""
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    given = {name: os.path.join(folder, name + ".npy") for name in ("tokens", "logits")}
    given = {name: np.load(path) for name, path in given.items() if os.path.isfile(path)}
    tokens = np.atleast_2d(given["tokens"]) if "tokens" in given else prompts(config)
    elements = sum(os.path.getsize(file) for file in files_below(folder, ".safetensors")) // 4
    if elements > LARGEST:
        np.save("tokens.npy", tokens)
        programs.run("eintool", "import", "safetensors-llama", folder, "--tokens", "tokens.npy", "--decode", TOKENS,
                     "-o", "decode.json")
        yield "imported"
        programs.plan("decode.json", 4, "--dry-run")
        yield "planned"
        table.leave_out(folder, f"about {elements:.1e} elements are more than plain NumPy takes")
        return
    model = PlainModel(config, checkpoint.read(folder))
    if "logits" in given:
        logits = given["logits"].reshape(-1, config["vocab_size"])
        compare("NumPy's prefill and logits.npy", model.logits(tokens[0]), logits, 1e-4)
    yield from steps(programs, folder, model, tokens, 1)


def check(programs, table, small, folder):
    for kind in checkpoint.KINDS:
        config = checkpoint.write_kind(kind, "model")
        model = PlainModel(config, checkpoint.read("model"))
        for ranks in programs.ranks([2] if small else [1, 4]):
            table.take(kind, f"{ranks} ranks", steps(programs, "model", model, prompts(config), ranks))
        shutil.rmtree("model")
    for file in files_below(folder, "config.json"):
        place = os.path.dirname(file)
        if files_below(place, ".safetensors"):
            table.take("models of the folder", place, steps_of_folder(programs, table, place))
