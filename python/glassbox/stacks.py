"""Lists of blocks, by any name: what has a number before its parts, again and again the same parts."""
import re
from collections import defaultdict


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
NUMBER = rf"\d+|(?<![^.])(?:{'|'.join(ORDINALS)})"


def number_of(word):
    return ORDINALS.index(word) if word in ORDINALS else int(word)


def stacks_in(arrays):
    """{path in lower case: the numbers behind it} of what holds blocks that are alike: "enc_layers." in enc_layers.0.fc1.weight,
    "block" in block1.fc1.weight, and "" where the module itself is the list."""
    entries = defaultdict(lambda: defaultdict(dict))
    for name, array in arrays.items():
        for place in re.finditer(rf"(?:{NUMBER})(?=\.)", name.lower()):
            entries[name[:place.start()].lower()][number_of(place[0])][name[place.end() + 1:]] = array.shape
    found = {owner: sorted(each) for owner, each in entries.items() if is_stack(owner, each)}
    return {owner: numbers for owner, numbers in found.items() if not any(owner != other and owner.startswith(other) for other in found)}


def is_stack(owner, entries):
    first, *others = entries.values()
    is_list = len(entries) > 1 or (len(owner) > 1 and owner.endswith(".") and 0 in entries)
    return is_list and all(each == first for each in others) and is_block(first)


def is_block(shapes):
    """Whether it has more matrices than an attention, or two that are each other turned, as those of a network."""
    shapes = [shape for shape in shapes.values() if len(shape) == 2]
    turned = [shape for shape in shapes if shape[0] != shape[1] and shape[::-1] in shapes]
    return len(shapes) > 4 or (len(shapes) > 2 and bool(turned))


def block_of(stacks, module):
    """(place of its block, path inside) of a module in one of the stacks; None for another."""
    for owner, numbers in stacks.items():
        found = re.match(re.escape(owner) + rf"({NUMBER})\.", module)
        if found:
            return numbers.index(number_of(found[1])), module[found.end():]
    return None
