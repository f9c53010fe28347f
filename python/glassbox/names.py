"""What people call the parameters of a layer, and the command's names for them (convention paper: those of PyTorch)."""
import re

import numpy as np


# What stands before or behind the word that says it, as in to_queries, fc_q, value_proj; a layer may also be wrapped in one
# that has its name: query.linear.
INSIDE = "linear|lin|proj|fc|dense|layer"
BEFORE, BEHIND = "w|b|to|fc|lin|linear|proj|dense|conv", f"projection|conv|{INSIDE}"


OF_THREE = "(?:linears|(?:(?:qkv|in|input)_)?(?:nets|projs|projections|proj_layers|linear_layers)|qkv_(?:linears|layers))"


def projection(letter, one, many, place):
    """What the projection to queries, keys or values is called; some have a list of the three, and perhaps of the last one."""
    words = rf"(?:(?:{BEFORE})_)?(?:{letter}s?|{one}|{many})(?:_(?:{BEHIND}))?|to(?:{one}|{many})|[wb]{letter}"
    return rf"{OF_THREE}\.{place}|(?:{words})(?:\.(?:{INSIDE}))?"


Q, K, V = (projection(*each) for each in (("q", "query", "queries", 0), ("k", "key", "keys", 1), ("v", "value", "values|vals", 2)))
IN_SOME_ORDER = "qkv|qvk|kqv|kvq|vqk|vkq"
QKV = (rf"c_attn|in_proj|query_key_value|(?:to_?|linear_|w_?)?(?:{IN_SOME_ORDER})(?:_(?:linear|layer|proj))?")
KV = "kv|kv_proj|to_kv|kv_linear|kv_layer|linear_kv|fc_kv|kv_net|wkv|w_kv|b_kv|key_value"
O = (rf"{OF_THREE}\.3|o|(?:out|output)_projection(?:_net)?|out_proj|o_proj|w_o|wo|to_out(\.0)?|out_net|out|dense|fc_out|linear_out|out_linear|fc_o|output|proj|c_proj|"
     "linear_layer|output_linear|output_proj|b_o|bo|w_out|wout|b_out|bout|w_concat|concat|output_layer|fc|final|w_final|unify_?heads|"
     r"combine_?heads|final_linear|final_layer|out_lin|linear_o|conv_o|conv_out|o_conv|out_conv|(?:out|output)\.(?:linear|lin|proj|fc|dense)")
# A part may be called after what kind of part it is, too: self_attention_block.
KIND = "(?:_(?:block|layer|module|sublayer))?"
ATTENTION = (r"(?:self_attn|attn|att|attention|mha|self_attention|slf_attn|sa|multi_?head(?:ed)?_attention|multihead|self_mha|"
             rf"masked_attention){KIND}")
CROSS = (r"(?:cross_attn|multihead_attn|src_attn|enc_attn|cross_attention|encdec_attn|enc_dec_attention|crossattention|"
         rf"enc_dec_attn|encoder_attn|encoder_attention|source_attn|source_attention|src_attention|memory_attn|memory_attention|mem_attn|"
         rf"context_attn|context_attention|cross_mha|encdec|enc_dec){KIND}")
# In what else the two attentions of a decoder block are called.
OWN, OTHER = r"self|mask|causal", r"cross|enc|mem|src|source|context"
NET = rf"(?:mlp|ffn|fnn|ff|feed_?forward|linear_net|net|pos_ffn|positionwise_feed_?forward|feedforward|ffwd|feed_fwd|(?:point_?wise|position_?wise)_net){KIND}"
IN, OUT = (rf"(?:w|b|fc|lin|linear|dense|proj)_{place}" for place in ("in", "out"))
FIRST = (rf"(?:{NET})\.(?:0|net\.0|layers\.0|layer1|layer_1|fc1|linear1|w_1|w1|lin1|c_fc|fc_1|linear_1|dense1|up|up_proj|expand|{IN})|"
         r"linear1|linear_1|lin1|fc1|fc_1|ff1|ffn1|dense1|w_1|w1|conv1|conv_1|c_fc|intermediate\.dense")
SECOND = (rf"(?:{NET})\.(?:{OUT}|2|3|4|net\.2|net\.3|net\.4|layers\.2|layers\.3|layer2|layer_2|fc2|linear2|w_2|w2|lin2|c_proj|"
          r"fc_2|linear_2|dense2|down|down_proj|contract)|linear2|linear_2|lin2|fc2|fc_2|ff2|ffn2|dense2|w_2|w2|conv2|conv_2|output\.dense")
NORM = r"norm|ln|ln_|norm_|layer_norm|layernorm|layer_norm_|layernorm_|add_?norm"

LAST_NORM = "norm of the network"  # the second where there is no cross-attention, else the third
ROLES = [("q", Q), ("k", K), ("v", V), ("qkv", QKV), ("kv", KV), ("o", O)]
# What a list of the block's sublayers holds beside the norm.
SUBLAYERS = r"sublayers?|residuals?|residual_(?:connections?|blocks?|layers?)|connections?|skips?|add_?norms?"
PARTS = [("linear1", FIRST), ("linear2", SECOND),
         *((f"norm{n}", rf"(?:{NORM}){n}(?:\.norm|\.ln)?|n_?{n}|(?:{SUBLAYERS})\.{n - 1}\.(?:{NORM})|(?:{NORM})s\.{n - 1}")
           for n in (1, 2, 3)),
         ("norm1", r"attention\.output\.layernorm"), ("norm2", r"output\.layernorm"),
         ("norm1", rf"(?:{ATTENTION})[_.](?:{NORM})|(?:{NORM})_(?:{ATTENTION})|(?:{NORM})_before|(?:input|pre_attention)_(?:{NORM})"),
         ("norm2", rf"(?:{CROSS})[_.](?:{NORM})|(?:{NORM})_(?:{CROSS})"),
         (LAST_NORM, rf"(?:{NET}|final|output|post_attention)_(?:{NORM})|(?:{NET})\.(?:{NORM})|(?:{NORM})_(?:{NET}|after)")]


# What people call a weight and a bias, before or behind the part that has them: W_q, bq, q_proj_weight, ln1_gamma. A
# norm's have names of their own.
KINDS = [("weight", r"weights?|kernel|w"), ("bias", r"bias|b")]
NORM_KINDS = [("weight", r"weight|gamma|gain|scale|alpha|mult|g|w|a|a_2"), ("bias", r"bias|beta|center|add|be|b|b_2|shift|offset")]


def neutral(arrays, layer, taken):
    """The parameters of a layer by itself, where what is not taken of them changes nothing."""
    return {name: array if name in taken or (layer != "layer-norm" and name == "weight") else
            np.full_like(array, 1 if name == "weight" else 0) for name, array in arrays.items()}


def convention_of(arrays):
    """The convention that parameters of these names are of; "" where their names do not tell."""
    return "paper" if any("in_proj_weight" in name or re.match(r"linear[12]\.", name) for name in arrays) else ""


# What the parameters of a layer by itself are called, by its command; a table has one.
BY_ITSELF = {"layer-norm": NORM_KINDS, "linear": KINDS, "embedding": [("weight", ".*")]}


def of_network(arrays):
    """Those of a feed-forward network that is one Sequential: 0, and 2 or, behind a dropout, 3; by GPT-2's names, or W_in and W_out."""
    names = {"c_fc.": "linear1.", "c_proj.": "linear2."}
    arrays = {next((names[old] + name[len(old):] for old in names if name.startswith(old)), name): array
              for name, array in arrays.items()}
    if all(re.fullmatch(rf"(?:{IN}|{OUT})(?:\..*)?", name.lower()) for name in arrays):
        return {f"mlp.{name}": array for name, array in arrays.items()}
    return {re.sub(r"^[23]\.", "linear2.", re.sub(r"^0\.", "linear1.", name)): array for name, array in arrays.items()}


def by_itself(arrays, layer):
    """The parameters of such a layer by its own names; as they are where these do not tell."""
    names = {name: next((kind for kind, words in BY_ITSELF[layer] if re.fullmatch(words, name.rpartition(".")[2].lower())), None)
             for name in arrays}
    if len(set(names.values()) - {None}) != len(arrays):
        return arrays
    own = {names[name]: array for name, array in arrays.items()}
    weight, bias = own.get("weight"), own.get("bias")
    if layer == "linear" and bias is not None and weight.ndim == 2 and weight.shape[0] != bias.size == weight.shape[1]:
        own["weight"] = np.ascontiguousarray(weight.T)  # (in, out), as x @ W has it
    return own


def is_known(arrays):
    """Whether the names are those of a source that the command knows by itself."""
    return any("qkv_proj" in name for name in arrays) or all(re.fullmatch(KNOWN, name) for name in arrays)


KNOWN = (r"(?:(?:.*\.)?layers\.\d+\.)?(?:(?:(?:self_attn|multihead_attn)\.)?(?:in_proj_|out_proj\.)|linear[12]\.|norm[123]\.)"
         r"(?:weight|bias)|(?:.*\.)?norm\.(?:weight|bias)")


def split(name, array):
    """The module of a parameter and whether it is a weight or a bias. A matrix by itself, W_q, is multiplied from
    the right: (in, out)."""
    module, _, kind = re.sub(r"(in_proj|[qkv]_proj)_(weight|bias)$", r"\1.\2", name).rpartition(".")
    if kind in ("weight", "bias"):
        return module.lower(), kind, array
    place = place_of(module.lower())
    is_norm = re.search(r"norm|(?:^|_)ln(?:_|\d|$)", module.lower().rpartition(".")[2])
    if (place and place[1].startswith("norm")) or is_norm:
        kind = next((each for each, words in NORM_KINDS if re.fullmatch(words, kind.lower())), kind)
        return module.lower(), kind, array
    array = without_heads(name.lower(), array)
    kind = "bias" if array.ndim == 1 else "weight"
    return name.lower(), kind, np.ascontiguousarray(array.T) if array.ndim == 2 else array


BIAS_OF_HEADS = r"(?:.*\.)?b(?:ias)?_?[qkv]s?"


def is_of_heads(name, array):
    """Whether a parameter by itself that makes queries, keys, values or the output has an axis for the heads."""
    place = place_of(name)
    return place is not None and place[1] in ("q", "k", "v", "o") and array.ndim == (2 if re.fullmatch(BIAS_OF_HEADS, name) else 3)


def without_heads(name, array):
    """Such a parameter without that axis, a matrix as (in, out): W_Q is (h, d, d_k), or has d first or last; W_O (h, d_k, d)."""
    if not is_of_heads(name, array):
        return array
    if array.ndim == 2:
        return array.reshape(-1)
    if place_of(name)[1] == "o":
        return array.reshape(-1, array.shape[-1])
    first, second, third = array.shape
    if first == second * third:
        return array.reshape(first, -1)
    array = array.swapaxes(1, 2) if third == first * second else array
    return np.moveaxis(array, 0, 1).reshape(array.shape[1], -1)


def heads_in(arrays):
    """How many heads such parameters have, or have layers of their own; None where there are none."""
    own = {match[1] for name in arrays if (match := re.match(r"(?:.*\.)?heads\.(\d+)\.", name))}
    if len(own) > 1:
        return len(own)
    for name, array in arrays.items():
        if array.ndim == 3 and is_of_heads(name.lower(), array) and place_of(name.lower())[1] == "q":
            first, second, third = array.shape
            return second if first == second * third else first
    return None


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


def place_of_parameter(name):
    """(part, role, weight or bias, whether its axes are likelier (in, out)) of a function's parameter; None if its name
    says nothing."""
    name = re.sub(rf"^(?:{NORM})_?(gamma|beta|weight|bias|scale|shift|[gbw])_?([123])$", r"norm\2_\1", name.lower())
    for scope, pattern in (("multihead_attn.", rf"{CROSS}|cross"), ("self_attn.", rf"{ATTENTION}|self"), ("", NET)):
        inside = re.fullmatch(rf"(?:{pattern})[_.](.+)", name)
        inside = inside or (scope and re.fullmatch(rf"(.+)_(?:{pattern})", name))  # W_q_cross
        found = inside and place_of_parameter(inside[1])
        if found:
            return (found[0] or scope, *found[1:])
    for kinds, is_norm in ((KINDS, False), (NORM_KINDS, True)):
        for kind, words in kinds:
            behind, before = re.fullmatch(rf"(.+?)[_.]?(?:{words})", name), re.fullmatch(rf"(?:{words})_?(.+)", name)
            for match, is_turned in ((before, True), (behind, not name.endswith("weight"))):
                place = match and place_of_stem(match[1], is_norm)
                if place:
                    return (*place, kind, is_turned)
    place = place_of(name)  # to_q, query_proj: a matrix
    return (*place, "weight", True) if place and "_" in name and not place[1].startswith("norm") else None


def place_of_stem(stem, is_norm):
    """(part, role) of what stands beside weight or bias; of a norm or of anything else."""
    scoped = [f"{stem[:each.start()]}.{stem[each.end():]}" for each in re.finditer("_", stem)]
    numbered = [f"{'norm' if is_norm else 'linear'}{stem}"] if stem.isdigit() else [f"w_{stem}"]
    numbered += [f"linear{each[1]}" for each in [re.fullmatch(r"(?:f|ff|ffn|mlp)_?([12])", stem)] if each and not is_norm]
    numbered += [f"mlp.{stem}"] * (stem in ("up", "down"))
    numbered += ["linear1"] * (stem in ("i", "in") and not is_norm)  # as T5 has them: wi and wo
    for module in (stem.replace("qkv_proj", "qkv"), *numbered, *scoped):
        place = place_of(module)
        if place and place[1].startswith("norm") == is_norm:
            return place
    return None


def parts_of_weights(arrays, heads, joined_by_head=False):
    """{(part, role, kind): array} of a layer's parameters by the command's names; queries, keys and values apart, and
    joined. In the tutorial's qkv_proj they lie head by head, in PyTorch's in_proj one behind the other."""
    parts = {}
    for name, array in arrays.items():
        module, kind, value = split(name, array)
        is_by_head = "qkv_proj" in module
        place = place_of(module.replace("qkv_proj", "in_proj"))
        if place is None:
            continue
        if place[1] != "qkv":
            parts[(*place, kind)] = value
            continue
        rows = regrouped(value, heads, 3) if is_by_head else value
        for role, each in zip("qkv", np.split(rows, 3)):
            parts[place[0], role, kind] = np.ascontiguousarray(each)
        for roles in ("qkv", "kv"):
            joined = np.concatenate([parts[place[0], role, kind] for role in roles])
            # With the two counts exchanged, regrouped() is its own inverse.
            parts[place[0], roles, kind] = regrouped(joined, len(roles), heads) if joined_by_head else joined
    return parts


def without_parts(arrays, heads, taken):
    """The same parameters, where what is not taken of them, by name or part, changes nothing: biases of 0, norms of 1.
    A matrix stays as it is."""
    changed = dict(arrays)
    for name, array in arrays.items():
        module, kind, _ = split(name, array)
        place = place_of(module.replace("qkv_proj", "in_proj"))
        if place is None or name in taken or (*place, kind) in taken:
            continue
        if kind == "weight":
            changed[name] = np.ones_like(array) if place[1].startswith("norm") else array
            continue
        roles = "qkv" if place[1] == "qkv" else [place[1]]
        of_both = (place[0], "kv", kind) in taken
        kept = np.array([(place[0], role, kind) in taken or (of_both and role in "kv") for role in roles])
        times = heads if "qkv_proj" in module else 1  # where they lie head by head
        changed[name] = array * np.repeat(np.tile(kept, times), len(array) // (len(kept) * times)).astype(array.dtype)
    return changed


def regrouped(rows, heads, count):
    """Rows that lie head by head, each head's of `count` together, as all rows of the first of these, …"""
    return rows.reshape(heads, count, -1, *rows.shape[1:]).swapaxes(0, 1).reshape(rows.shape)
