"""What the parameters of a whole module are in the layer, by their paths: all of them together tell more than each name
alone."""
import itertools
import re
from collections import Counter, defaultdict

import numpy as np

from .names import IN_SOME_ORDER, LAST_NORM, NET, OTHER, OWN, Q, QKV, is_known, place_of, split
from .stacks import block_of, stacks_in


# Lists of blocks.
OF_BLOCKS = "(?:(?:encoder|decoder|enc|dec|transformer|trf|attn|attention)_)?"
STACK = rf"h|{OF_BLOCKS}(?:layers?|blocks)|(?:res|t)blocks|layer_?(?:stack|list)|{OF_BLOCKS}stack|transformers?|encoders?|decoders?"


def scopes_of(modules):
    """{"attn1": "self_attn.", …}: what the attentions among these modules are where place_of cannot tell. One by itself
    is self-attention. Of two, a word in the name of one says it; else the first is self-attention."""
    inputs = [match[1] for each in modules if (match := re.fullmatch(rf"(?:(.+)\.)?(?:{Q}|{QKV})", each))]
    owners = list(dict.fromkeys(filter(None, inputs)))
    kinds = [(place_of(f"{owner}.q") or ("", ""))[0] for owner in owners]
    if len(owners) == 1:
        is_other = kinds == ["multihead_attn."] and None in inputs  # beside the block's own
        return {} if kinds == ["self_attn."] or is_other else {owners[0]: "self_attn."}
    if len(owners) != 2 or sorted(kinds) == ["multihead_attn.", "self_attn."]:
        return {}
    own, other = ([bool(re.search(pattern, owner)) for owner in owners] for pattern in (OWN, OTHER))
    swapped = own == [False, True] or (own[0] == own[1] and other == [True, False])
    return dict(zip(reversed(owners) if swapped else owners, ("self_attn.", "multihead_attn.")))


def in_scope(module, scopes):
    """The module's path by the name that its attention has for the command."""
    for owner, scope in scopes.items():
        if module.startswith(owner + "."):
            return scope + module[len(owner) + 1:]
    return module


def located(arrays):
    """(name, prefix of the layer in a stack, module, number of the head or None, weight or bias, array)."""
    stacks = stacks_in(arrays)
    for name, array in arrays.items():
        module, kind, value = split(name, array)
        layer, block = re.match(rf"(?:.*\.)?(?:{STACK})\.(\d+)\.", module), block_of(stacks, module)
        if layer is None and block is not None:
            prefix, module = f"layers.{block[0]}.", block[1]
        else:
            prefix = f"layers.{layer[1]}." if layer else ""
            module = module[layer.end():] if layer else module
        head = re.match(r"((?:.*\.)?)heads?\.(\d+)\.", module)
        if head:
            module = head[1] + module[head.end():]
        yield name, prefix, module, int(head[2]) if head else None, kind, value


def in_blocks(parameters):
    """Where every entry of a stack is one sublayer, each block is those up to its network: the rest have an attention."""
    attends = {}
    for _, prefix, module, *_ in parameters:
        if prefix:
            number = int(prefix.split(".")[1])
            attends[number] = attends.get(number, False) or bool(re.fullmatch(rf"(?:.*\.)?(?:{Q}|{QKV})", module))
    kinds = [attends[number] for number in sorted(attends)]
    if not kinds or not kinds[0] or kinds[-1] or (False, False) in itertools.pairwise(kinds):
        return parameters
    places, block, place = {}, 0, 0
    for number in sorted(attends):
        places[f"layers.{number}."] = f"layers.{block}.", place
        block, place = (block, place + 1) if attends[number] else (block + 1, 0)
    return [(name, *((places[prefix][0], f"{places[prefix][1]}.{module}") if prefix else (prefix, module)), *rest)
            for name, prefix, module, *rest in parameters]


def understood(arrays):
    """{name: ((part, role, kind), number of the head or None, array)}; None for a name that says nothing."""
    parameters = in_blocks(list(located(arrays)))
    scopes = scopes_of([module for _, _, module, *_ in parameters])
    found = {}
    for name, prefix, module, head, kind, value in parameters:
        place = place_of(in_scope(module, scopes))
        found[name] = None if place is None else ((prefix + place[0], place[1], kind), head, value)
    if None in found.values():
        for tell in (by_network, by_shape, by_sublayer, by_what_is_left):
            told = tell(parameters, found)
            found.update({name: ((prefix + told[prefix, module][0], told[prefix, module][1], kind), None, value)
                          for name, prefix, module, _, kind, value in parameters if (prefix, module) in told})
    return with_norm_of_stack(parameters, with_own_attention(with_second_norm(with_last_norm(found))))


def with_norm_of_stack(parameters, found):
    """The one norm outside of the blocks, by any name that does not say that it comes before them."""
    outside = [module for prefix, module in norms_unknown(parameters, found) if not prefix]
    is_stack = any(prefix for _, prefix, *_ in parameters)
    if is_stack and len(outside) == 1 and not re.search(r"pre|emb|before|input", outside[0]):
        found.update({name: (("", "norm", kind), None, value)
                      for name, prefix, module, _, kind, value in parameters if (prefix, module) == ("", outside[0])})
    return found


def with_second_norm(found):
    """Of a block without an attention to a memory the second norm, which has the number that it has in the others: norm3."""
    blocks = {}
    for each in filter(None, found.values()):
        prefix = re.match(r"(?:layers\.\d+\.)?", each[0][0])[0]
        blocks.setdefault(prefix, set()).add((each[0][0].removeprefix(prefix), each[0][1]))
    for name, each in found.items():
        if each and each[0][1] == "norm3":
            (prefix, _, kind), *rest = each
            has = blocks[prefix]
            if ("", "norm2") not in has and ("", "norm1") in has and not any(scope == "multihead_attn." for scope, _ in has):
                found[name] = ((prefix, "norm2", kind), *rest)
    return found


def with_own_attention(found):
    """A block whose projections are its own, in no part for the attention."""
    blocks = {each[0][0] for each in found.values() if each and each[0][1] == "linear1"}
    for name, each in found.items():
        if each and each[0][0] in blocks and each[0][1] in ("q", "k", "v", "qkv", "kv", "o"):
            (prefix, role, kind), *rest = each
            found[name] = ((f"{prefix}self_attn.", role, kind), *rest)
    return found


def by_network(parameters, found):
    """{(prefix, module): (scope, role)} of a network that is a list: its two matrices, and a norm before them, in their order."""
    lists = defaultdict(dict)
    for name, prefix, module, _, kind, value in parameters:
        owner, _, number = module.rpartition(".")
        owner = re.sub(r"(\.\d+)+$", "", owner)  # a list in the list
        words = [word for word in owner.split(".") if not word.isdigit()]
        if number.isdigit() and kind == "weight" and all(re.fullmatch(rf"{NET}|fn", word) for word in words):
            lists[prefix, owner][module] = value.ndim
    told = {}
    for (prefix, _), axes in lists.items():
        matrices = [module for module, count in axes.items() if count == 2]
        if len(matrices) == 2:
            told.update({(prefix, module): ("", LAST_NORM) for module, count in axes.items() if count == 1})
            told.update({(prefix, module): ("", role) for module, role in zip(matrices, ("linear1", "linear2"))})
    return told


def by_shape(parameters, found):
    """{(prefix, module): (scope, role)} of the one matrix that is left beside those for queries, keys and values, and of the
    two outside of the attentions that make vectors of another width, and go back."""
    told, left, owners = {}, defaultdict(list), {}
    for name, prefix, module, head, kind, value in parameters:
        each, owner = found[name], module.rpartition(".")[0]
        if kind == "weight" and value.ndim == 2 and head is None and each is None:
            left[prefix].append((module, value.shape))
        elif kind == "weight" and each and each[0][1] in ("q", "qkv", "o"):
            scope, width, roles = owners.get((prefix, owner), (each[0][0].removeprefix(prefix), value.shape[-1], set()))
            owners[prefix, owner] = scope, width, roles | {each[0][1]}
    for (prefix, owner), (scope, width, roles) in owners.items():
        inside = [module for module, _ in left[prefix] if not owner or module.startswith(owner + ".")]
        if "o" not in roles and len(inside) == 1:
            told[prefix, inside[0]] = scope, "o"
    for prefix, matrices in left.items():
        within = [own for own in owners if own[0] == prefix]
        outside = [(module, shape) for module, shape in matrices
                   if not any(owner and module.startswith(owner + ".") for _, owner in within)]
        known = {each[0][1] for name, own, *_ in parameters if own == prefix and (each := found[name])}
        if len(outside) != 2 or not within or known & {"linear1", "linear2"}:
            continue
        width = owners[within[0]][1]
        first, second = sorted(outside, key=lambda each: each[1][1] != width)
        if first[1] == second[1][::-1] and first[1][0] != first[1][1] == width:
            told.update({(prefix, first[0]): ("", "linear1"), (prefix, second[0]): ("", "linear2")})
    return told


def by_sublayer(parameters, found):
    """{(prefix, module): (scope, role)} of a norm beside an attention or a network in a list of sublayers: 0.norm, 0.fn.to_q."""
    roles = defaultdict(set)
    for name, prefix, module, *_ in parameters:
        if found[name]:
            roles[prefix, module.partition(".")[0]].add((found[name][0][0].removeprefix(prefix), found[name][0][1]))
    told = {}
    for prefix, module in norms_unknown(parameters, found):
        inside = roles[prefix, module.partition(".")[0]] if module.partition(".")[0].isdigit() else set()
        if any(role in ("q", "qkv") for _, role in inside):
            told[prefix, module] = "", "norm2" if ("multihead_attn.", "q") in inside else "norm1"
        elif ("", "linear1") in inside:
            told[prefix, module] = "", LAST_NORM
    return told


def by_what_is_left(parameters, found):
    """{(prefix, module): (scope, role)} of the one norm of a block that says nothing, where another is the network's."""
    told, unknown_norms = {}, norms_unknown(parameters, found)
    for prefix, module in unknown_norms:
        roles = {each[0][1] for name, own, *_ in parameters if own == prefix and (each := found[name])}
        is_only = [own for own, _ in unknown_norms].count(prefix) == 1
        if is_only and LAST_NORM in roles and roles & {"q", "qkv"} and not roles & {"norm1", "norm2", "norm3"}:
            told[prefix, module] = "", "norm1"
    return told


def norms_unknown(parameters, found):
    """(prefix, module) of norms whose names say nothing."""
    return list(dict.fromkeys((prefix, module) for name, prefix, module, _, kind, value in parameters
                              if found[name] is None and kind == "weight" and value.ndim == 1))


def with_last_norm(found):
    """The norm that is called after the network by its number in the block, whose other norms are called so, too."""
    seconds = {each[0][0] for each in found.values() if each and each[0][1] == "norm2"}
    firsts = {each[0][0] for each in found.values() if each and each[0][1] == "norm1"}
    for name, each in found.items():
        if each and each[0][1] == LAST_NORM:
            (prefix, _, kind), *rest = each
            found[name] = None if prefix not in firsts else ((prefix, "norm3" if prefix in seconds else "norm2", kind), *rest)
    return found


def unwrapped(arrays):
    """The same by the names that they have in the one module that holds them all."""
    first = {name.partition(".")[0] for name in arrays}
    return {name.partition(".")[2]: array for name, array in arrays.items()} if len(first) == 1 else arrays


def strange(found):
    """The names that say nothing, or what another says, too."""
    times = Counter(each[:2] for each in found.values() if each)
    return [name for name, each in found.items() if each is None or times[each[:2]] > 1]


def unknown(arrays):
    """The names of parameters by which the command cannot know them."""
    if is_known(arrays) or not strange(understood(unwrapped(arrays))):
        return []
    return strange(understood(arrays))


def without_dropout(arrays):
    """The tutorial's network with the tutorial's number of its second layer, which is one less where no dropout stands before it."""
    if any("linear_net.3." in name for name in arrays):
        return arrays
    return {re.sub(r"linear_net\.(?:layers\.)?(?:(0)|[23])\.", lambda each: f"linear_net.{each[1] or 3}.", name): array
            for name, array in arrays.items()}


def canonical(arrays, is_filled=True):
    """The same parameters by PyTorch's names, queries, keys and values stacked; as they are where they have such names
    already, or where not every name is known. is_filled: a bias of 0 where others have one."""
    if is_known(arrays):
        return without_dropout(arrays)
    names = understood(arrays)
    if strange(names):
        arrays_inside = unwrapped(arrays)
        if is_known(arrays_inside):
            return without_dropout(arrays_inside)
        names = understood(arrays_inside)
        if strange(names):
            return arrays
    found, heads = {}, defaultdict(dict)
    for key, head, value in names.values():
        if head is None:
            found[key] = value
        else:
            heads[key][head] = value
    found.update({key: np.concatenate([each[n] for n in sorted(each)]) for key, each in heads.items()})
    for part, role, kind in [key for key in found if key[1].startswith("norm") and found[key].size == 1]:
        width = found.get((part, "linear1", "weight"), np.ones((1, 1))).shape[1]
        found[part, role, kind] = np.full(width, found[part, role, kind].item(), found[part, role, kind].dtype)  # one for all
    for part, role, kind in [key for key in found if key[1] == "kv"]:
        both = found.pop((part, role, kind))
        found[part, "k", kind], found[part, "v", kind] = np.split(both, [len(both) // 2])
    return stacked(found, is_filled)


def fused(arrays, own=None):
    """{part: "kv", "qkv" or, where its name has another order, that}: where one matrix, by a name that does not say how its rows
    lie, makes these. own: {name: the module's own}, where they differ."""
    own = own or {}
    if is_known(arrays):
        return {}
    names = understood(arrays)
    if strange(names):
        arrays = unwrapped(arrays)
        names = {} if is_known(arrays) else understood(arrays)
    return {each[0][0]: letters_in(own.get(name, name)) if each[0][1] == "qkv" else "kv"
            for name, each in names.items() if each and each[0][1] in ("qkv", "kv")}


def letters_in(name):
    """In which order the name of a matrix for queries, keys and values has these."""
    found = re.search(IN_SOME_ORDER, name.lower())
    return found[0] if found else "qkv"


def rows_lie(reading):
    """What is said of such a reading of rows: (parts, order)."""
    parts, order = reading
    named = ", ".join(next((letters for letters in parts.values() if len(letters) == 3), ""))
    by_name = f"its one matrix for several is read in the order of its name: {named}"
    return by_name if order not in ORDERS else ORDERS[order] + (f"; {by_name.partition(' is read ')[2]}" if named != "q, k, v" else "")


# In which order the rows of one matrix for several may lie, beside queries, keys and values one behind the other: of heads
# (h), of queries, keys and values (3), and of the numbers of a head (d).
ORDERS = {"h3d": "its one matrix for several is read head by head: all rows of the first head come first",
          "hd3": "its one matrix for several is read number by number: a query's first number, a key's, a value's, their second, …",
          "d3h": "its one matrix for several is read by the heads last: the first numbers of all heads' queries, of all keys, …"}


NOT_AS_NAMED = "q, k, v, which is not that of its name"


def reordered(rows, order, heads, letters):
    """Rows that lie in such an order as all rows of queries, all of keys, …"""
    sizes = {"h": heads, "3": len(letters), "d": len(rows) // (heads * len(letters))}
    split_rows = rows.reshape(*(sizes[axis] for axis in order), *rows.shape[1:])
    parts = np.moveaxis(split_rows, [order.index(axis) for axis in "3hd"], (0, 1, 2))
    return parts[[letters.index(each) for each in "qkv" if each in letters]].reshape(rows.shape)


def in_order(arrays, reading, heads):
    """The same parameters by PyTorch's names, of which some parts had their rows in another order: (parts, order)."""
    arrays, (parts, order) = dict(arrays), reading
    for part, letters in parts.items():
        for kind in ("weight", "bias"):
            name = next((each for each in (f"{part}in_proj_{kind}", f"in_proj_{kind}") if each in arrays), None)
            if name is None or len(arrays[name]) % (3 * heads):
                continue
            first, rows = np.split(arrays[name], [len(arrays[name]) * (3 - len(letters)) // 3])
            arrays[name] = np.concatenate([first, reordered(rows, order, heads, letters)])
    return arrays


def readings(case, parts):
    """The same parameters, of which those that one matrix makes are read in other orders; none where there are none."""
    heads = case.heads()
    if not parts or case.order or heads is None:
        return []
    named = ["3hd"] * any(letters not in ("qkv", "kv") for letters in parts.values())
    return [case.changed(weights=in_order(case.weights, (parts, order), heads), order=(parts, order))
            for order in [*named, *(ORDERS if heads > 1 else ())]]


def stacked(found, is_filled):
    """{(part, role, kind): array} with q, k and v as one."""
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
        if is_filled and any(has) and not all(has) and weight is not None and output is not None:
            arrays.setdefault(f"{part}in_proj_bias", np.zeros(len(weight), weight.dtype))
            arrays.setdefault(f"{part}out_proj.bias", np.zeros(len(output), output.dtype))
    return arrays
