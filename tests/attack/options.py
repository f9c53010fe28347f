"""Random command lines: an exit code from 0 to 4, in time, and an error message exactly when something failed."""

import re

import formats
from trained import small

ODD = ["", " ", "0", "1", "2", "3", "8", "-1", "-0", "+1", "01", "1.5", "0.1", ".5", "1e3", "1e400", "1e-400", "NaN",
       "nan", "inf", "-inf", "infinity", "0x10", "1_000", "1,2", "1,", ",", ",,", "2147483647", "2147483648",
       "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775808",
       "1" * 400, "-" * 300, "١٢", "½", "²", "None", "null", "true", "auto", "none", "all", "-", "--", "---", "=",
       "%s",
       "größe", "🦀", "\u202e", "a b", "a\nb", "a\tb", "'", '"', "\\", "*", "?", "[", "]", "[0]", "values[0,1]",
       "values[0,99]", "values[", "values[-1,0]", "output[0,0]", "attention", "no-such-step", "sum(values)", "sum()",
       "sum(", "causal", "window:1", "window:-1", "window:", "window:99999999999", "1 0; 0 1", "1 2; 3",
       "[[1, 0], [0, 1]]",
       "nan 1; 1 nan", "1e39 1; 1 1", "1,1", "3,0", "999", "jax", "torch", "numpy", "uva-jax", "uva-torch", "report",
       "paper", "uva-jax,paper", "json", "text", "npz", "svg", "png", "cpu", "cuda", "always", "never", "relu", "gelu",
       "cosine", "adam", "sgd", "reverse", "anomaly", "mean", "cls", "pre", "x.svg", "x.png", "x.pdf", "x.npz", "x.txt",
       "x.safetensors", "missing.npz", "no/such/file", "folder", "empty.npz", "text.txt", "good.npz",
       "weights.safetensors", "run", "/dev/null", "good.npz/x"]

FILES = ["x.svg", "x.npz", "x.txt", "x.safetensors", "missing.npz", "no/such/file", "folder", "empty.npz", "text.txt",
         "good.npz", "weights.safetensors", "run"]
NUMBERS = ["1", "2", "3", "4", "0", "0.5", "1000000000", "-1"]


def attack(t):
    for made in t.case("made"):
        shown = made.tracer("--help").out.decode()
        commands = re.findall(r"^  ([a-z][a-z0-9-]*) +[A-Z]", shown[shown.index("\nLayers and models:"):], re.MULTILINE)
        made.expect(len(commands) > 10, "its commands are not found in --help", ["tracer", "--help"])
        known = {command: options_of(made, command) for command in commands}
        each = t.scale(250, 6000)
        for case in t.cases([f"line {i}" for i in range(each)]):
            check(case, odd_line(case.random, known))


def options_of(made, command):
    """Every option in --help, with plausible values: none for flags."""
    result = made.tracer(command, "--help")
    made.expect(result.code == 0 and result.out, "no --help", result)
    lines = re.findall(r"^  (?:-\w, )?(--?[\w-]+)(?: (\S+))? {2,}(\S.*)", result.out.decode(), re.MULTILINE)
    return [(name, fitting(placeholder, text)) for name, placeholder, text in lines]


def fitting(placeholder, text):
    """Small numbers for N, files for FILE, and the words of an option's own help."""
    if not placeholder:
        return []
    if "FILE" in placeholder or placeholder == "DIR":
        return FILES
    if placeholder in ("N", "R", "P", "B", "E", "M", "L", "X", "SEED", "[N]"):
        return NUMBERS
    return re.findall(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?:\([a-z]+\)|\[[0-9,]+\])?", text)


def odd_line(random, known):
    command = random.choice([*known, "train", "encoder", "attention", "predict"])
    line = [command]
    if command == "train":
        line += [*small(random.choice(["reverse", "sequence", "copy", "sort"])), "--epochs", "1"]
        line += random.choice([["--no-files"], ["--step", "1"], []])
    elif command == "predict":
        line += [random.choice(["reverse", "sequence", "anomaly", "copy", "sort", "none"]), "1 2 3"]
        line += random.choice([["--folder", "run"], []])
    elif command == "plot":
        line += random.choice([[], ["run"], ["--schedule", "cosine"]])
    elif command == "completion":
        line += random.choice([["bash"], ["zsh"], []])
    for _ in range(random.choice([1, 1, 2, 2, 3, 4])):
        option, values = random.choice(known[command] or [("--help", [])])
        way = random.random()
        if way < 0.05:
            option = random.choice(["--no-such", option + "x", option[:-1], option.upper(), "-x", "--", "--=", "-"])
        if way > 0.95:
            line.append(random.choice(ODD))
        elif values and way < 0.85:
            value = random.choice(ODD if way < 0.25 else values)
            line += [f"{option}={value}"] if random.random() < 0.3 else [option, value]
        elif values:
            line.append(option)  # its value is missing
        else:
            line += [option] if way < 0.9 else [f"{option}={random.choice(ODD)}"]
    if random.random() < 0.03:
        line = line[1:] or ["--"]
    if random.random() < 0.03:
        random.shuffle(line)
    return line


def check(case, line):
    folder = case.folder
    (folder / "empty.npz").write_bytes(b"")
    (folder / "text.txt").write_bytes(b"1 2 3\n")
    (folder / "weights.safetensors").write_bytes(formats.safetensors({"w": [2]}))
    (folder / "good.npz").write_bytes(formats.npz({name: formats.npy((2, 2)) for name in "QKVx"}))
    (folder / "folder").mkdir()
    if "run" in line:
        case.tracer("train", *small("reverse"), "--epochs", "1", "--folder", "run")
    result = case.tracer(*line)
    if result.timed_out and line[0] == "train" and result.out:
        return  # long, and says so
    if not case.expect(not result.timed_out and 0 <= result.code <= 4, result.outcome(), result):
        return
    tells = any(words.startswith(b"error:") for words in result.err.splitlines())
    case.expect(tells == (result.code >= 2), f"{result.outcome()}, {'an' if tells else 'no'} error message", result)
    if result.code >= 2:
        first = next((words for words in result.err.splitlines() if not words.startswith(b"note:")), b"")
        case.expect(first.startswith(b"error:"), "the error message is not what stderr begins with", result)
