"""Shared by the peers: the device, its timing and memory, and the precision of products.

The device is synchronised before the clock is read. Figures are dictionaries, printed as one line of JSON each.
Precisions have the same names for both frameworks; TF32 is set explicitly in both:
    fp32       all 24 bits                          tf32       products in TF32, everything stored in FP32
    bf16       PyTorch: autocast, weights in FP32   bf16-pure  weights and activations stored in bfloat16
"""
import contextlib
import json
import os
import statistics
import time

PRECISIONS = ("fp32", "tf32", "bf16", "bf16-pure")


def process_peak_mb():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024


def times_of(seconds, f, wait=lambda result: None):
    """Median and minimum ms of f, run at least three times after a warm-up of a tenth of the seconds."""
    begin = time.perf_counter()
    wait(f())
    while time.perf_counter() - begin < seconds / 10:
        wait(f())
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        wait(f())
        times.append((time.perf_counter() - start) * 1e3)
    return {"ms": statistics.median(times), "least_ms": min(times)}


def report(figure):
    print(json.dumps(figure), flush=True)


def attempts(make, about):
    """Reports make()'s figure, or why there is none: out of memory, or not in this version."""
    try:
        report({**about, **make()})
    except Exception as error:  # any error: the other figures are still wanted
        report({**about, "error": (str(error).strip().splitlines() or [type(error).__name__])[0][:200]})


class Torch:
    """PyTorch on a device: "cpu" or "cuda"."""

    def __init__(self, device, threads=None):
        import torch
        self.torch, self.device = torch, device
        if threads:
            torch.set_num_threads(threads)
        begin = time.perf_counter()
        self.on_gpu = device != "cpu"
        if self.on_gpu:
            torch.zeros(1, device=device)
        self.wait()
        self.start_ms = (time.perf_counter() - begin) * 1e3

    def wait(self, result=None):
        if self.on_gpu:
            self.torch.cuda.synchronize()

    def reset_peak_use(self):
        if self.on_gpu:
            self.torch.cuda.empty_cache()
            self.torch.cuda.reset_peak_memory_stats()

    def about(self):
        """Common fields of all figures. Peak memory of tensors and peak reserved GPU memory; or the process's peak."""
        cuda = self.torch.cuda
        memory = ({"peak_mb": round(cuda.max_memory_allocated() / 2**20, 3),
                   "held_mb": round(cuda.max_memory_reserved() / 2**20, 3)} if self.on_gpu
                  else {"peak_mb": round(process_peak_mb(), 3)})
        return {**memory, "backend": self.device, "start_ms": round(self.start_ms, 1),
                "threads": self.torch.get_num_threads(), "torch": self.torch.__version__}

    def use(self, precision):
        """Sets the precision. Returns the storage type and a context for forward passes."""
        torch = self.torch
        tf32 = precision != "fp32"
        if hasattr(torch, "set_float32_matmul_precision"):
            torch.set_float32_matmul_precision("high" if tf32 else "highest")
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        if precision == "bf16":  # no cache: a graph must capture the casts
            return torch.float32, lambda: torch.autocast(self.device, dtype=torch.bfloat16, cache_enabled=False)
        return (torch.bfloat16 if precision == "bf16-pure" else torch.float32), contextlib.nullcontext

    def recorded(self, f, warm_up=3):
        """f as a CUDA graph, after `warm_up` runs; f itself on the CPU. Capturing does not run it."""
        torch = self.torch
        self.warmed_up(f, warm_up)
        if not self.on_gpu:
            return f
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            f()
        return graph.replay

    def warmed_up(self, f, times=3):
        """Runs f in a side stream, as required before capture."""
        if not self.on_gpu:
            return [f() for _ in range(times)]
        stream = self.torch.cuda.Stream()
        stream.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(stream):
            for _ in range(times):
                f()
        self.torch.cuda.current_stream().wait_stream(stream)

    def optimiser(self, kind, parameters, rate, recordable=False):
        """Adam or AdamW in the fastest form available here, and the form's name."""
        torch = self.torch
        parameters = list(parameters)
        for form in ("fused", "foreach"):
            try:
                probe = torch.nn.Parameter(torch.zeros(1, device=self.device))
                probe.grad = torch.zeros_like(probe)
                kind([probe], **{form: True}).step()
            except (TypeError, RuntimeError, ValueError):
                continue
            # A graph reads the learning rate from the device.
            if recordable and self.on_gpu:
                return kind(parameters, lr=torch.tensor(rate, device=self.device), capturable=True, **{form: True}), form
            return kind(parameters, lr=rate, **{form: True}), form
        return kind(parameters, lr=rate), "loop"


class Jax:
    """JAX on a device. Make one before anything imports jax."""

    def __init__(self, device, threads=None):
        os.environ["JAX_PLATFORMS"] = device
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else it reserves three quarters of the memory
        if device == "cpu" and threads == 1:
            os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
            os.sched_setaffinity(0, {0})
        import jax
        self.jax, self.device = jax, device
        begin = time.perf_counter()
        jax.numpy.zeros(1).block_until_ready()
        self.start_ms = (time.perf_counter() - begin) * 1e3

    def wait(self, result):
        self.jax.block_until_ready(result)

    def reset_peak_use(self):
        pass  # not possible: memory is only right with one size per run

    def about(self):
        memory = self.jax.devices()[0].memory_stats() or {}
        peak = memory["peak_bytes_in_use"] / 2**20 if memory else process_peak_mb()
        return {"peak_mb": round(peak, 3), "backend": self.device, "start_ms": round(self.start_ms, 1),
                "jax": self.jax.__version__}

    def use(self, precision):
        """Sets the precision; returns the storage type."""
        jax = self.jax
        if precision == "bf16":
            raise ValueError("JAX has no autocast: bf16-pure")
        jax.config.update("jax_default_matmul_precision", "highest" if precision == "fp32" else "tensorfloat32")
        return jax.numpy.bfloat16 if precision == "bf16-pure" else jax.numpy.float32
