"""LLaMA, Mistral and Qwen2 in plain NumPy, in f64, as Hugging Face's modelling code has them."""
import numpy as np


class PlainModel:
    def __init__(self, config, weights):
        self.c, self.w = config, weights
        self.heads, self.kv = config["num_attention_heads"], config.get("num_key_value_heads")
        self.kv = self.kv or self.heads
        self.head = config.get("head_dim") or config["hidden_size"] // self.heads
        self.epsilon = config.get("rms_norm_eps", 1e-6)

    def logits(self, tokens):
        """Of every position: [seq, vocab] of tokens [seq]."""
        x = self.w["model.embed_tokens.weight"][tokens]
        turns = np.arange(len(tokens))[:, None] * self.frequencies()
        for k in range(self.c["num_hidden_layers"]):
            at = f"model.layers.{k}."
            x = x + self.attention(at + "self_attn.", self.norm(x, at + "input_layernorm"), turns, self.window(k))
            h = self.norm(x, at + "post_attention_layernorm")
            gate, up = self.linear(h, at + "mlp.gate_proj"), self.linear(h, at + "mlp.up_proj")
            x = x + self.linear(gate / (1 + np.exp(-gate)) * up, at + "mlp.down_proj")
        tied = self.c.get("tie_word_embeddings")
        return self.norm(x, "model.norm") @ self.w["model.embed_tokens.weight" if tied else "lm_head.weight"].T

    def greedy(self, tokens, count):
        """The likeliest token after all before, again and again.
        @return them, and by how much the likeliest led at least"""
        tokens, lead = list(tokens), np.inf
        for _ in range(count):
            last = self.logits(np.array(tokens))[-1]
            second, first = np.sort(last)[-2:]
            lead = min(lead, first - second)
            tokens.append(int(last.argmax()))
        return tokens[-count:], lead

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w.get(name + ".bias", 0)

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon) * self.w[name + ".weight"]

    def window(self, layer):
        """How many positions a layer attends to."""
        kind, most = self.c["model_type"], self.c.get("sliding_window", 4096)
        used = kind == "mistral" or kind == "qwen2" and self.c.get("use_sliding_window")
        used = used and (kind == "mistral" or layer >= self.c.get("max_window_layers", 28))
        return most if used and most else np.inf

    def frequencies(self):
        """What each pair of a head turns by from position to position [head/2]."""
        scaling = self.c.get("rope_scaling") or {}
        plain = self.c.get("rope_theta", 10000.0) ** (-np.arange(0, self.head, 2) / self.head)
        kind = scaling.get("rope_type", scaling.get("type", "default"))
        if kind == "default":
            return plain
        slow = plain / scaling["factor"]
        if kind == "linear":
            return slow
        assert kind == "llama3", kind
        turns = scaling["original_max_position_embeddings"] * plain / (2 * np.pi)
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        smooth = (turns - low) / (high - low)
        return np.where(turns < low, slow, np.where(turns > high, plain, (1 - smooth) * slow + smooth * plain))

    def turned(self, x, turns):
        """Heads [seq, heads, head], whose halves are pairs."""
        cos, sin = np.cos(turns)[:, None, :], np.sin(turns)[:, None, :]
        a, b = np.split(x, 2, axis=-1)
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)

    def attention(self, at, x, turns, window):
        count = len(x)
        q = self.turned(self.linear(x, at + "q_proj").reshape(count, self.heads, self.head), turns)
        k = self.turned(self.linear(x, at + "k_proj").reshape(count, self.kv, self.head), turns)
        v = self.linear(x, at + "v_proj").reshape(count, self.kv, self.head)
        k, v = (np.repeat(each, self.heads // self.kv, axis=1) for each in (k, v))
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(self.head)
        apart = np.arange(count)[:, None] - np.arange(count)[None, :]
        scores = np.where((apart >= 0) & (apart < window), scores, -np.inf)
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = np.einsum("hqk,khd->qhd", powers / powers.sum(-1, keepdims=True), v)
        return self.linear(mixed.reshape(count, -1), at + "o_proj")
