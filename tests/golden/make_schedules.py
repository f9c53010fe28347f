"""Writes train_schedules_torch.npz beside this file: learning rates by PyTorch's own schedulers.

"case/config" is text as bytes ("kind=linear warmup=5 …"), "case/steps" (updates made before), "case/rates": the rates with
which the update was made.
"""
import os
import warnings

import numpy as np
import torch
from torch.optim import lr_scheduler as lr

HERE = os.path.dirname(os.path.abspath(__file__))


def rates_of(make, rate, count):
    optimiser = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=rate)
    schedule, rates = make(optimiser), []
    for _ in range(count):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        schedule.step()
    return np.array(rates)


def line(start, end, steps):
    return lambda optimiser: lr.LinearLR(optimiser, start_factor=start, end_factor=end, total_iters=steps)


def one_after_another(parts, ends):
    return lambda optimiser: lr.SequentialLR(optimiser, [part(optimiser) for part in parts], milestones=ends)


def schedules():
    for rate, start, least, warmup, steps in ((1.0, 0.04, 4e-6, 29, 100), (0.5, 0.05, 0.001, 9, 20)):
        config = dict(kind="one-cycle", rate=rate, start=start, least=least, warmup=warmup, steps=steps)
        yield config, rates_of(lambda o: lr.OneCycleLR(o, rate, total_steps=steps, pct_start=(warmup + 1) / steps,
                                                       div_factor=rate / start, final_div_factor=start / least), rate, steps)
    for rate, start, least, warmup, steps in ((5e-4, 5e-5, 0, 10, 60), (1.0, 0.1, 0.25, 5, 40)):
        config = dict(kind="linear", rate=rate, start=start, least=least, warmup=warmup, steps=steps)
        parts = [line(start / rate, 1, warmup), line(1, least / rate, steps - warmup)]
        yield config, rates_of(one_after_another(parts, [warmup]), rate, steps + 5)
    for rate, start, least, warmup, decay, steps in ((1.0, 0.1, 0, 5, 10, 50), (0.5, 0.05, 0.05, 8, 4, 30)):
        config = dict(kind="wsd", rate=rate, start=start, least=least, warmup=warmup, decay=decay, steps=steps)
        parts = [line(start / rate, 1, warmup), lambda o: lr.ConstantLR(o, factor=1, total_iters=0), line(1, least / rate, decay)]
        yield config, rates_of(one_after_another(parts, [warmup, steps - decay]), rate, steps + 5)
    for counts, share in (("current", lambda t: t / 6), ("between", lambda t: t / 7)):
        config = dict(kind="linear", rate=0.5, warmup=6, steps=30, counts=counts)
        yield config, rates_of(lambda o: lr.LambdaLR(o, lambda n: share(n + 1) if n < 6 else (30 - n) / 24), 0.5, 30)


def text(config):
    return np.frombuffer(" ".join(f"{key}={value}" for key, value in config.items()).encode(), np.uint8)


def main():
    warnings.simplefilter("ignore")
    arrays = {"versions": np.frombuffer(f"torch {torch.__version__}".encode(), np.uint8)}
    for number, (config, rates) in enumerate(schedules()):
        arrays |= {f"case{number}/config": text(config), f"case{number}/steps": np.arange(len(rates), dtype=np.float64),
                   f"case{number}/rates": rates}
    np.savez_compressed(f"{HERE}/train_schedules_torch.npz", **arrays)


if __name__ == "__main__":
    main()
