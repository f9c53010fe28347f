"""Markdown tables of the lines recorded by bench/gpu: medians over the rounds, (min – max), and the time of a peer
relative to Glassbox.

A line is a dictionary with its section ("attention", "encoder", …), side ("Glassbox", "PyTorch", "JAX"), way and
precision, and either figures (ms, seconds, peak_mb, …) or an error. All figures come from the lines.
"""
import statistics

REHEARSAL = "**REHEARSAL: no GPU. CUDA is emulated and the peers run on the CPU, at toy sizes. No figure here says anything about speed.**"


def short(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}" if x >= 1 else f"{x:.3g}"


def median(lines, key):
    values = [line[key] for line in lines if line.get(key) is not None]
    return statistics.median(values) if values else None


def spread(lines, key):
    """"median (min – max)"; the error where no line has the figure; – where there is no line."""
    values = [line[key] for line in lines if line.get(key) is not None]
    if not values:
        errors = [line["error"] for line in lines if "error" in line]
        return f"failed: {errors[-1]}" if errors else "–"
    text = short(statistics.median(values))
    return text if len(values) == 1 else f"{text} ({short(min(values))} – {short(max(values))})"


def times(peer, ours):
    return f"{peer / ours:.2f}×" if peer and ours else "–"


def table(header, rows):
    align = "|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|"
    return "\n".join(["| " + " | ".join(header) + " |", align] + ["| " + " | ".join(row) + " |" for row in rows])


def grouped(lines, key):
    """Lines by key(line), in the order in which keys first appear."""
    groups = {}
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return groups


def name(line):
    """"Glassbox recorded", "PyTorch fused, tf32": a side with its way and precision."""
    precision = line.get("precision", "fp32")
    return " ".join(word for word in (line["side"], line.get("way", "")) if word) + (f", {precision}" if precision else "")


# ---- attention -------------------------------------------------------------------------------------------------------


def attention(lines):
    out = []
    for what, some in grouped(lines, lambda line: line["what"]).items():
        by_side = grouped(some, name)
        ours = next((side for side in by_side if side.startswith("Glassbox")), None)
        by_T = {T: grouped(group, name) for T, group in grouped(some, lambda line: line.get("T")).items() if T}
        rows, memory = [], []
        for T, sides in sorted(by_T.items()):
            base = median(sides.get(ours, []), "ms")
            rows.append([str(T)] + [spread(sides.get(side, []), "ms") +
                                    ("" if side == ours else f" {times(median(sides.get(side, []), 'ms'), base)}")
                                    for side in by_side])
            held = {side: median(sides.get(side, []), "peak_mb") for side in by_side}
            memory.append([str(T)] + ["–" if mb is None else f"{short(mb)} ({mb * 2**20 / T:.0f})" for mb in held.values()])
        out += [f"{what}: ms", table(["T", *by_side], rows),
                f"{what}: peak MB, including inputs and outputs (bytes per position: constant where memory is linear)",
                table(["T", *by_side], memory)]
    return out


# ---- encoder ---------------------------------------------------------------------------------------------------------


def kind(line):
    return line["precision"].replace("-pure", "")  # fp32, tf32, bf16


def peaks(lines):
    """The best rate of one large product in each precision, GFLOP/s, of any side."""
    best = {}
    for line in lines:
        if line["section"] == "peak" and line.get("gflops"):
            best[kind(line)] = max(best.get(kind(line), 0), line["gflops"])
    return best


def encoder(lines, peak):
    """For each size and precision Glassbox and the best way of each peer; then all ways."""
    out, best_rows, all_rows = [], [], []
    for (batch, length), some in grouped(lines, lambda line: (line.get("batch"), line.get("length"))).items():
        if batch is None:
            continue
        for precision, group in grouped(some, kind).items():
            sides = grouped(group, name)
            medians = {side: median(figures, "ms") for side, figures in sides.items()}
            measured = [side for side in sides if medians[side]]

            def best(framework):
                return min((side for side in measured if side.startswith(framework)), key=medians.get, default=None)

            ours = best("Glassbox")
            base = medians.get(ours)
            row = [f"({batch}, {length}) {precision}", spread(sides[ours], "ms") if ours else "–"]
            flops = next((line["gflops"] * line["ms"] for line in sides.get(ours, []) if "gflops" in line), 0)
            rate = flops / base if base else 0
            row += [short(rate / 1e3) if rate else "–",
                    f"{100 * rate / peak[precision]:.0f} %" if rate and peak.get(precision) else "–"]
            for framework in ("PyTorch", "JAX"):
                side = best(framework)
                row += [f"{spread(sides[side], 'ms')} ({side.removeprefix(framework).strip()})" if side else "–",
                        times(medians.get(side), base)]
            best_rows.append(row)
            for side, figures in sides.items():
                all_rows.append([f"({batch}, {length})", side, spread(figures, "ms"), times(medians[side], base),
                                 short(mb) if (mb := median(figures, "peak_mb")) is not None else "–"])
    if peak:
        out.append("One large product: " + ", ".join(f"{precision} {short(rate / 1e3)} TFLOP/s" for precision, rate in peak.items()))
    out += [table(["(batch, length)", "Glassbox, ms", "TFLOP/s", "of product", "PyTorch's best, ms", "", "JAX, ms", ""], best_rows),
            "All ways:", table(["(batch, length)", "", "ms", "", "peak MB"], all_rows)]
    return out


# ---- training --------------------------------------------------------------------------------------------------------


def seconds_per_epoch(line):
    """Seconds per epoch: the median without the first, which includes all startup costs."""
    ends = line.get("epochs") or []
    later = [after - before for before, after in zip(ends, ends[1:])]
    return statistics.median(later) if later else None


def training(lines):
    rows = []
    for precision, some in grouped(lines, lambda line: line["precision"]).items():
        sides = grouped([{**line, "epoch": seconds_per_epoch(line), "context": line["start_ms"] / 1e3 if "start_ms" in line else None}
                         for line in some], name)
        ours = next((side for side in sides if side.startswith("Glassbox")), None)
        for side, figures in sides.items():
            row = [side, spread(figures, "process"), times(median(figures, "process"), median(sides.get(ours, []), "process")),
                   spread(figures, "seconds"), times(median(figures, "seconds"), median(sides.get(ours, []), "seconds"))]
            row += [short(value) if (value := median(figures, key)) is not None else "–"
                    for key in ("context", "first_step", "epoch", "solved")]
            accuracy, steps = median(figures, "accuracy"), median(figures, "steps")
            row += [f"{100 * accuracy:.2f} %" if accuracy is not None else "–", f"{steps:.0f}" if steps else "–"]
            rows.append(row)
    return [table(["seconds", "process", "", "training", "", "context", "first step", "epoch", "100 % after", "validation", "steps"], rows)]


# ----------------------------------------------------------------------------------------------------------------------


def checks(lines):
    return [table(["what", "result", "seconds"],
                  [[line["what"], "ok" if line["ok"] else f"FAILED: {line['detail']}", short(line["seconds"])] for line in lines])]


def softmax(lines):
    return ["```text\n" + line["text"].rstrip() + "\n```" for line in lines]


TITLES = {"check": "Checks", "attention": "Attention, 8 heads of 64, batch 1",
          "encoder": "Encoder (6 layers, d_model 512, 8 heads, d_ff 2048), forward",
          "encoder-step": "Encoder, a training step: forward, backward, AdamW",
          "reversal": "Reversal, the tutorial's settings, full runs", "anomaly": "Set anomaly, the tutorial's model and batch",
          "whole": "Set anomaly, a full run with the tutorial's settings", "softmax": "Softmax kernels of lesson 15"}


def machine(line):
    words = [f"{key}: {line[key]}" for key in ("gpu", "memory", "driver", "CUDA", "Glassbox", "PyTorch", "JAX", "when") if line.get(key)]
    return " · ".join(words)


def markdown(lines):
    """All tables, in the order of TITLES."""
    by_section = grouped(lines, lambda line: line["section"])
    machines = by_section.get("machine", [])
    rehearsed = any(line.get("rehearsal") for line in machines)
    out = ["# Benchmarks on a GPU"] + ([REHEARSAL] if rehearsed else []) + list(dict.fromkeys(map(machine, machines)))
    for section, title in TITLES.items():
        some = by_section.get(section)
        if not some:
            continue
        out.append(f"## {title}" + (" (REHEARSAL)" if rehearsed else ""))
        if section in ("encoder", "encoder-step"):
            out += encoder(some, peaks(lines))
        else:
            out += {"attention": attention, "check": checks, "softmax": softmax}.get(section, training)(some)
    for section in ("failed", "left out"):
        out += list(dict.fromkeys(f"{section.capitalize()}: {line['what']}" for line in by_section.get(section, [])))
    return "\n\n".join(out) + "\n"
