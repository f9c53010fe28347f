"""What the parameters of a PyTorch module are where their names do not say it: by the order in which a call uses them, and by
what answers where one of them is changed."""
import re
import sys
from collections import Counter

import numpy as np

from .names import KINDS, NORM_KINDS
from .observed import LENGTH, result_of

ROLES = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "qkv": "in_proj", "kv": "kv_proj", "o": "out_proj"}
# The layers as sequences of attentions (own, and to the memory), each with its norm, and the network with its.
ATTENTIONS = {"multihead": ("", ), "encoder-block": ("self_attn.", ), "encoder": ("self_attn.", ),
              "decoder-block": ("self_attn.", "multihead_attn."), "decoder": ("self_attn.", "multihead_attn.")}
MATRICES = ("q", "k", "v", "o"), ("qkv", "o"), ("q", "kv", "o")
NO_CHANGE = 1e-3  # against the others'
OF_A_HEAD = ("q", "k", "v"), ("qkv", )  # of a head with layers of its own


def names_by_use(module, layer):
    """{own name: usual name} of all parameters; None where use does not tell."""
    owners = owners_of(module) if layer in ATTENTIONS else None
    used = owners and in_order_of_use(module, owners)
    if not used or len(used) != len(owners):
        return None
    width = Counter(owners[each][0] for each in used).most_common(1)[0][0]
    first = None
    for places in layouts_of(layer, [owners[each] for each in used], width):
        if not are_alike(dict(zip(used, places))):
            continue
        found, is_sure = told_apart(module, dict(zip(used, places)), width)
        names = {own: usual for each, place in found.items() for own, usual in kinds_of(module, each, place).items()}
        if len(set(names.values())) == len(names):
            if is_sure:
                return names
            first = first or names
    return first


def are_alike(found):
    """Whether what is read as a layer of each head is one: the same part of entries of one list."""
    parts = {}
    for path, (scope, role) in found.items():
        if "heads." in scope:
            parts.setdefault((re.sub(r"heads\.\d+\.$", "", scope), role), []).append(path)
    return all(len({re.sub(r"\d+(?=\.|$)", "*", path) for path in paths}) == 1
               and (len(paths) != 3 or role != "qkv" or not paths[0].rpartition(".")[2].isdigit()) for (_, role), paths in parts.items())


def owners_of(module):
    """{path: (numbers in, numbers out)} of the parts that have parameters of their own: matrices, and norms, whose second is
    None; None where there are others."""
    found = {}
    for path, part in module.named_modules():
        own = list(part.parameters(recurse=False))
        if not own:
            continue
        matrices = [each for each in own if each.ndim > 1]
        if len(matrices) > 1 or len(own) > 2 or any(each.ndim == 0 for each in own):
            return None
        if not matrices:
            found[path] = own[0].numel(), None
            continue
        rows, columns = matrices[0].shape[:2]
        found[path] = (rows, columns) if type(part).__name__ == "Conv1D" else (columns, rows)
    return found


def in_order_of_use(module, owners):
    """The parts in the order in which a call comes to them."""
    order, handles = [], []
    for path, part in module.named_modules():
        # PyTorch's own attention uses its last matrix without a call of it.
        used = [path, f"{path}.out_proj"] if type(part).__name__ == "MultiheadAttention" else [path]
        if path in owners:
            handles.append(part.register_forward_pre_hook(
                lambda _, __, used=used: order.extend(each for each in used if each not in order)))
    try:
        for width in dict.fromkeys(size for size, _ in owners.values()):
            order.clear()
            if call(module, width) is not None and len(order) == len(owners):
                return order
    finally:
        for handle in handles:
            handle.remove()
    return []


def times_used(module):
    """How often a call comes to each part of a stack of blocks that share their parameters; 1 where these differ."""
    owners, counts, handles = owners_of(module), Counter(), []
    for path, part in module.named_modules():
        if owners and path in owners:
            handles.append(part.register_forward_pre_hook(lambda _, __, path=path: counts.update([path])))
    try:
        for width in dict.fromkeys(size for size, _ in (owners or {}).values()):
            counts.clear()
            if call(module, width) is not None and len(counts) == len(owners) and len(set(counts.values())) == 1:
                return next(iter(counts.values()))
    finally:
        for handle in handles:
            handle.remove()
    return 1


def call(module, width):
    """Its result on random sequences; None where it cannot be called so."""
    torch = sys.modules["torch"]
    first = next(module.parameters())
    draw = torch.Generator().manual_seed(0)
    x, memory = (torch.randn(1, length, width, generator=draw).to(first.dtype).to(first.device) for length in (LENGTH, LENGTH + 1))
    return result_of(module, x, memory)


def layouts_of(layer, sizes, width):
    """The places that these parts may have, in their order, as (scope, role)."""
    has_network = layer != "multihead"
    for places_of in attentions(len(sizes)):
        for is_first in (False, True) if has_network else (False, ):
            block = []
            for number, scope in enumerate(ATTENTIONS[layer], 1):
                inside = places_of(scope)
                block += with_norm(inside, number, is_first) if has_network else inside
            if has_network:
                block += with_norm([("", "linear1"), ("", "linear2")], len(ATTENTIONS[layer]) + 1, is_first)
            for places in repeated(block, len(sizes), layer):
                if all(fits(place, size, width, heads_among(places)) for place, size in zip(places, sizes)):
                    yield places


def attentions(count):
    """Functions that give the places of an attention's parts, which has at most so many."""
    for roles in MATRICES:
        yield lambda scope, roles=roles: [(scope, role) for role in roles]
    for roles in OF_A_HEAD:
        for heads in range(2, count // len(roles) + 1):
            yield lambda scope, roles=roles, heads=heads: [
                *((f"{scope}heads.{n}.", role) for n in range(heads) for role in roles), (scope, "o")]


def heads_among(places):
    """How many heads have layers of their own; 1 where these are for all heads."""
    return len({match[1] for scope, _ in places if (match := re.search(r"heads\.(\d+)\.$", scope))}) or 1


def with_norm(places, number, is_first):
    norm = [("", f"norm{number}")]
    return norm + places if is_first else places + norm


def repeated(block, count, layer):
    """The block as often as there are parts for it, with a norm behind all where one is left."""
    if layer not in ("encoder", "decoder"):
        return [block] if len(block) == count else []
    times, rest = divmod(count, len(block))
    if rest > 1:
        return []
    places = [(f"layers.{n}.{scope}", role) for n in range(times) for scope, role in block]
    return [places + [("", "norm")] * rest]


def fits(place, size, width, heads):
    (scope, role), (into, out) = place, size
    if role.startswith("norm"):
        return out is None
    many = {"qkv": 3, "kv": 2}.get(role, 1)
    if role == "linear1":
        return into == width and out is not None
    if role == "linear2":
        return out == width
    return into == width and out is not None and out * (heads if "heads." in scope else 1) == many * width


def told_apart(module, found, width):
    """(the same, with queries, keys and values told apart, whether they are): a vector that is added to every key changes nothing,
    and one that is added to every value changes all positions of what the last matrix takes alike."""
    found, is_sure = dict(found), True
    for scope in dict.fromkeys(scope for scope, role in found.values() if role == "v"):
        three = [path for path, place in found.items() if place[0] == scope and place[1] in ("q", "k", "v")]
        outside = re.sub(r"heads\.\d+\.$", "", scope)
        output = next(path for path, place in found.items() if place == (outside, "o"))
        plain = taken_by(module, output, width)
        moved = {path: taken_by(module, output, width, path) for path in three}
        if plain is None or any(each is None for each in moved.values()):
            continue
        by = {path: each - plain for path, each in moved.items()}
        key = min(three, key=lambda path: np.abs(by[path]).max())
        is_sure = is_sure and np.abs(by[key]).max() < NO_CHANGE * max(np.abs(each).max() for each in by.values())
        value = min((path for path in three if path != key), key=lambda path: np.abs(by[path] - by[path][..., :1, :]).max())
        for path in three:
            found[path] = scope, "k" if path == key else "v" if path == value else "q"
    return found, is_sure


def taken_by(module, path, width, shifted=None):
    """What the part at a path takes in a call, where a vector is added to what another part gives."""
    seen, parts, handles = [], dict(module.named_modules()), []
    handles.append(parts[path].register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]) if inputs else None))
    if shifted is not None:
        def shift(_, __, output):
            return output + sys.modules["torch"].linspace(-1, 1, output.shape[-1]).to(output.dtype).to(output.device)
        handles.append(parts[shifted].register_forward_hook(shift))
    try:
        call(module, width)
    finally:
        for handle in handles:
            handle.remove()
    array = seen[0].detach().double().cpu().numpy() if seen else None
    return array.reshape(-1, *array.shape[-2:]) if array is not None and array.ndim > 1 else None


def kinds_of(module, path, place):
    """{own name: usual name} of the parameters of a part: one matrix, or what a norm multiplies by, and what is added."""
    scope, role = place
    own = dict(dict(module.named_modules())[path].named_parameters(recurse=False))
    is_norm, found = role.startswith("norm"), {}
    for number, (name, array) in enumerate(own.items()):
        said = next((kind for kind, words in (NORM_KINDS if is_norm else KINDS) if re.fullmatch(words, name.lower())), None)
        by_shape = ("weight", "bias")[number] if is_norm else "weight" if array.ndim > 1 else "bias"
        kind = said if is_norm and said else by_shape
        found[f"{path}.{name}" if path else name] = f"{scope}{ROLES.get(role, role)}.{kind}"
    return found
