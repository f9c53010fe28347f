"""Writing: which token comes next, the most likely, one that is drawn, or that of the best sequence."""
import re
import torch

PAD, START, END, IGNORED = 0.0, 1.0, 2.0, -1.0


def everywhere(line):
    """the same line at both places"""
    return line, line


def column(tokens):
    return tokens.unsqueeze(-1)


def likelihoods(s):
    return s["next" if s.has("next") else "logits"]


GREEDY = {
    "next/first-position": lambda s: s["logits"][:, 0].softmax(-1),
    "next/not-renormalised": lambda s: s["tempered"].softmax(-1) * torch.isfinite(s.input(0)),
    "logits/from-first": lambda s: s.input(0)[s["/prompt"][:, :1].long()],
    "logits/column": lambda s: s.input(0).T[s.input(1).long()],
    "written/from-prompt": lambda s: torch.cat([s["/prompt"][0, -1:], s.right[:-1]]),
    "token/first-sentence": lambda s: s.right[:1].expand(s.right.shape),
    "token/no-end": lambda s: likelihoods(s)[:, 3:].argmax(-1, keepdim=True) + 3,
    "token/no-padding": lambda s: likelihoods(s)[:, 1:].argmax(-1, keepdim=True) + 1,
    "token/no-specials": lambda s: likelihoods(s)[:, 4:].argmax(-1, keepdim=True) + 4,
    "token/not-fed": lambda s: torch.full_like(s.right, START),
    "token/one-more": lambda s: (s["next"].argmax(-1, keepdim=True) + 1) % s["next"].shape[-1],
    "token/probability": lambda s: s["next"].amax(-1, keepdim=True),
    "token/score": lambda s: s["logits"].flatten(1, -2)[:, -1:].amax(-1) if s["logits"].dim() == 3 else s["logits"].amax(-1, True),
    "token/same-context": lambda s: s[f"/{s.path.rpartition('step/')[0]}step/0/token"],
    "token/second": lambda s: s["next"].topk(2).indices[:, 1:],
    "token/smallest": lambda s: s["next"].argmin(-1, keepdim=True),
}


def temperature(s):
    return s.input(1)


THETA = 1.7  # of the specimen's repetition penalty


def penalised(line, where=lambda there: there):
    """line(logits) where a word was there"""
    return lambda s: torch.where(where(s.input(0) > 0), line(s.input(2)), s.input(2))


def less(logits):
    return torch.where(logits > 0, logits / THETA, logits * THETA)


def tokens_so_far(s):
    if s.has("tokens"):
        return s["tokens"]
    before = range(int(re.search(r"(?:^|/)step/(\d+)", s.scope)[1]))
    return torch.cat([s["/prompt"], *(s[f"/step/{number}/token"] for number in before)], -1)


def each_time(s):
    """by θ for each time that a word was there"""
    times = torch.stack([torch.bincount(row.long(), minlength=s.right.shape[-1]) for row in tokens_so_far(s)])
    return torch.where(s.input(2) > 0, s.input(2) / THETA**times, s.input(2) * THETA**times)


PENALISED = {
    "penalised/all": penalised(less, torch.ones_like),
    "penalised/each-time": each_time,
    "penalised/divided": penalised(lambda logits: logits / THETA),
    "penalised/forbidden": penalised(lambda logits: torch.full_like(logits, -torch.inf)),
    "penalised/inverse": penalised(lambda logits: torch.where(logits > 0, logits * THETA, logits / THETA)),
    "penalised/left-out": lambda s: s.input(2),
    "penalised/multiplied": penalised(lambda logits: logits * THETA),
    "penalised/others": penalised(less, torch.logical_not),
    "penalised/subtracted": penalised(lambda logits: logits - THETA),
}


def kept(s):
    """how many words of each row can be drawn"""
    return torch.isfinite(s.right).sum(-1)


def only(s, count, largest=True):
    """−∞ for all but so many of the most likely"""
    out = torch.full_like(s.right, -torch.inf)
    for row, number, logits in zip(out, count, s.input(0)):
        left = logits.topk(int(number), largest=largest).indices
        row[left] = logits[left]
    return out


def first(is_it):
    """the first column where it is so"""
    return is_it.int().argmax(-1, keepdim=True)


def last(is_it):
    return is_it.shape[-1] - 1 - first(is_it.flip(-1))


def gathered(s):
    """the logits in order, those left out hidden, gathered once more by the order's indices"""
    ranked, order = s.input(0).sort(stable=True, dim=-1, descending=True)
    hidden = torch.arange(ranked.shape[-1]) >= kept(s).unsqueeze(-1)
    return ranked.masked_fill(hidden, -torch.inf).gather(-1, order)


SAMPLING = {
    "drawn/before": lambda s: last(s["next"].cumsum(-1) <= column(s["u"])),
    "drawn/most-likely": lambda s: s["next"].argmax(-1, keepdim=True),
    "drawn/no-sum": lambda s: first(s["next"] > column(s["u"])),
    "drawn/one-more": lambda s: s.right + 1,
    "drawn/uniform": lambda s: column((s["u"] * s["next"].shape[-1]).floor()),
    "kept/inverted": lambda s: s.input(0).masked_fill(torch.isfinite(s.right), -torch.inf),
    "kept/others-zero": lambda s: s.input(0).masked_fill(~torch.isfinite(s.right), 0),
    "tempered/left-out": lambda s: s.input(0),
    "tempered/multiplied": lambda s: s.input(0) * temperature(s),
    "tempered/of-probabilities": lambda s: s.input(0).softmax(-1) / temperature(s),
    "tempered/squared": lambda s: s.input(0) / temperature(s)**2,
    "top_k/left-out": lambda s: s.input(0),
    "top_k/one-fewer": lambda s: only(s, kept(s) - 1),
    "top_k/one-more": lambda s: only(s, kept(s) + 1),
    "top_k/smallest": lambda s: only(s, kept(s), largest=False),
    "top_p/gathered": gathered,
    "top_p/left-out": lambda s: s.input(0),
    "top_p/most-likely-alone": lambda s: only(s, torch.ones_like(kept(s))),
    "top_p/sorted-mask": lambda s: s.input(0).masked_fill(torch.arange(s.right.shape[-1]) >= kept(s).unsqueeze(-1), -torch.inf),
    "top_p/one-fewer": lambda s: only(s, kept(s) - 1),
    "top_p/one-more": lambda s: only(s, kept(s) + 1),
}


def so_far(s):
    return s.input(0)


def best(s):
    """the best sums of all sequences, of which row and column are asked for"""
    return s["log_probability"].flatten().topk(len(s.right)).indices


def chosen(s):
    """the sums of the sequences that go on"""
    return s["log_probability"][s["parent"].long().flatten(), s["token"].long().flatten()].unsqueeze(-1)


def n(s):
    """how many words are written"""
    return s["length"] if s.has("length") else int(s.path.split("/")[-2]) + 1


ALPHA = 0.8  # of the specimen's length penalty


def score(wrong):
    """of a formula of log_probability and n"""
    return lambda s: wrong(s["complete"] if s.has("complete") else chosen(s), n(s))


def those(s, is_left):
    """−∞ for the other sequences"""
    return s.right.masked_fill(~is_left, -torch.inf)


def best_sum(s):
    """of the step at which each has ended; of those that were cut off, anything"""
    return torch.stack([s[f"/step/{int(length) - 1}/log_probability"].max() for length in s["length"]]).unsqueeze(-1)


def on_and_on(s):
    """what beams of two write where no token is the end"""
    table, beams = s["table"].log_softmax(-1), [([], torch.tensor(0.0), int(s["prompt"][0, -1]))]
    for _ in range(int(s.settings["tokens"])):
        longer = [([*tokens, word], so_far + own, word) for tokens, so_far, last in beams for word, own in enumerate(table[last])]
        beams = sorted(longer, key=lambda each: -each[1])[:int(s.settings["beam"])]
    return torch.tensor(beams[0][0], dtype=torch.float64)


def score_before(s):
    number = int(re.search(r"(?:^|/)step/(\d+)", s.scope)[1])
    return s["/" + re.sub(r"((?:^|/)step/)\d+", rf"\g<1>{number - 1}", s.scope) + "/score"]


BEAM_SEARCH = {
    "log_probability/of-scores": lambda s: score_before(s) + s["next"].log(),
    "log_probability/first-beam": lambda s: so_far(s)[:1] + s["next"].log(),
    "log_probability/of-logits": lambda s: so_far(s) + (
        s["logits"] if s["logits"].dim() == 2 else s["logits"][..., -1, :]),
    "log_probability/never-branches": lambda s: s.right.masked_fill(s.right < s.right.max(-1, keepdim=True).values, -torch.inf),
    "log_probability/no-logarithm": lambda s: so_far(s) + s["next"],
    "log_probability/other-logarithm": lambda s: so_far(s) + s["next"].log10(),
    "log_probability/product": lambda s: so_far(s) * s["next"].log(),
    "log_probability/product-of-surprises": lambda s: -so_far(s) * s["next"].log(),
    "log_probability/subtracted": lambda s: so_far(s) - s["next"].log(),
    "log_probability/this-step-alone": lambda s: s["next"].log(),
    "parent/column": lambda s: column(best(s) % s["log_probability"].shape[-1]),
    "parent/each-itself": lambda s: column(torch.arange(len(s.right))),
    "score/best-beam-alone": lambda s: those(s, (s["length"] == s["length"].max()) | (s["complete"] >= best_sum(s))),
    "score/complete-dropped": lambda s: those(s, s["length"] == s["length"].max()),
    "score/first-complete": lambda s: those(s, s["length"] == s["length"].min()),
    "score/by-length": score(lambda sum, n: sum / n),
    "score/multiplied": score(lambda sum, n: sum * ((5 + n) / 6)**ALPHA),
    "score/no-penalty": score(lambda sum, n: sum),
    "score/no-power": score(lambda sum, n: sum / ((5 + n) / 6)),
    "score/not-by-six": score(lambda sum, n: sum / (5 + n)**ALPHA),
    "score/one-fewer": score(lambda sum, n: sum / ((4 + n) / 6)**ALPHA),
    "score/one-more": score(lambda sum, n: sum / ((6 + n) / 6)**ALPHA),
    "score/with-prompt": lambda s: score(lambda sum, n: sum / ((5 + n + s["/prompt"].shape[-1]) / 6)**ALPHA)(s),
    "score/sign": score(lambda sum, n: -sum / ((5 + n) / 6)**ALPHA),
    "written/past-end": on_and_on,
    "token/each-its-own": lambda s: s["log_probability"].argmax(-1, keepdim=True),
    "token/first-row": lambda s: s.right[:1].expand(s.right.shape),
}


def is_written(s):
    return s.input(1)


def written_of(s, x):
    """of each row the number of the word that is written there"""
    return x.gather(-1, s["written"].long().unsqueeze(-1)).squeeze(-1)


def behind_end(tokens):
    """from the place behind <end> on"""
    return ((tokens == END).cumsum(-1) - (tokens == END).long()) > 0


def teacher_forced(s):
    """up to <end>, and <pad> behind it"""
    said = s["logits"].argmax(-1).double()
    out = torch.full_like(s.right, PAD)
    out[:, :said.shape[-1]] = said.masked_fill(behind_end(said), PAD)
    return out


WRITTEN = {
    "certainty/behind-end": lambda s: written_of(s, s["read/softmax"]),
    "certainty/first-row": lambda s: written_of(s, s["read/softmax"][:, :1].expand_as(s["read/softmax"])) * is_written(s),
    "certainty/logarithm": lambda s: written_of(s, s["read/softmax"]).log() * is_written(s),
    "certainty/product": lambda s: written_of(s, s["read/softmax"]).cumprod(-1) * is_written(s),
    "certainty/score": lambda s: written_of(s, s["read/logits"]) * is_written(s),
    "written/no-end": lambda s: s.right.masked_fill(s.right == END, PAD),
    "written/not-filled": lambda s: s.right.masked_fill(behind_end(s.right), IGNORED),
    "written/not-stopped": lambda s: s.input(0),
    "written/teacher-forced": teacher_forced,
    "translation/no-start": lambda s: torch.cat([s.right[:, 1:], torch.full_like(s.right[:, :1], PAD)], -1),
    "written/with-start": lambda s: torch.cat([torch.full_like(s.right[:, :1], START), s.right[:, :-1]], -1),
}

LINES = {
    **{key: everywhere(line) for key, line in {**GREEDY, **PENALISED, **SAMPLING, **BEAM_SEARCH}.items()},
    **WRITTEN,
}
