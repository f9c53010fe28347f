"""Absurd sizes and tight limits: an immediate message, no memory use before it, no signal, nothing left behind."""

import os
import random
import subprocess

import formats
from shared import GB, Result, run, start
from trained import small

ONE_COMMAND = """
encoder --layers 100000 | transformer --layers 100000 | attention --seq 2000 --grad |
train reverse --no-files --layers 10000 --dmodel 1024 | train reverse --no-files --dmodel 16384 |
train reverse --no-files --batch 16777216 --examples 16777216 |
decoder --layers 100000 | predictor --layers 100000 |
encoder --dmodel 65536 --dff 65536 | encoder --seq 100000 | encoder --batch 100000 --seq 1000 |
multihead --seq 100000 | transformer --dmodel 60000 --heads 1 | time2vec --seq 16777216 --width 100000 |
positional --seq 16777216 --dmodel 4096 | positional --shift 3 --dmodel 16777216 | scaling --max-dk 16777216 |
scaling --seq 100000 | attention --seq 100000 | attention --seq 1000000 |
encoder --seq 500 --grad | plot --schedule cosine --steps 10000000 |
train copy --no-files --dmodel 16384 |
train sequence --no-files --seq 1000000 --pooling cls | train reverse --no-files --examples 268435456 |
train anomaly --no-files --seq 10000 --examples 1000000 | train anomaly --no-files --dff 1000000 |
train reverse --no-files --validation 268435456 | train sort --no-files --batch 1000000 --examples 1000000
"""

ENDLESS = """
attention --input /dev/zero | encoder --input /dev/zero | encoder --weights /dev/zero | attention --mask /dev/zero |
train reverse --resume /dev/zero | train anomaly --no-files --features /dev/zero | plot /dev/zero |
predict reverse 1 --weights /dev/zero
"""


def attack(t):
    speaks(t)
    files(t)
    limits(t)
    closed(t)


def lines(text):
    return [line.split() for line in " ".join(text.split()).split(" | ")]


def check_speaks(case, *command, **how):
    """Prints something within ten seconds, and before using 4 GB. Then it may continue, here for half a second."""
    result = case.tracer(*command, timeout=30, until_word=0.5, most=5 * GB, **how)
    if result.spoke_after is None or result.spoke_after > 10:
        spoke = f"the first word after {result.spoke_after:.0f} s" if result.spoke_after else result.outcome()
        case.fail(f"silent for {min(result.spoke_after or result.seconds, result.seconds):.0f} s: {spoke}", result)
    elif result.peak_before_word > 4 * GB:
        case.fail(f"{result.peak_before_word / GB:.1f} GB before the first word", result)
    elif result.code < 0 and result.seconds < result.spoke_after + 0.5:
        case.expect(result.too_large, result.outcome(), result)
    return result


def check_ends(case, result, codes=range(5), command=None):
    case.expect(not result.timed_out and result.code in codes, result.outcome(), command or result)


def check_clean(case, result, allowed=()):
    left = sorted(file.name for file in case.folder.iterdir() if file.name not in allowed)
    case.expect(not left, f"left behind: {left}", result)


def speaks(t):
    commands = lines(ONE_COMMAND)
    if not t.full:
        commands = commands[:6] + random.Random(t.seed).sample(commands[6:], 4)
    for case in t.cases([" ".join(line) for line in commands]):
        check_clean(case, check_speaks(case, *case.name.split()))


def files(t):
    """Small files with huge contents, and endless files."""
    for case in t.cases([" ".join(line) for line in (lines(ENDLESS) if t.full else lines(ENDLESS)[:4:3])]):
        check_speaks(case, *case.name.split())
    for case in t.case("seq=1000000 in best.safetensors"):
        case.tracer("train", *small("reverse"), "--folder", "run")
        best = case.folder / "run" / "best.safetensors"
        header, data = formats.parse_safetensors(best.read_bytes())
        header = formats.without_checksums(header)
        for seq in "60000", "1000000":
            header["__metadata__"]["seq"] = seq
            best.write_bytes(formats.with_header(header, data))
            check_speaks(case, "predict", "reverse", "1 2 3", "--folder", "run")
            check_speaks(case, "train", "reverse", "--resume", "run/best.safetensors", "--folder", "other")
    for case in t.case("zeros in an npz"):
        side = t.scale(4096, 16384)
        formats.npz_of_zeros(case.folder / "zeros.npz", "Q", (side, side))
        check_speaks(case, "attention", "--input", "zeros.npz")
        check_speaks(case, "encoder", "--input", "zeros.npz")
        check_speaks(case, "attention", "--mask", "zeros.npz")
    for case in t.case("a header of 88 MB"):
        empty = '{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
        header = ",".join(f'"t{i:09}":{empty}' for i in range(t.scale(50_000, 1_350_000)))
        (case.folder / "header.safetensors").write_bytes(formats.with_header(b"{" + header.encode() + b"}"))
        check_speaks(case, "encoder", "--weights", "header.safetensors")
        check_speaks(case, "predict", "reverse", "1", "--weights", "header.safetensors")


def limits(t):
    """ulimit -v: too little memory gives an error message, or is enough. The loader itself may fail with 127; where not
    even the program fits, the system kills it at the start."""
    least = -(-os.path.getsize(t.tracer) // 10_240_000) * 10_000
    steps = list(range(least, 400_001, 10_000)) if t.full else [60_000, 100_000, 160_000, 300_000]
    for case in t.cases([f"{kilobytes} KB of memory" for kilobytes in steps]):
        for command in ["--version"], ["attention", "--seq", "3"], ["train", *small("reverse"), "--no-files"]:
            result = case.tracer(*command, limits={"v": case.name.split()[0]}, timeout=10)
            check_ends(case, result, [*range(5), 127])
            case.expect(result.code == 0 or result.err, "failed without a word", result)
    for case in t.case("files of 1 KB"):
        result = case.tracer("multihead", "--seq", "100", "-o", "f.npz", limits={"f": "1"})
        check_ends(case, result, [4])
        check_clean(case, result)
        result = case.tracer("encoder", "--dmodel", "64", "--save-weights", "w.safetensors", limits={"f": "1"})
        check_ends(case, result, [4])
        check_clean(case, result)
        result = case.tracer("train", *small("reverse"), "--folder", "run", limits={"f": "4"})
        check_ends(case, result, [4])
        left = {file.name for file in (case.folder / "run").glob("*")} - {"run.jsonl", "maps.npz"}
        case.expect(not left, f"left behind: {sorted(left)}", result)
    for case in t.case("few open files and processes"):
        for limit in {"n": "4"}, {"n": "8"}, {"s": "256"}, {"u": "1"}:
            result = case.tracer("attention", "--seq", "3", limits=limit)
            check_ends(case, result, [*range(5), 127])


def closed(t):
    """A full disk, a closed pipe, and closed outputs."""
    for case in t.case("/dev/full"):
        with open("/dev/full", "wb") as full:
            for command in ["--help"], ["attention"], ["encoder", "--help"], ["train", *small("reverse"), "--no-files"]:
                result = case.tracer(*command, streams={"stdout": full})
                check_ends(case, result, [4], " ".join(map(str, result.command)) + " >/dev/full")
                case.expect(result.err.startswith(b"error:"), "no message", result)
                result = case.tracer(*command, streams={"stdout": full, "stderr": full})
                check_ends(case, result, [4], " ".join(map(str, result.command)) + " >/dev/full 2>&1")
        logged = ["train", *small("reverse"), "--no-files", "--log"]
        for command in ["attention", "-o"], ["encoder", "--save-weights"], logged:
            result = case.tracer(*command, "/dev/full")
            check_ends(case, result, [4])
    for case in t.case("a closed pipe"):
        for command in (["--help"], ["encoder", "--layers", "6"], ["train", *small("reverse"), "--folder", "run"],
                        ["train", *small("reverse"), "--no-files", "--log", "-"], ["attention", "--no-such"]):
            reader, writer = os.pipe()
            os.close(reader)
            result = case.tracer(*command, streams={"stdout": writer, "stderr": writer})
            os.close(writer)
            check_ends(case, result, range(5), " ".join(map(str, result.command)) + " 2>&1 | true")
    for case in t.case("no outputs at all"):
        for closing in ">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-":
            train = "train reverse --epochs 1 --examples 256 --validation 32 --test 32 --warmup 0 --folder run"
            for words in "attention", "encoder --no-such", "encoder -o f.npz", train:
                script = f'exec "$0" {words} {closing}'
                result = run(["bash", "-c", script, t.tracer], cwd=case.folder)
                check_ends(case, result)
    for case in t.case("a reader that leaves in the middle"):
        for command in ["encoder", "--layers", "50"], ["transformer", "--layers", "50"]:
            process = start([t.tracer, *command], cwd=case.folder)
            process.stdout.read(100)
            process.stdout.close()
            try:
                code = process.wait(10)
            except subprocess.TimeoutExpired:
                code = None
                process.kill()
                process.wait()
            process.stderr.close()
            case.expect(code == 0, f"exit code {code}", Result([t.tracer, *command, "|", "head", "-c", "100"]))
