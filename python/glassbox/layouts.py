"""Whether a function's own text says that its sequences come with the batch second: (position, batch, width); whether its
layers are convolutions, which have the channels before the positions."""
import inspect
import re

LENGTH = r"(?:\w*len(?:gth)?\w*|seq\w*|s[qk]|n_?pos\w*|time\w*|T|L|S|t|l|s|n)"
BATCH = r"(?:bsz|bs|\w*batch\w*|B|N|b)"
SIZES = r"\w+\.(?:shape|size\(\))"
WIDTH = r"(?:\w*d_?model|\w*dim\w*|\w*emb\w*|\w*hid\w*|\w*width|\w*feat\w*|\w*channels?|d|c|e|h|D|C|E|H)"

SECOND = [
    rf"(?m)^\s*{LENGTH}\s*,\s*{BATCH}\s*,\s*[\w*]+(?:\s*,\s*\w+)*\s*=\s*{SIZES}",  # tgt_len, bsz, embed_dim = query.size()
    r"\[\s*:\s*(?:\w+\.size\(0\)|\w+\.shape\[0\]|len\(\w+\))\s*[\],]",  # pe[:x.size(0)]
    rf"\b{LENGTH}\s*=\s*\w+\.(?:size\(0\)|shape\[0\])\s*[;\n]",
    rf"\b(?:bsz|bs|\w*batch\w*|B)\s*=\s*\w+\.(?:size\(1\)|shape\[1\])\s*[;\n]",
    rf"[(\[]\s*{LENGTH}(?:[ _]\w+)*\s*,\s*{BATCH}(?:[ _]\w+)*\s*[,)\]]",  # (seq_len, batch_size, width)
    r"(?i)\b(?:time|seq\w*|T|L)\s*[x×]\s*(?:batch\w*|B)\s*[x×]",  # Time x Batch x Channel
    r"[\"'](\w)(\w)(\w),\s?(?!\1)\w\2\3\s?->",  # einsum("ibd,jbd->…")
    r"(?i)\bsequence[- _]first\b|\bseq_first\b|\btime[- _]major\b|\bbatch_first\s*=\s*False"]
FIRST = [rf"(?m)^\s*{BATCH}\s*,\s*{LENGTH}\s*,\s*[\w*]+(?:\s*,\s*\w+)*\s*=\s*{SIZES}",
         rf"[(\[]\s*{BATCH}(?:[ _]\w+)*\s*,\s*{LENGTH}(?:[ _]\w+)*\s*,\s*{WIDTH}(?:[ _]\w+)*\s*[)\]]",
         r"(?i)\bbatch_first\s*=\s*True"]
CHANNEL, PLACE = r"(?:c|C|ch|\w*channels?|\w*dim|\w*width)", r"(?:n|N|hw|HW|l|L|t|T|\w*len(?:gth)?|\w*positions?|time|frames)"
CHANNELS = [rf"(?m)^\s*{BATCH}\s*,\s*{CHANNEL}\s*,\s*{PLACE}\s*=\s*{SIZES}",
            rf"[(\[]\s*{BATCH}(?:[ _]\w+)*\s*,\s*{CHANNEL}\s*,\s*{PLACE}\s*[)\]]"]


def says_second(function):
    """The words of a function, or of a module's classes, that say it; "" where nothing does, or the contrary, too."""
    if getattr(function, "batch_first", None) is False:
        return "batch_first is False"
    text = "\n".join(map(text_of, classes_of(function)))
    if any(re.search(pattern, text) for pattern in FIRST):
        return ""
    found = next((match for pattern in SECOND if (match := re.search(pattern, text))), None)
    return "" if found is None else line_of(text, found)


# What is there for a batch as well: all axes behind the first, however many these are.
ALL_BEHIND = (r"range\(\s*1\s*,\s*(?:\w+\.ndim|\w+\.dim\(\)|len\(\w+\.(?:shape|size\(\))\))\s*\)|\bflatten\(\s*(?:start_dim=)?1\s*\)|"
              r"(?:reshape|view)\(\s*\(?\s*(?:len\(\w+\)|\w+\.shape\[0\]|\w+\.size\(0\))\s*,\s*-1\s*\)")


def says_all_behind(function):
    """Whether a function's own words take all axes behind the first as one, so that (T, d) is no other use than a batch."""
    return any(re.search(ALL_BEHIND, text_of(each)) for each in classes_of(function))


def says_channels(function):
    """Whether a function's own words have the channels before the positions: b, c, n = q.shape."""
    return any(re.search(pattern, text) for text in map(text_of, classes_of(function)) for pattern in CHANNELS)


def is_unread(function):
    """Whether the lines of a function, or of one of a module's classes, cannot be read: typed at a prompt, or made."""
    for each in classes_of(function):
        try:
            inspect.getsource(inspect.unwrap(each))
        except (OSError, TypeError):
            return True
    return False


def has_convolutions(module):
    """Whether it has layers whose channels come before the positions."""
    return hasattr(module, "modules") and any(type(part).__name__ == "Conv1d" for part in module.modules())


def line_of(text, found):
    """The line that a match is in, without what makes it a comment."""
    start = found.start() + len(found[0]) - len(found[0].lstrip())
    line = text[text.rfind("\n", 0, start) + 1:].partition("\n")[0]
    return line.strip(" \t#\"'")


def classes_of(function):
    """What has the text: a function, or the classes of a module and of its parts, but not PyTorch's own."""
    if not hasattr(function, "modules"):
        return [function if inspect.isroutine(function) else getattr(function, "func", type(function))]
    kinds = dict.fromkeys(type(part) for part in function.modules())
    return [kind for kind in kinds if not kind.__module__.startswith("torch.")]


def text_of(function):
    try:
        return inspect.getsource(inspect.unwrap(function))
    except (OSError, TypeError):  # typed at a prompt
        return getattr(function, "__doc__", None) or ""
