"""The machine of bench/gpu: the GPU, its driver, and the frameworks that can be imported."""
import os
import pathlib
import shutil
import subprocess
import time

from side_by_side import last_line

repo = pathlib.Path(__file__).resolve().parent.parent
FRAMEWORKS = {"PyTorch": "torch", "JAX": "jax"}


def output_of(*command):
    try:
        done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=120)
        return done.stdout.strip() if done.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired):
        return ""


def find_gpu():
    """Name, memory and driver of the first GPU, or None."""
    answer = output_of("nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader").splitlines()
    if answer:
        return dict(zip(("gpu", "memory", "driver"), (word.strip() for word in answer[0].split(","))))
    return {"gpu": "unknown (no answer from nvidia-smi)"} if os.path.exists("/dev/nvidiactl") else None


def modules_of(python):
    """Which of the two frameworks a Python has, with their versions."""
    return {module: version for module in ("torch", "jax")
            if (version := output_of(python, "-c", f"import {module}; print({module}.__version__)"))}


def about_machine(gpu, pythons, rehearse):
    versions = {side: next((modules[name] for modules in pythons.values() if name in modules), None)
                for side, name in FRAMEWORKS.items()}
    nvcc = output_of(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "--version")
    return {"section": "machine", **(gpu or {}), "CUDA": last_line(nvcc) if nvcc else None,
            "Glassbox": output_of("git", "-C", repo, "describe", "--always", "--dirty"), **versions,
            "when": time.strftime("%Y-%m-%d %H:%M"), "rehearsal": rehearse}
