"""How people's functions and objects for byte pairs are called: what each parameter takes, and in which forms."""
import contextlib
import inspect
import itertools
import re
from collections import Counter

from .byte_pairs import FIRST_LETTER
from .calling import Raised
from .signature import Fixed, plain
from .token_forms import is_id, text_of

# What people call what is taken.
CALLED = {
    "corpus": ("corpus", "text", "texts", "words", "vocab", "data", "dataset", "wordcounts", "wordfreqs", "wordfreq", "freqs",
               "counts", "frequencies", "sentences", "documents", "lines", "trainingtext", "traintext", "trainingdata",
               "train", "wordcount", "wordfrequencies", "dictionary", "splits", "strings", "iterator", "tokens", "corpustext",
               "korpus"),
    "count": ("nummerges", "nmerges", "merges", "k", "n", "m", "steps", "numsteps", "nummerge", "maxmerges", "numoperations",
              "numops", "numiterations", "iterations", "niter", "num", "numberofmerges", "symbols", "nsymbols", "numsymbols"),
    "size": ("vocabsize", "targetvocabsize", "size", "targetsize", "maxvocabsize", "maxvocab", "nvocab"),
    "word": ("word", "text", "token", "string", "s", "w", "input", "apply", "query", "sentence", "newword", "x",
             "sequence", "wort"),
    "merges": ("merges", "ranks", "bperanks", "mergerules", "rules", "codes", "bpecodes", "bpemerges", "mergelist", "pairs",
               "mergeranks", "learnedmerges", "bpe", "mergeops", "operations", "model"),
}
LEARNING = ("train", "fit", "learn", "learnbpe", "learnmerges", "learnvocab", "buildvocab", "build", "trainbpe", "fitontexts",
            "trainfromtext", "trainontext", "fitbpe")
ENCODING = ("encode", "tokenize", "tokenise", "apply", "segment", "encodeword", "tokenizeword", "transform", "bpe", "applybpe",
            "segmentword", "applymerges", "encodetext", "tokenizetext")
DECODING = ("decode", "detokenize", "detokenise", "untokenize", "tokenstostring", "decodetokens", "idstotext")
SIZE_HELD = ("vocabsize", "targetvocabsize", "maxvocabsize")
COUNT_HELD, MERGES_HELD = CALLED["count"][:2] + CALLED["count"][6:9], ("merges", "mergeableranks", *CALLED["merges"][1:10])
NAMES_HELD = ("vocab", "idtotoken", "itos", "inversevocab", "decoder", "tokentoid", "stoi", "encoder", "inttostr", "strtoint",
              "vocabulary", "id2token", "token2id", "idxtotoken", "tokentoidx", "invvocab", "reversevocab")
ENOUGH = 400  # ways to call a function


def said_role(what):
    """What a parameter takes, by the caller's word for it; None for what is no such word."""
    word = plain(what) if isinstance(what, str) else None
    return word if word in CALLED else next((role for role, words in CALLED.items() if word in words), None)


def method_of(given, names):
    """Its method by the first of these names; None if it has none."""
    own = {plain(name): name for name in dir(given) if not name.startswith("__")}
    found = next((own[name] for name in names if name in own), None)
    method = getattr(given, found, None) if found else None
    return method if callable(method) else None


def held(given, names):
    """[(name, value)] of what an object has by these names."""
    own = {plain(name): name for name in dir(given) if not name.startswith("__")}
    found = []
    for name in [each for each in names if each in own]:
        with contextlib.suppress(Exception):  # a property of what has not learned yet
            found.append((own[name], getattr(given, own[name])))
    return found


def corpora(corpus, name, is_last=False):
    """A corpus in the forms that functions take, the likeliest by the parameter's name first. At last those in which much that
    is wrong looks right: the text as one word has its words as often as they are there."""
    counts = Counter(corpus)
    if is_last:
        return [lambda: [" ".join(corpus)], lambda: [list(word) for word in corpus]]
    forms = {"text": lambda: " ".join(corpus), "words": lambda: list(corpus), "counts": lambda: dict(counts),
             "letters": lambda: {tuple(word): times for word, times in counts.items()},
             "spaced": lambda: {" ".join(word): times for word, times in counts.items()}}
    first = "counts" if re.search("vocab|count|freq|dict", name) else "words" if re.search("words|tokens", name) else "text"
    return [forms[each] for each in sorted(forms, key=lambda each: each != first)]


def forms_of_merges(merges):
    rank = {pair: place for place, pair in enumerate(merges)}
    codes = {sign: ord(sign) for pair in merges for sign in pair if len(sign) == 1}
    for place, pair in enumerate(merges):
        codes["".join(pair)] = 256 + place
    has_codes = all(sign in codes for pair in merges for sign in pair)
    return [lambda: list(merges), lambda: dict(rank), lambda: {pair: "".join(pair) for pair in merges},
            lambda: [" ".join(pair) for pair in merges], lambda: {" ".join(pair): place for pair, place in rank.items()},
            *([lambda: {tuple(codes[each] for each in pair): codes["".join(pair)] for pair in merges}] if has_codes else [])]


def forms_of_word(word):
    return [lambda: word, lambda: list(word), lambda: tuple(word), lambda: " ".join(word)]


def roles_of(function, stated, learns=False):
    """[{parameter: what it takes}], the likeliest first: a name may be that of two, and what has no known name takes what is
    left. What has a default and no known name keeps it. Of what learns, and of what is told how much, a text is a corpus."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        parameters = {}
    known = {}
    learns = learns or any(plain(name) in CALLED["count"] + CALLED["size"] for name in parameters)
    for name, each in parameters.items():
        if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL):
            continue
        roles = [role for role, words in CALLED.items() if plain(name) in words]
        roles += ["corpus"] * (learns and "word" in roles and "corpus" not in roles)
        if name in stated:
            known[name] = [stated[name]]
        elif re.search("path|file", plain(name)) and "text" not in name and each.default is each.empty:  # it reads a file, not here
            return []
        elif roles or each.default is each.empty:
            known[name] = roles or list(CALLED)
            known[name] += [None] if each.default is not each.empty else []
    good = [{"corpus", "count"}, {"corpus", "size"}, {"corpus"}, {"word", "merges"}, {"corpus", "word", "count"}, {"word"},
            {"corpus", "word"}, {"corpus", "word", "size"}]
    found = []
    for choice in itertools.product(*known.values()):
        used = [role for role in choice if isinstance(role, str)]
        if len(set(used)) == len(used) and set(used) in good:
            found.append({name: role for name, role in zip(known, choice) if role is not None})
    return sorted(found, key=lambda roles: -len(roles))


class Called:
    """One way to call a function: what each parameter takes, and in which forms."""
    def __init__(self, function, roles):
        self.function, self.roles = function, roles
        self.used = {role for role in roles.values() if isinstance(role, str)}

    def ways(self, lesson, found):
        """Those of ways_with; what is left for last only if nothing that was found until then has merges."""
        yield from self.ways_with(lesson, False)
        if "corpus" in self.used and not any(each.merges_any() for each in found):
            yield from self.ways_with(lesson, True)

    def ways_with(self, lesson, is_last):
        """{parameter: a function that makes its argument; "word": which of the forms of a word}."""
        forms = []
        for name, role in self.roles.items():
            if isinstance(role, Fixed):
                forms.append([lambda role=role: role.value])
            elif role == "corpus":
                forms.append(corpora(lesson.corpus, plain(name), is_last))
            elif role == "merges":
                forms.append(forms_of_merges(lesson.merges))
            elif role == "word":
                forms.append(range(len(forms_of_word(""))))
            else:  # a vocabulary has the letters, too, or all bytes
                before = [0] if role == "count" else [len(lesson.known), len(lesson.known) + FIRST_LETTER, 256]
                forms.append([lambda size=size: size + lesson.count for size in before])
        yield from itertools.islice(itertools.product(*forms), ENOUGH)

    def once(self, way, word=None):
        """What it gives back, of one word where it takes one."""
        arguments = {name: forms_of_word(word)[form]() if role == "word" else form()
                     for (name, role), form in zip(self.roles.items(), way)}
        try:
            positional = [each.name for each in inspect.signature(self.function).parameters.values()
                          if each.kind is each.POSITIONAL_ONLY]
        except (TypeError, ValueError):
            positional = list(arguments)
        first = [arguments.pop(name) for name in positional if name in arguments]
        try:
            return self.function(*first, **arguments)
        except (Exception, SystemExit) as problem:  # whatever a student's function raises, exit() too
            raise Raised.inside(self.function, problem) from None


def names_in(owner):
    """{id: text} that a tokenizer has for its tokens."""
    for _, table in held(owner, NAMES_HELD):
        if isinstance(table, dict) and table and all(is_id(key) for key in table):
            return {key: text_of(value) for key, value in table.items()}
        if isinstance(table, dict) and table and all(is_id(value) for value in table.values()):
            return {value: text_of(key) for key, value in table.items()}
        if isinstance(table, list) and table and all(text_of(each) is not None for each in table):
            return dict(enumerate(map(text_of, table)))
    return {}
