"""One flipped bit in a file written by tracer: the file is rejected by name, or the result does not change."""

import json
import shutil

from formats import parse_safetensors
from shared import words
from trained import in_the_middle, numbers, small

MANY = ["reverse"] + small("reverse")[1:] + ["--epochs", "12", "--save-every", "1"]
SHAPE = "--dmodel 8 --heads 2 --dff 16 --layers 1".split()


def attack(t):
    for case in t.case("made"):
        made = case.folder
        make(case)
        each = t.scale(24, 200)
        flip_checkpoints(t, made, each)
        flip_best(t, made, each)
        flip_others(t, made, t.scale(12, 100))
        flip_logs(t, made, t.scale(12, 100))


def make(case):
    """A complete run, the same run stopped halfway, and files of other commands."""
    folder = case.folder
    whole = case.tracer("train", *MANY, "--folder", "whole")
    case.expect(whole.code == 0, "the run to be attacked failed", whole)
    for _ in range(20):
        shutil.rmtree(folder / "run", ignore_errors=True)
        if in_the_middle(case.attack, folder, MANY, 40):
            break
    else:
        case.fail("could not be interrupted in its middle", ["tracer", "train", *MANY])
    case.tracer("attention", "--seq", "3", "--dk", "2", "-o", "q.npz")
    case.tracer("encoder", *SHAPE, "--save-weights", "e.safetensors")


# ---- flips and their permitted outcomes ----------------------------------------------------------------------


def flip(random, file):
    """Flips one bit; a tenth of them in the length, a third each in metadata, header and data."""
    data = bytearray(file.read_bytes())
    parts = [(0, len(data))]
    if file.suffix == ".safetensors":
        header = 8 + int.from_bytes(data[:8], "little")
        metadata = max(data.find(b"}"), 8)
        parts = [(0, 8), (8, metadata), (metadata, header), (header, len(data))]
        parts = random.choices(parts, [1, 3, 3, 3])
    if file.suffix == ".npz":  # headers and the directory are a small part of it, but get half of the flips
        parts = random.choices([(0, 128), (len(data) - 200, len(data)), (0, len(data))], [1, 1, 2])
    place, bit = random.randrange(*parts[0]), random.randrange(8)
    data[place] ^= 1 << bit
    file.write_bytes(data)
    return f"bit {bit} of byte {place} of {file.name} flipped: "


def copied(case, made, *names):
    """Copies into the case's folder, once to run in and once to keep."""
    for name in names:
        copy = shutil.copytree if (made / name).is_dir() else shutil.copyfile
        copy(made / name, case.folder / name)


def keep(case, name):
    """The original files, and the command that restores them."""
    shutil.copytree(case.folder / name, case.folder / "before")
    return f"rm -rf {name} && cp -r before {name} && "


def refused(result, file):
    return result.code == 3 and file.encode() in result.err


def ending(folder):
    """Tensors and results of a finished run, without times."""
    try:
        last = json.loads((folder / "run.jsonl").read_bytes().splitlines()[-1])
    except (OSError, ValueError, IndexError):
        last = {}
    results = {key: value for key, value in last.items() if key != "seconds"} if isinstance(last, dict) else {}
    files = [folder / name for name in ("best.safetensors", "last.safetensors")]
    return results, [numbers(file) if file.exists() else None for file in files]


def check_resumed(case, made, file, what, may_refuse=True):
    again = keep(case, "run")
    result = case.tracer("train", "reverse", "--resume", "--folder", "run")
    command = again + words(result.command)
    if may_refuse and refused(result, file):
        return
    if result.code == 3 and b"the log of another run" in result.err:  # a setting in it has changed
        return
    if not case.expect(result.code == 0, what + result.outcome(), command):
        return
    expected, got = ending(made / "whole"), ending(case.folder / "run")
    if not may_refuse:  # the log does not matter here, the weights do
        expected, got = expected[1], got[1]
    case.expect(got == expected, what + "resumed, exit 0, and ended in other numbers", command)


def check_answer(case, made, file, what, *command):
    """The answer without the flip, or an error."""
    expected = case.tracer(*command, cwd=made)
    case.expect(expected.code == 0, "refused without any flip", expected, cwd=made)
    result = case.tracer(*command)
    if not refused(result, file):
        case.expect(result.code == 0, what + result.outcome(), result)
        case.expect(result.code != 0 or result.out == expected.out, what + "exit 0 with other answers", result)


def has_check_file(t):
    if not hasattr(t, "checks"):
        for case in t.case("check-file"):
            t.checks = case.tracer("check-file", "--help").code == 0
    return t.checks


def check_file(case, made, file, what):
    """check-file may accept a file only if its report is unchanged: a flip in whitespace, for example."""
    if not has_check_file(case.attack):
        return
    result = case.tracer("check-file", file)
    if refused(result, file.split("/")[-1]):
        return
    try:
        before, after = [parse_safetensors((folder / file).read_bytes()) for folder in (made, case.folder)]
        is_same = before == after
    except ValueError:
        is_same = False
    case.expect(result.code == 0, what + result.outcome(), result)
    case.expect(is_same, what + "check-file finds nothing", result)


# ---- the files ----------------------------------------------------------------------------------------------


def flip_checkpoints(t, made, count):
    for case in t.cases([f"last {i}" for i in range(count)]):
        copied(case, made, "run")
        what = flip(case.random, case.folder / "run" / "last.safetensors")
        check_file(case, made, "run/last.safetensors", what)
        check_resumed(case, made, "last.safetensors", what)


def flip_best(t, made, count):
    for case in t.cases([f"best {i}" for i in range(count)]):
        copied(case, made, "run")
        what = flip(case.random, case.folder / "run" / "best.safetensors")
        check_file(case, made, "run/best.safetensors", what)
        for model in ("--folder", "run"), ("--weights", "run/best.safetensors"):
            check_answer(case, made, "best.safetensors", what, "predict", "reverse", "1 2 3 4 5 6", *model,
                         "--format", "json")
        if case.name.endswith("0"):
            check_resumed(case, made, "best.safetensors", what)


def flip_others(t, made, count):
    for case in t.cases([f"weights {i}" for i in range(count)]):
        copied(case, made, "e.safetensors")
        what = flip(case.random, case.folder / "e.safetensors")
        check_answer(case, made, "e.safetensors", what, "encoder", *SHAPE, "--weights", "e.safetensors",
                     "--format", "json")
        check_file(case, made, "e.safetensors", what)
    for case in t.cases([f"npz {i}" for i in range(count)]):
        copied(case, made, "q.npz")
        what = flip(case.random, case.folder / "q.npz")
        check_answer(case, made, "q.npz", what, "attention", "--input", "q.npz", "--format", "json")


def flip_logs(t, made, count):
    for case in t.cases([f"log {i}" for i in range(count)]):
        copied(case, made, "run")
        log = case.folder / "run" / "run.jsonl"
        what = flip(case.random, log)
        if case.name.endswith("3"):  # what a power failure leaves of a file that was never synced
            log.write_bytes(log.read_bytes()[:-100] + bytes(512))
            what = "zeros at the end of run.jsonl: "
        check_resumed(case, made, "run.jsonl", what, may_refuse=False)
