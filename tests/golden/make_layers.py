"""Golden values and gradients of every layer and model in every convention, by real PyTorch and real Flax, in double.

    python3 tests/golden/make_layers.py [CONVENTION…]            (needs numpy, torch, jax, flax)

Writes layers_uva-jax_1.npz, …, of at most 190 kB each. A case is "encoder_block.causal", its kind before the point, and has
    CASE/config        text as bytes: "heads=2 d_ff=8 …"; what is not there is 0
    CASE/input/x …     x, memory, time, source, target, tokens, rows
    CASE/mask …        mask, lengths, memory_lengths, where there are any
    CASE/weights/NAME  by the names of docs/weights.md
    CASE/step/PATH     every step
    CASE/w             of the output's shape
Inputs of floats, weights and steps are pairs (2, …): the value, and d sum(output * w) / d of it. (An array costs 300 bytes in an .npz,
whatever it holds.) Inputs and weights have 12 bits behind the point, so that a float holds them exactly. "versions" is text as
bytes. The scripts of docs/ that write weights from PyTorch and Flax are run on the way.
"""
import json
import os
import sys
import tempfile
import zlib

os.environ["JAX_PLATFORMS"] = "cpu"
import flax
import jax
import jax.numpy as jnp
import numpy as np
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "docs"))
import flax_modules
import steps
import torch_modules
import weights_from_flax
import weights_from_torch
from make_attention import save, versions

jax.config.update("jax_enable_x64", True)
POOLINGS = [None, "mean", "max", "cls"]
MOST_BYTES = 190_000


# ---- numbers ----------------------------------------------------------------------------------------------------------


class Draw:
    """Numbers with 12 fractional bits."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def normal(self, shape, spread=1.0):
        return np.round(self.rng.standard_normal(shape) * spread * 4096) / 4096

    def weight(self, name, shape):
        """Scaled so that every layer outputs numbers of size 1: a matrix (out, in) by 1/√in, γ around 1."""
        if len(shape) == 2:
            return self.normal(shape, shape[1] ** -0.5)
        return self.normal(shape, 0.3) + (1 if name.endswith("weight") else 0)

    def mask(self, shape, hidden_row=False):
        mask = (self.rng.random(shape) < 0.7).astype(np.float64)
        mask[..., 0] = 1  # no row is fully hidden, unless intended
        if hidden_row:
            mask[..., 1, :] = 0
        return mask

    def lengths(self, batch, most):
        return np.array([most] + [int(self.rng.integers(1, most)) for _ in range(batch - 1)], np.float64)


# ---- cases ------------------------------------------------------------------------------------------------------------

ATTENTION = dict(batch=1, T=5, d_model=6, heads=2)
BLOCK = dict(batch=1, T=4, d_model=6, heads=3, d_ff=10)
SMALL = dict(batch=1, T=3, d_model=6, heads=2, d_ff=8, layers=2)
PREDICTOR = dict(SMALL, d_in=5, classes=4, layers=1, positional=1)
WORDS = dict(SMALL, S=4, source_words=7, target_words=5)


def plans(convention):
    """(name, config) of every case. Masks, lengths, … are drawn; see inputs_of."""
    report, paper = convention == "report", convention == "paper"
    add = []

    def case(name, base, **more):
        add.append((name, {**base, **more}))

    case("multihead.plain", ATTENTION, batch=2)
    case("multihead.causal", ATTENTION, heads=3, T=4, causal=1)
    for axes in (2, 3, 4):
        case(f"multihead.mask{axes}", ATTENTION, batch=2, T=3, mask=axes)
    case("multihead.padding", ATTENTION, batch=2, lengths=1)
    case("multihead.padding_causal_mask", ATTENTION, batch=2, T=4, lengths=1, causal=1, mask=3)
    case("multihead.window", ATTENTION, T=6, window=1, reach=1)
    case("multihead.no_bias", ATTENTION, no_bias=1)
    case("multihead.one_head", ATTENTION, heads=1)
    case("multihead.unbatched", ATTENTION, batch=0, causal=1)
    if not paper:
        case("multihead.width", ATTENTION, d_in=4)
        case("multihead.hidden_row", ATTENTION, batch=2, T=3, mask=3, hidden_row=1)
    case("cross.plain", ATTENTION, T=3, S=5)
    case("cross.mask", ATTENTION, batch=2, T=3, S=4, mask=3)
    case("cross.padding", ATTENTION, batch=2, T=4, S=3, heads=3, lengths=1)
    case("cross.no_bias", ATTENTION, T=3, S=4, no_bias=1, heads=1)
    if not paper:
        case("cross.width", ATTENTION, T=3, S=4, d_in=5)

    case("positional.even", dict(batch=2, T=4, d_model=6))
    case("positional.odd", dict(batch=1, T=4, d_model=7))
    case("positional.one", dict(batch=0, T=3, d_model=1))
    case("positional.sixteen", dict(batch=1, T=16, d_model=8))
    if not report:
        case("positional_rows.even", dict(d_model=16))
        case("positional_rows.odd", dict(d_model=7))
    if convention.startswith("uva"):
        case("learned.plain", dict(batch=2, T=3, d_model=4, max_len=5))
        case("tokens.plain", dict(batch=2, T=4, d_model=6, words=5))
        case("time2vec.one_time", dict(batch=2, T=4, width=3, features=2))
        case("time2vec.times", dict(batch=2, T=4, width=4, features=1, times=1))
        case("time2vec.trend_alone", dict(batch=1, T=3, width=1, features=2))

    case("encoder_block.plain", BLOCK)
    case("encoder_block.mask_padding", BLOCK, batch=2, mask=3, lengths=1)
    case("encoder_block.pre_norm", BLOCK, pre_norm=1)
    case("encoder_block.gelu_causal", BLOCK, gelu=1, causal=1)
    case("encoder_block.pre_norm_gelu_mask", BLOCK, pre_norm=1, gelu=1, mask=2)
    case("encoder_block.unbatched", BLOCK, batch=0, heads=1)
    case("encoder.three", SMALL, layers=3)
    case("encoder.padding", SMALL, batch=2, lengths=1)
    case("encoder.pre_norm_final_window", SMALL, T=4, pre_norm=1, final_norm=1, window=1, reach=1)

    case("predictor.plain", PREDICTOR, batch=2)
    case("predictor.two_blocks", PREDICTOR, layers=2)
    case("predictor.one_hot_no_positions", PREDICTOR, one_hot=1, positional=0)
    case("predictor.padding", PREDICTOR, batch=2, lengths=1)
    case("predictor.pre_norm_final", PREDICTOR, pre_norm=1, final_norm=1)
    for number, pooling in enumerate(POOLINGS[1:], 1):
        case(f"predictor.{pooling}", PREDICTOR, pooling=number)
        case(f"predictor.{pooling}_padding", PREDICTOR, batch=2, pooling=number, lengths=1)

    case("decoder_block.plain", BLOCK, T=3, S=4)
    case("decoder_block.padding", BLOCK, batch=2, T=4, S=3, lengths=1, memory_lengths=1)
    case("decoder_block.pre_norm_gelu", BLOCK, T=3, S=4, pre_norm=1, gelu=1)
    case("decoder.two", SMALL, S=4)
    case("decoder.pre_norm_final", SMALL, S=2, pre_norm=1, final_norm=1)
    case("transformer.padding", WORDS, batch=2, lengths=1, memory_lengths=1, layers=1)
    case("transformer.two_blocks", WORDS)
    case("transformer.pre_norm_final", WORDS, pre_norm=1, final_norm=1, layers=1)
    if not report:
        case("language_model.padding", dict(SMALL, batch=2, words=6, lengths=1, layers=1))
    return add


def inputs_of(kind, c, draw):
    """The inputs, by name."""
    front = (c["batch"],) if c.get("batch") else ()
    T, S = c.get("T", 0), c.get("S", 0)
    inputs = {}
    if kind == "transformer":
        inputs["source"] = draw.rng.integers(0, c["source_words"], (*front, S))
        inputs["target"] = draw.rng.integers(0, c["target_words"], (*front, T))
    elif kind in ("tokens", "language_model"):
        inputs["tokens"] = draw.rng.integers(0, c["words"], (*front, T))
    elif c.get("one_hot"):
        inputs["x"] = np.eye(c["d_in"])[draw.rng.integers(0, c["d_in"], (*front, T))]
    elif kind == "time2vec":
        inputs["x"] = draw.normal((*front, T, c["features"]))
        inputs["time"] = draw.normal((*front, T) if c.get("times") else (T,), 3)
    elif kind == "positional_rows":
        inputs["rows"] = np.array([0, 1, 2, 15, 16, 100, 999, 2500, 4095, 4998, 4999])
    else:
        inputs["x"] = draw.normal((*front, T, c.get("d_in") or c["d_model"]))
    if S and kind != "transformer":
        inputs["memory"] = draw.normal((*front, S, c.get("d_in") or c["d_model"]))
    keys = S if kind == "cross" else T
    if c.get("mask"):
        shape = {2: (), 3: front, 4: (*front, c["heads"])}[c["mask"]]
        inputs["mask"] = draw.mask((*shape, T, keys), bool(c.get("hidden_row")))
    if c.get("lengths"):
        inputs["lengths"] = draw.lengths(c["batch"], keys)
    if c.get("memory_lengths"):
        inputs["memory_lengths"] = draw.lengths(c["batch"], S)
    return inputs


def visible(n_q, n_k, front, mask=None, lengths=None, causal=False, reach=None):
    """1 where query i sees key j, with axes (batch, heads or 1, n_q, n_k), or two without a batch; None without a mask."""
    if mask is None and lengths is None and not causal and reach is None:
        return None
    seen = np.ones((n_q, n_k))
    i, j = np.arange(n_q)[:, None], np.arange(n_k)
    if causal:
        seen = seen * (j <= i)
    if reach is not None:
        seen = seen * (abs(i - j) <= reach)
    if front:
        seen = seen[None, None]
        if mask is not None and mask.ndim == 3:
            mask = mask[:, None]
    if mask is not None:
        seen = seen * mask
    if lengths is not None:
        seen = seen * (j < lengths[:, None])[:, None, None]
    return seen


def masks_of(kind, c, inputs):
    """The masks for this kind of model, from `visible`."""
    front, T, S = c.get("batch"), c.get("T", 0), c.get("S", 0)
    lengths, memory_lengths = inputs.get("lengths"), inputs.get("memory_lengths")
    memory_mask = visible(T, S, front, lengths=memory_lengths)
    if kind == "cross":
        return [visible(T, S, front, inputs.get("mask"), lengths)]
    if kind in ("decoder_block", "decoder"):
        return [visible(T, T, front, lengths=lengths, causal=True), memory_mask]
    if kind == "transformer":
        return [visible(S, S, front, lengths=memory_lengths), visible(T, T, front, lengths=lengths, causal=True), memory_mask]
    if c.get("pooling") == 3:  # [CLS] is visible to all
        T, lengths = T + 1, None if lengths is None else lengths + 1
    reach = c["reach"] if c.get("window") else None
    causal = c.get("causal") or kind == "language_model"
    return [visible(T, T, front, inputs.get("mask"), lengths, causal, reach)]


def call(model, kind, inputs, lengths, masks):
    """One model, in either framework, on its inputs and masks."""
    x, memory = inputs.get("x"), inputs.get("memory")
    if kind in ("multihead", "cross", "encoder_block", "decoder_block", "encoder", "decoder"):
        return model(x, memory, *masks)
    if kind == "predictor":
        return model(x, masks[0], lengths)
    if kind == "transformer":
        return model(inputs["source"], inputs["target"], *masks)
    if kind == "language_model":
        return model(inputs["tokens"], masks[0])
    if kind == "tokens":
        return model(inputs["tokens"])
    return model(x, inputs["time"]) if kind == "time2vec" else model(x)


# ---- the two frameworks -----------------------------------------------------------------------------------------------


def torch_model(convention, kind, c):
    m, d, h, ff = torch_modules, c.get("d_model"), c.get("heads"), c.get("d_ff")
    pre, gelu, final, layers = bool(c.get("pre_norm")), bool(c.get("gelu")), bool(c.get("final_norm")), c.get("layers")
    if kind in ("multihead", "cross"):
        bias = not c.get("no_bias")
        if convention == "paper":
            return m.PaperAttention(torch.nn.MultiheadAttention(d, h, bias=bias, batch_first=True))
        return m.Attention(c.get("d_in") or d, d, h, bias, m.FILL[convention])
    if kind in ("encoder_block", "decoder_block"):
        return m.BLOCKS[convention](d, h, ff, kind == "decoder_block", pre, gelu)
    if kind in ("encoder", "decoder"):
        return m.make_stack(convention, kind, layers, d, h, ff, pre, gelu, final, kind == "decoder")
    if kind == "predictor":
        return m.Predictor(convention, c["d_in"], d, h, ff, layers, c["classes"], POOLINGS[c.get("pooling", 0)],
                           bool(c["positional"]), pre, final)
    if kind == "transformer":
        return m.Transformer(convention, c["source_words"], c["target_words"], d, h, ff, layers, pre, final)
    if kind == "language_model":
        return m.LanguageModel(convention, c["words"], d, h, ff, layers)
    return {"positional": lambda: m.PositionalEncoding(d, convention), "learned": lambda: m.LearnedPositions(c["max_len"], d),
            "tokens": lambda: m.TokenEmbedding(c["words"], d), "time2vec": lambda: m.Time2Vec(c["width"])}[kind]()


def flax_model(kind, c):
    m, d, h, ff = flax_modules, c.get("d_model"), c.get("heads"), c.get("d_ff")
    pre, gelu, final, layers = bool(c.get("pre_norm")), bool(c.get("gelu")), bool(c.get("final_norm")), c.get("layers")
    if kind in ("multihead", "cross"):
        return m.Attention(d, h, not c.get("no_bias"))
    if kind in ("encoder_block", "decoder_block"):
        return m.Block(d, h, ff, kind == "decoder_block", pre, gelu)
    if kind in ("encoder", "decoder"):
        return m.Stack(kind, layers, d, h, ff, pre, gelu, final, kind == "decoder")
    if kind == "predictor":
        return m.Predictor(d, h, ff, layers, c["classes"], POOLINGS[c.get("pooling", 0)],
                           bool(c["positional"]), pre, final)
    if kind == "transformer":
        return m.Transformer(c["source_words"], c["target_words"], d, h, ff, layers, pre, final)
    if kind == "language_model":
        return m.LanguageModel(c["words"], d, h, ff, layers)
    return {"positional": lambda: m.PositionalEncoding(d), "learned": lambda: m.LearnedPositions(c["max_len"], d),
            "tokens": lambda: m.TokenEmbedding(c["words"], d), "time2vec": lambda: m.Time2Vec(c["width"])}[kind]()


def torch_names(names):
    """Names of parameters without the wrappers that expose the steps of torch.nn's modules."""
    wrappers = ("mha", "layer", "stack")
    return {name: ".".join(part for part in name.split(".") if part not in wrappers) for name in names}


def by_torch(convention, kind, c, inputs, lengths, masks, draw):
    model = torch_model(convention, kind, c).double().eval()
    named = dict(model.named_parameters())
    files = torch_names(named)
    for name, parameter in named.items():
        parameter.data = torch.from_numpy(draw.weight(name, tuple(parameter.shape)))
    tensors = [None if mask is None else torch.from_numpy(mask) for mask in masks]
    weights = {files[name]: value for name, value in weights_from_torch.weights_of(model).items()}
    lengths = None if lengths is None else torch.from_numpy(lengths)
    run = lambda values: call(model, kind, values, lengths, tensors)
    values, gradients, of_weights, of_inputs, w = steps.by_torch(run, named, inputs, draw.normal)
    of_weights = {files[name]: gradient for name, gradient in of_weights.items()}
    return w, {"input": (inputs, of_inputs), "weights": (weights, of_weights), "step": (values, gradients)}


def by_flax(kind, c, inputs, lengths, masks, draw):
    model = flax_model(kind, c)
    arrays = [None if mask is None else jnp.asarray(mask) for mask in masks]
    init = lambda values: call(lambda *args: model.init(jax.random.PRNGKey(0), *args), kind, values, lengths, arrays)
    params = jax.eval_shape(init, inputs).get("params", {})  # names and shapes; the values are drawn

    def drawn(path, leaf):
        name = path[-1].key
        shape = leaf.shape[::-1] if name == "kernel" else leaf.shape  # drawn as (out, in)
        value = draw.weight({"scale": "weight"}.get(name, name), shape)
        return jnp.asarray(value.T if name == "kernel" else value)

    params = jax.tree_util.tree_map_with_path(drawn, params)
    run = lambda params, values: call(lambda *args: model.apply({"params": params}, *args), kind, values, lengths, arrays)
    values, gradients, of_weights, of_inputs, w = steps.by_jax(run, params, inputs, draw.normal)
    weights, of_weights = weights_from_flax.weights_of(params), weights_from_flax.weights_of(of_weights)
    return w, {"input": (inputs, of_inputs), "weights": (weights, of_weights), "step": (values, gradients)}


def encoding_rows(convention, d_model, rows):
    if convention == "uva-jax":
        model = flax_modules.PositionalEncoding(d_model)
        with steps.Steps(lambda path, value: value) as trace:
            model.apply({}, jnp.zeros((5000, d_model)))
        return np.asarray(trace.values["encoding"])[rows]
    return torch_modules.PositionalEncoding(d_model, convention).pe.numpy()[rows]


MASKS = ("mask", "lengths", "memory_lengths")


def make_case(convention, name, config, draw):
    """All arrays of one case, by key."""
    kind = name.split(".")[0]
    inputs = inputs_of(kind, config, draw)
    text = " ".join(f"{key}={value}" for key, value in config.items())
    arrays = {"config": np.frombuffer(text.encode(), np.uint8)}
    arrays.update({key: inputs[key] for key in MASKS if key in inputs})
    if kind == "positional_rows":
        arrays["input/rows"] = inputs["rows"].astype(np.float64)
        arrays["step/encoding"] = encoding_rows(convention, config["d_model"], inputs["rows"])
    else:
        masks = masks_of(kind, config, inputs)
        for_model = {key: value for key, value in inputs.items() if key not in MASKS}
        lengths = inputs["lengths"].astype(np.int64) if kind == "predictor" and "lengths" in inputs else None
        run = by_flax if convention == "uva-jax" else lambda *args: by_torch(convention, *args)
        arrays["w"], groups = run(kind, config, for_model, lengths, masks, draw)
        for group, (values, gradients) in groups.items():
            for key, value in values.items():
                gradient = gradients.get(key, np.zeros(value.shape))
                assert np.isfinite(gradient).all() and (np.isfinite(value).all() or key.endswith("masked")), (name, group, key)
                whole_numbers = group == "input" and value.dtype.kind != "f"
                arrays[f"{group}/{key}"] = np.asarray(value if whole_numbers else np.stack([value, gradient]), np.float64)
    return {f"{name}/{key}": value for key, value in arrays.items()}


# ---- files ------------------------------------------------------------------------------------------------------------


def packed_size(arrays):
    """Approximate size of the saved file: compressed numbers and about 300 bytes per array for name and headers."""
    return sum(len(zlib.compress(np.ascontiguousarray(value).tobytes(), 9)) + 220 + 2 * len(key) for key, value in arrays.items())


def write(convention, cases):
    part, arrays, size = 1, {}, 0
    peers = versions(jax, flax) if convention == "uva-jax" else versions(torch)
    for case in cases + [None]:
        if arrays and (case is None or size + packed_size(case) > MOST_BYTES):
            save(f"layers_{convention}_{part}.npz", {"versions": peers, **arrays})
            part, arrays, size = part + 1, {}, 0
        if case:
            arrays.update(case)
            size += packed_size(case)


def run_the_scripts_of_docs():
    """docs/weights_from_*.py write files that match their models."""
    for module in (weights_from_torch, weights_from_flax):
        model, *rest = module.example()
        weights = module.weights_of(rest[0] if len(rest) == 2 else model)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.safetensors")
            weights_from_torch.write_safetensors(path, weights)
            raw = open(path, "rb").read()
        length = int.from_bytes(raw[:8], "little")
        header = json.loads(raw[8 : 8 + length])
        assert header.keys() == weights.keys()
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            there = np.frombuffer(raw[8 + length + begin : 8 + length + end], "<f4").reshape(entry["shape"])
            assert (there == weights[name].astype(np.float32)).all(), name


if __name__ == "__main__":
    run_the_scripts_of_docs()
    for seed, convention in enumerate(["uva-jax", "uva-torch", "report", "paper"], 31):
        if convention not in (sys.argv[1:] or [convention]):
            continue
        draw = Draw(seed)
        write(convention, [make_case(convention, name, config, draw) for name, config in plans(convention)])
