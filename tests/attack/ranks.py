"""Training in several processes: the bits of one process; ranks that differ are rejected with the option's name."""

import os
import random
import re
import shutil

from shared import run, words
from trained import OF_TASK, WITH_SETTINGS, numbers, small

ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
               "GLASSBOX_NUM_THREADS": "1"}

VARIANTS = {"plain": [], "dropout": ["--dropout", "0.1"], "momentum": ["--optimiser", "sgd", "--momentum", "0.9"]}

# For each option a value other than a small run's, and the options that both ranks get in addition.
DIFFERENT = {
    "convention": ("reverse", "uva-torch", []),
    "dmodel": ("reverse", "8", []),
    "heads": ("reverse", "2", []),
    "layers": ("reverse", "2", []),
    "dff": ("reverse", "16", []),
    "norm": ("reverse", "pre", []),
    "activation": ("reverse", "gelu", []),
    "pooling": ("sequence", "max", []),
    "dropout": ("reverse", "0.1", []),
    "input-dropout": ("reverse", "0.1", []),
    "seq": ("reverse", "7", []),
    "categories": ("reverse", "9", []),
    "examples": ("reverse", "352", []),
    "validation": ("reverse", "96", []),
    "test": ("reverse", "96", []),
    "data-seed": ("reverse", "7", []),
    "question": ("sequence", "parity", []),
    "spread": ("anomaly", "1", ["--epochs", "1"]),
    "epochs": ("reverse", "3", []),
    "batch": ("reverse", "16", []),
    "rate": ("reverse", "0.002", []),
    "schedule": ("reverse", "constant", []),
    "warmup": ("reverse", "6", []),
    "optimiser": ("reverse", "adamw", []),
    "beta1": ("reverse", "0.8", []),
    "beta2": ("reverse", "0.9", []),
    "epsilon": ("reverse", "1e-6", []),
    "momentum": ("reverse", "0.5", ["--optimiser", "sgd"]),
    "weight-decay": ("reverse", "0.1", ["--optimiser", "adamw"]),
    "clip": ("reverse", "0.5", []),
    "label-smoothing": ("copy", "0.1", []),
    "seed": ("reverse", "43", []),
    "validate-every": ("reverse", "2", []),
    "average": ("reverse", "2", []),
    "mistake": ("reverse", "scaled/no-root", []),
    "tokens": ("translate", "characters", []),
    "vocabulary": ("translate", "100", []),
    "min-count": ("translate", "2", []),
    "lower": ("translate", "none", []),
    "vocabularies": ("translate", "shared", []),
    "tie": ("translate", "target", []),
    "model": ("forecast", "encoder-decoder", []),
    "encoding": ("forecast", "sinusoidal", []),
    "time-width": ("forecast", "3", []),
    "head": ("forecast", "last", []),
    "window-norm": ("forecast", "revin", []),
    "window": ("forecast", "20", []),
    "horizon": ("forecast", "4", []),
    "season": ("forecast", "12", []),
    "split": ("forecast", "0.6,0.2,0.2", []),
    "scale": ("forecast", "none", []),
    "length": ("forecast", "450", []),
    "periods": ("forecast", "12,50", []),
    "amplitudes": ("forecast", "1,1", []),
    "trend": ("forecast", "2", []),
    "shift": ("forecast", "1", []),
    "noise": ("forecast", "0.1", []),
}

# These do not change numbers, need files or a GPU, or write no run.
LEFT_OUT = """features test-features pairs source target corpus series column time-column times missing pieces folder resume no-files log tensorboard save-every log-every threads backend
products eager step number precision format output help""".split()


def attack(t):
    if not shutil.which("mpirun"):
        return "left out: no mpirun"
    if not os.path.exists(os.path.join(os.path.dirname(t.tracer), "glassbox_mpi.so")):
        return "left out: tracer was built without MPI"
    same_bits(t)
    differ(t)
    return None


def mpirun(case, *parts, timeout=60):
    """parts: (number of ranks, their options), one after the other."""
    command = ["mpirun"]
    for count, arguments in parts:
        command += [":"] if len(command) > 1 else ["--oversubscribe"]
        command += ["-n", str(count), case.attack.tracer, "train", *arguments]
    result = run(command, cwd=case.folder, env=ENVIRONMENT, timeout=timeout)
    settings = " ".join(f"{name}={value}" for name, value in ENVIRONMENT.items())
    return result, f"env {settings} " + words(command)


def same_bits(t):
    """Every task in every variant on 1 to 9 ranks; the quick version has all tasks without variants, and the variants of one."""
    chosen = random.Random(t.seed).choice(list(OF_TASK))
    for task in [*OF_TASK, *WITH_SETTINGS]:
        for variant, extra in VARIANTS.items():
            if not t.full and variant != "plain" and task != chosen:
                continue
            # As many pieces as the batch has: fewer ranks than pieces, as many, and more.
            options = small(task) + extra + ["--batch", "64"]
            if task in OF_TASK:
                options += ["--epochs", "1"] if task == "anomaly" else ["--seq", "12"]
            for one in t.case(f"{task} {variant} alone"):
                alone = one.tracer("train", *options, "--folder", "run")
                one.expect(alone.code == 0, alone.outcome(), alone)
                counts = range(1, 10) if t.full else [one.random.randrange(2, 10)]
                for case in t.cases([f"{task} {variant} {count} ranks" for count in counts]):
                    count = int(case.name.split()[2])
                    result, command = mpirun(case, (count, [*options, "--folder", "run"]))
                    if not case.expect(result.code == 0, result.outcome(), command):
                        continue
                    for name in "best.safetensors", "last.safetensors":
                        is_same = numbers(one.folder / "run" / name) == numbers(case.folder / "run" / name)
                        case.expect(is_same, f"{name} differs from one process's", command)


def differ(t):
    names = list(DIFFERENT)
    for case in t.case("every option is known"):
        shown = case.tracer("train", "--help").out.decode()
        unknown = set(re.findall(r"--([a-z0-9-]+)", shown[shown.index("Arguments:"):])) - {*DIFFERENT, *LEFT_OUT}
        case.expect(not unknown, f"this attack does not know {sorted(unknown)}", ["tracer", "train", "--help"])
        if not t.full:
            names = case.random.sample(names, 6)
    for case in t.cases([f"other {name}" for name in names]):
        name = case.name.split()[1]
        task, value, both = DIFFERENT[name]
        options = [*small(task), *both, "--no-files"]
        result, command = mpirun(case, (1, options), (1, [*options, f"--{name}", value]), timeout=20)
        case.expect(result.code == 2, result.outcome(), command)
        case.expect(result.seconds <= 10, f"refused after {result.seconds:.1f} s", command)
        case.expect(f"--{name}".encode() in result.err, f"the message does not name --{name}", command)
    for case in t.case("other task"):
        result, command = mpirun(case, (1, [*small("copy"), "--no-files"]), (1, [*small("sort"), "--no-files"]),
                                 timeout=20)
        case.expect(result.code == 2 and result.seconds <= 10, result.outcome(), command)
