"""How a sequence is pooled: [CLS], mean, maximum, attention."""
import torch

LINES = {
    "cls/at-end": lambda s: torch.cat([s.input(1), s.input(0)], -2),
}
