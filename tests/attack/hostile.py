"""Texts in files, names and options that try to control the terminal or forge a line of output.

No byte of them may reach the output as a control character, and every command must exit properly."""

import json
import os
import re
import shutil
import struct
import unicodedata

import formats
from shared import GB
from trained import OF_TASK, in_the_middle, small

FORGED = b"FORGED: all is well"
COLOUR = b"\x1b[5;33;45m"  # one that tracer never uses

PAYLOADS = [
    COLOUR, b"\x1b]0;owned\x07", b"\x1b]52;c;b3duZWQ=\x07", b"\x1b[2J\x1b[H", b"\x1b[8m", b"\x1b", b"\x1bPq\x1b\\",
    b"\x9b31m", b"\xc2\x9b31m", b"\xc2\x9d0;owned\xc2\x9c", b"\xc2\x80", b"\xc2\x9f",
    b"\x07", b"\x08\x08\x08", b"\x0b", b"\x0c", b"\x0e", b"\x01", b"\x1f", b"\x7f", b"\t", b"\0",
    b"\n" + FORGED + b"\n", b"\r" + FORGED, b"\r\n" + FORGED, b"\n\n" + FORGED, b"\xc2\x85" + FORGED,
    b"\xe2\x80\xa8" + FORGED, b"\xe2\x80\xa9" + FORGED,
    *(chr(mark).encode() for mark in (0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069,
                                      0x200E, 0x200F, 0x061C)),
    b"\xff\xfe", b"\xc0\x80", b"\xc0\x9b", b"\xed\xa0\x80", b"\xe2\x82", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
    b"A" * 300, b"B" * 30_000,
    b"{}", b"%s%n", b"'\"\\",
]

NOT_ALLOWED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
OWN_STYLE = re.compile(rb"\x1b\[(?!5;33;45m)[0-9;]*m|\r\x1b\[K")

MODELS = ["multihead", "positional", "encoder-block", "encoder", "predictor", "decoder-block", "decoder",
          "transformer", "time2vec"]
MASKED = ["attention", "multihead", "encoder-block", "encoder", "predictor", "decoder-block", "decoder", "transformer"]
TASKS = list(OF_TASK)


def attack(t):
    for case in t.case("made"):
        for task in TASKS:
            whole = case.tracer("train", *small(task), "--folder", task)
            case.expect(whole.code == 0, "the run to be attacked failed", whole)
        many = small("reverse") + ["--epochs", "12", "--save-every", "1"]
        (case.folder / "middle").mkdir()
        for _ in range(20):
            shutil.rmtree(case.folder / "middle" / "run", ignore_errors=True)
            if in_the_middle(t, case.folder / "middle", many, 40):
                break
        shares = {weights: 0.4, arrays: 0.3, logs: 0.1, names: 0.1, typed: 0.1}
        for kind, share in shares.items():
            every = [f"{kind.__name__} {i}" for i in range(round(share * t.scale(60, 1000)))]
            t.on_all_cores(every, lambda each, kind=kind: kind(each, case.folder))


# ---- expected outcomes ---------------------------------------------------------------------------------------


def flaw(result, styled):
    """What is wrong with a command's exit or output; None if nothing."""
    if result.timed_out or result.too_large or not 0 <= result.code <= 4:
        return result.outcome()
    if result.seconds > 10:
        return f"took {result.seconds:.1f} s"
    if result.peak > GB:
        return f"took {result.peak / GB:.2f} GB"
    for name, output in (("stdout", result.out), ("stderr", result.err)):
        if styled:
            output = OWN_STYLE.sub(b"", output).replace(b"\r\n", b"\n")
        try:
            text = output.decode()
        except UnicodeDecodeError as error:
            return f"invalid UTF-8 on {name}: {output[max(error.start - 20, 0):error.end + 20]!r}"
        found = NOT_ALLOWED.search(text)
        if found:
            character = unicodedata.name(found[0], f"U+{ord(found[0]):04X}")
            return f"{character} on {name}: {text[max(found.start() - 40, 0):found.end() + 20]!r}"
        if any(line.startswith(FORGED.decode()) for line in text.split("\n")):
            return f"a forged line on {name}"
    return None


def check(case, *command, **how):
    """Runs it with a pipe for its output, and sometimes on a terminal with colour."""
    on_terminal = case.random.random() < 1 / 15
    how.setdefault("timeout", 20)
    result = case.tracer(*command, terminal=on_terminal, **how)
    wrong = flaw(result, on_terminal or b"always" in command)
    if wrong:
        case.fail(("on a terminal: " if on_terminal else "") + wrong, result)


# ---- texts in files -----------------------------------------------------------------------------------------


def payload(random):
    text = random.choice(PAYLOADS)
    return text if random.random() < 0.5 else b"x" + text + b"y"


def in_json(random, header, text):
    """The header as JSON, with `text` for @@: as it is, or escaped as \\u…."""
    header = json.dumps(header).encode()
    if random.random() < 0.6:
        text = json.dumps(text.decode("utf-8", "surrogateescape"))[1:-1].encode()
    return header.replace(b"@@", text)


def hostile_header(random, header, text):
    """A header of a file written by tracer, with hostile text in one or two places."""
    header = json.loads(json.dumps(formats.without_checksums(header)))
    metadata = header["__metadata__"]
    tensors = [name for name in header if name != "__metadata__"]
    for _ in range(random.choice([1, 1, 1, 2])):
        way = random.randrange(9)
        name = random.choice(tensors) if tensors else None
        if way < 3 and metadata:
            metadata[random.choice(sorted(metadata))] = random.choice(["@@", "@@", "1@@", "reverse@@", "@@.npz"])
        elif way == 3:
            metadata["@@"] = "1"
        elif way == 4:
            header["@@"] = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
        elif name not in header:
            continue
        elif way == 5:
            header[random.choice(["@@", name + "@@"])] = header.pop(name)
        elif way == 6:
            header[name]["dtype"] = "@@"
        elif way == 7:
            entry = header.pop(name)
            entry[random.choice(["shape", "data_offsets"])] = random.choice([[1, 2], [1 << 40, 2], [], ["@@", 1], "@@"])
            header["@@"] = entry
        else:
            header[name]["@@"] = random.choice([1, "@@", None])
    written = in_json(random, header, text)
    if random.random() < 0.1:
        cut = random.randrange(len(written))
        written = written[:cut] + text + written[cut:]
    return written


def mutated(random, file, text):
    header, data = formats.parse_safetensors(file.read_bytes())
    return formats.with_header(hostile_header(random, header, text), data)


def weights(case, made):
    """Tensor names, metadata and settings, read by --weights, predict and train --resume."""
    random, text = case.random, payload(case.random)
    task = random.choice(TASKS)
    for model in MODELS:
        if random.random() < 0.5:  # a separate file, so that most of it is valid
            case.tracer(model, "--save-weights", "w.safetensors")
        else:
            shutil.copyfile(made / task / "best.safetensors", case.folder / "w.safetensors")
        (case.folder / "w.safetensors").write_bytes(mutated(random, case.folder / "w.safetensors", text))
        check(case, model, "--weights", "w.safetensors")
    check(case, "encoder", "--weights", "w.safetensors", "--diff", "uva-jax,paper")
    run = case.folder / "run"
    run.mkdir()
    (run / "best.safetensors").write_bytes(mutated(random, made / task / "best.safetensors", text))
    last = made / "middle" / "run" / "last.safetensors" if task == "reverse" else made / task / "last.safetensors"
    (run / "last.safetensors").write_bytes(mutated(random, last, text))
    question = [] if task == "anomaly" else ["1 2 3"]
    for how in ["--folder", "run"], ["--weights", "run/best.safetensors"], ["--weights", "run/last.safetensors"]:
        check(case, "predict", task, *question, *how, *random.choice([[], ["--steps"], ["--format", "json"]]))
    for name in "best", "last":
        check(case, "check-file", f"run/{name}.safetensors")
    check(case, "train", task, "--resume", "--folder", "run", *random.choice([[], ["--step", "40"]]))
    check(case, "train", task, "--resume", "run/best.safetensors")


def features():
    """Images of two classes, 60 each, for train anomaly."""
    labels = b"".join(struct.pack("<f", i // 60) for i in range(120))
    return formats.npz({"feats": formats.npy((120, 2)), "labels": formats.npy((120,), data=labels)})


def hostile_npy(random, text):
    words = text.decode("utf-8", "surrogateescape")
    ways = [dict(descr="<f4" + words), dict(descr=words), dict(header="{'" + words + "': 1}"), dict(header=words),
            dict(header="{'descr': '<f4', 'fortran_order': " + words + ", 'shape': (2, 2), }"),
            dict(header="{'descr': '<f4', 'fortran_order': False, 'shape': (2, '" + words + "'), }"),
            dict(shape=(3, 5)), dict(shape=(1 << 40, 2), data=b""), dict()]
    return formats.npy(**random.choice(ways))


def arrays(case, made):
    """Array names and npy headers, read by --input, --mask and --features."""
    random, text = case.random, payload(case.random)
    good = ["Q", "K", "V", "x", "memory", "source", "target", "time", "feats", "labels"]
    way = random.randrange(4)
    content = {} if way == 0 else {name: formats.npy((2, 2)) for name in good}
    if way == 1:
        for name in random.sample(good, 3):
            del content[name]
    if way == 2:
        for name in random.sample(good, 5):
            content[name] = hostile_npy(random, text)
    for name in {random.choice([text, text + b"/" + text, random.choice(good).encode() + text]) for _ in range(2)}:
        content[name] = hostile_npy(random, text) if random.random() < 0.5 else formats.npy()
    (case.folder / "a.npz").write_bytes(formats.npz(content))
    (case.folder / "a.npy").write_bytes(hostile_npy(random, text))
    for command in ["attention"] + MODELS:
        check(case, command, "--input", "a.npz")
    for command in MASKED:
        check(case, command, "--mask", random.choice(["a.npz", "a.npy"]))
    check(case, "attention", "--input", "a.npy")
    short = [*small("anomaly"), "--no-files", "--epochs", "1"]
    check(case, "train", *short, "--features", "a.npz")
    (case.folder / "good.npz").write_bytes(features())
    check(case, "train", *short, "--features", "good.npz", "--test-features", "a.npz")
    check(case, "check-file", "a.npz")
    with open(case.folder / "a.npz", "rb") as file:
        case_input = dict(streams={"stdin": file})
        result = case.tracer("encoder", "--input", "-", **case_input)
        case.expect(flaw(result, False) is None, f"{flaw(result, False)}, from standard input", result)


def logs(case, made):
    """Texts in run.jsonl, read by plot and train --resume."""
    random, text = case.random, payload(case.random)
    shutil.copytree(made / "middle" / "run", case.folder / "run")
    log = case.folder / "run" / "run.jsonl"
    lines = [json.loads(line) for line in log.read_bytes().splitlines()]
    for _ in range(random.choice([1, 2])):
        line = random.choice([lines[0], random.choice(lines)])
        way = random.randrange(5)
        if way == 0:
            line["@@"] = "@@"
        elif way == 1 and isinstance(line.get("config"), dict):
            line["config"]["@@"] = "@@"
        else:
            line[random.choice(sorted(line))] = random.choice(["@@", "@@", ["@@"], {"@@": "@@"}])
    written = [in_json(random, line, text) for line in lines]
    if random.random() < 0.3:
        line = random.choice([text, b'{"' + text, b'{"event":"' + text + b'"}'])
        written.insert(random.randrange(len(written)), line)
    log.write_bytes(b"\n".join(written) + b"\n")
    for how in ["run/run.jsonl"], ["run", "--format", "json"], ["run", "--format", "svg"], ["run", "--log"]:
        check(case, "plot", *how)
    check(case, "check-file", "run/run.jsonl")
    check(case, "train", "reverse", "--resume", "--folder", "run", *random.choice([[], ["--format", "json"]]))


# ---- names and words ----------------------------------------------------------------------------------------


def names(case, made):
    """Names of files and folders with valid content."""
    random, text = case.random, payload(case.random).replace(b"/", b"|").replace(b"\0", b"\1")[:200]
    folder = os.fsencode(case.folder)
    shutil.copytree(os.fsencode(made / "middle" / "run"), folder + b"/" + text)
    inside = text + b"/last.safetensors"
    check(case, "plot", text)
    check(case, "plot", text + b"/run.jsonl", text)
    check(case, "plot", text, "--format", "svg")
    check(case, "predict", "reverse", "1 2 3", "--folder", text)
    check(case, "predict", "reverse", "1 2 3", "--folder", text, "--steps")
    check(case, "predict", "reverse", "1 2 3", "--folder", text, "--format", "json")
    check(case, "predict", "reverse", "1 2 3", "--weights", inside)
    check(case, "encoder", "--weights", inside)
    check(case, "check-file", inside)
    check(case, "train", "copy", "--resume", inside)
    check(case, "train", "reverse", "--resume", inside)
    check(case, "train", "reverse", "--resume", inside)  # finished now
    check(case, "train", *small("reverse"), "--epochs", "1", "--folder", text)  # moves what is there
    check(case, "train", *small("anomaly"), "--epochs", "1", "--no-files", "--features", text)
    for missing in text + b".npz", text + b"/none", b"none/" + text:
        for command in random.sample(["attention"] + MODELS, 3):
            check(case, command, "--input", missing)
        for command in random.sample(MODELS, 3):
            check(case, command, "--weights", missing)
            check(case, command, "-o", b"none/" + missing)
        check(case, "attention", "--mask", missing)
        check(case, "plot", missing)
        check(case, "predict", "reverse", "1", "--folder", missing)
        check(case, "train", "reverse", "--resume", missing)
    for suffix in b".npz", b".npy", b".safetensors":
        with open(folder + b"/" + text + suffix, "wb") as file:
            file.write(random.choice([b"", b"nothing", formats.npz({text: formats.npy()})]))
        check(case, "attention", "--input", text + suffix)
        check(case, "encoder", "--mask", text + suffix)
        check(case, "encoder", "--weights", text + suffix)
    check(case, "encoder", "-o", text + b".txt")
    check(case, "encoder", "--map", text + b".svg")


WORDS = """
encoder --text @ | encoder --text @ --map | transformer --text @ --target @ --map | transformer --text @ --only source |
predictor --text @ | encoder --text @ --step | encoder --text @ --color always --map |
multihead --text @ --format json |
encoder --text a@b|c --color always | encoder --text @ --map --color always | @ | help @ | @ --help | encoder @ |
encoder --@ | encoder --seq @ | encoder --mask @ | encoder --only @ | encoder --scope @ | encoder --explain @ |
encoder --grad --scalar @ | encoder --convention @ | encoder --diff @ | encoder --diff uva-jax,@ | encoder --rng @ |
encoder --seed @ | encoder --format @ | encoder --color @ | encoder --precision @ | encoder --lengths @ |
encoder --backend @ | encoder --products @ | attention --Q @ --K @ --V @ | attention --score @ | attention --explain @ |
attention --only @ | attention --mask window:@ | attention --scalar @ --grad | train @ | train reverse --batch @ |
train reverse --rate @ | train reverse --features @ | train anomaly --features @ | train reverse --schedule @ |
train reverse --number @ --step 1 | train sequence --pooling @ | train reverse --no-files --log none/@ |
predict @ | predict reverse @ | predict reverse @ --folder @ | predict anomaly --set @ | plot --schedule @ |
plot --schedule cosine --warmup @ | plot --only @ x | scaling --max-dk @ | completion @ | manual @ | check-file @ |
encoder --seq=@ | encoder -o@/x | encoder -@ | encoder --seq 2 @ @
"""


def typed(case, made):
    """Options, their values, commands and the words of a sentence; half of the command lines for each text."""
    text = payload(case.random).replace(b"\0", b"\1")
    lines = [line.split() for line in " ".join(WORDS.split("\n")).split(" | ")]
    for line in case.random.sample(lines, len(lines) // 2):
        check(case, *(word.encode().replace(b"@", text) for word in line))
    check(case, "train", *small("reverse"), "--no-files", env={b"GLASSBOX_NUM_THREADS": text})
