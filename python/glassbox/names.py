"""What people call the parameters of a layer, and the command's names for them (convention paper: those of PyTorch)."""
import re
from collections import defaultdict

import numpy as np


def projection(letter, one, many):
    """What the projection to queries, keys or values is called."""
    return (f"{one}|{many}|{one}_proj|{one}_layer|w_{one}|{letter}|{letter}_proj|{letter}_linear|{letter}_lin|"
            f"linear_{letter}|to_{letter}|w_{letter}|w{letter}|fc_{letter}|b_{letter}|b{letter}")


Q, K, V = projection("q", "query", "queries"), projection("k", "key", "keys"), projection("v", "value", "values")
QKV = "qkv|c_attn|in_proj|to_qkv|qkv_linear|wqkv|w_qkv|query_key_value"
O = (r"out_proj|o_proj|w_o|wo|to_out(\.0)?|out|dense|fc_out|linear_out|out_linear|fc_o|output|proj|c_proj|"
     "output_linear|output_proj|b_o|bo")
ATTENTION = r"self_attn|attn|attention|mha|self_attention|sa|multi_?head_attention|multihead|self_mha|masked_attention"
CROSS = r"cross_attn|multihead_attn|src_attn|enc_attn|cross_attention|encdec_attn|enc_dec_attention|crossattention"
NET = r"mlp|ffn|ff|feed_?forward|linear_net|net|pos_ffn|positionwise_feed_forward|feedforward"
FIRST = (rf"(?:{NET})\.(?:0|net\.0|fc1|linear1|w_1|w1|lin1|c_fc|fc_1|linear_1|dense1)|"
         r"linear1|fc1|w_1|c_fc|intermediate\.dense")
SECOND = (rf"(?:{NET})\.(?:2|3|net\.2|net\.3|fc2|linear2|w_2|w2|lin2|c_proj|fc_2|linear_2|dense2)|"
          r"linear2|fc2|w_2|output\.dense")
NORM = r"norm|ln|ln_|norm_|layer_norm|layernorm|layer_norm_|layernorm_|add_?norm"

ROLES = [("q", Q), ("k", K), ("v", V), ("qkv", QKV), ("o", O)]
PARTS = [("linear1", FIRST), ("linear2", SECOND),
         ("norm1", rf"(?:{NORM})1(?:\.norm|\.ln)?|attention\.output\.layernorm"),
         ("norm2", rf"(?:{NORM})2(?:\.norm|\.ln)?|output\.layernorm"), ("norm3", rf"(?:{NORM})3(?:\.norm|\.ln)?")]


def is_known(arrays):
    """Whether the names are those of a source that the command knows by itself."""
    return any(re.fullmatch(KNOWN, name) or "qkv_proj" in name for name in arrays)


KNOWN = r"(?:.*layers\.\d+\.)?(?:(?:self_attn|multihead_attn)\.)?in_proj_weight"


def split(name, array):
    """The module of a parameter and whether it is a weight or a bias. A matrix by itself, W_q, is multiplied from
    the right: (in, out)."""
    module, _, kind = re.sub(r"in_proj_(weight|bias)$", r"in_proj.\1", name).rpartition(".")
    if kind in ("weight", "bias"):
        return module.lower(), kind, array
    kind = "bias" if array.ndim == 1 else "weight"
    return name.lower(), kind, np.ascontiguousarray(array.T) if array.ndim == 2 else array


def place_of(module):
    """(part, role) of a module: ("self_attn.", "q"), ("", "norm1"); None if its name says nothing."""
    for part, pattern in PARTS:
        if re.fullmatch(pattern, module):
            return "", part
    scope, attention = "", module
    for prefix, pattern in (("multihead_attn.", CROSS), ("self_attn.", ATTENTION)):
        match = re.match(rf"(?:{pattern})\.", module)
        if match:
            scope, attention = prefix, module[match.end():]
            break
    attention = re.sub(r"^(?:self|output|mha|attn|attention)\.(?=\w)", "", attention)
    for role, pattern in ROLES:
        if re.fullmatch(pattern, attention):
            return scope, role
    return None


def canonical(arrays):
    """The same parameters by PyTorch's names, queries, keys and values stacked; as they are where they have such names
    already, or where not every name is known."""
    if is_known(arrays):
        return arrays
    found, heads = {}, defaultdict(dict)
    for name, array in arrays.items():
        module, kind, value = split(name, array)
        layer = re.match(r"(?:.*\.)?(?:layers|blocks|h|encoder_layers|layer)\.(\d+)\.", module)
        prefix = f"layers.{layer[1]}." if layer else ""
        module = module[layer.end():] if layer else module
        head = re.match(r"(?:.*\.)?heads?\.(\d+)\.", module)
        place = place_of(module[head.end():] if head else module)
        if place is None:
            return arrays
        key = (prefix + place[0], place[1], kind)
        if head:
            heads[key][int(head[1])] = value
        else:
            found[key] = value
    found.update({key: np.concatenate([each[n] for n in sorted(each)]) for key, each in heads.items()})
    return stacked(found)


def stacked(found):
    """{(part, role, kind): array} with q, k and v as one; a bias of 0 where others have one."""
    arrays = {}
    parts = {part for part, role, _ in found if role in ("q", "qkv")}
    for (part, role, kind), value in found.items():
        if role not in ("q", "k", "v", "qkv", "o"):
            arrays[f"{part}{role}.{kind}"] = value
        elif role == "o":
            arrays[f"{part}out_proj.{kind}"] = value
        elif role == "qkv":
            arrays[f"{part}in_proj_{kind}"] = value.T if value.ndim == 2 and value.shape[
                1] == 3 * value.shape[0] else value
    for part in parts:
        if (part, "q", "weight") in found and (part, "k", "weight") in found and (part, "v", "weight") in found:
            three = [found[part, role, "weight"] for role in "qkv"]
            arrays[f"{part}in_proj_weight"] = np.concatenate(three)
            biases = [found.get((part, role, "bias")) for role in "qkv"]
            if any(bias is not None for bias in biases):
                arrays[f"{part}in_proj_bias"] = np.concatenate([
                    np.zeros(len(weight), weight.dtype) if bias is None else bias
                    for weight, bias in zip(three, biases)
                ])
        weight, output = arrays.get(f"{part}in_proj_weight"), arrays.get(f"{part}out_proj.weight")
        has = [f"{part}in_proj_bias" in arrays, f"{part}out_proj.bias" in arrays]
        if any(has) and not all(has) and weight is not None and output is not None:
            arrays.setdefault(f"{part}in_proj_bias", np.zeros(len(weight), weight.dtype))
            arrays.setdefault(f"{part}out_proj.bias", np.zeros(len(output), output.dtype))
    return arrays
