"""Arrays made of a name and positions alone, the very ones that StartValues makes for Oxbow."""

import math

import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
PART = 1 << 25


def wrapped(number):
    """As a 64-bit number with sign, which is all that PyTorch has."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def seed(name):
    """What Java calls the hash code of a string."""
    total = 0
    for letter in name:
        total = (31 * total + ord(letter)) % (1 << 32)
    return total - (1 << 32) if total >= 1 << 31 else total


def shifted(z, bits):
    """z >>> bits; PyTorch's shift keeps the sign."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def mixed(name, begin, end):
    """Splitmix64 of the positions from begin to end."""
    z = torch.arange(begin + 1, end + 1, dtype=torch.int64, device=DEVICE) * wrapped(STEP) + seed(name)
    z = (z ^ shifted(z, 30)) * wrapped(FIRST)
    z = (z ^ shifted(z, 27)) * wrapped(SECOND)
    return z ^ shifted(z, 31)


def in_parts(dtype, shape, make):
    size = math.prod(shape)
    parts = [make(i, min(i + PART, size)).to(dtype) for i in range(0, size, PART)]
    return torch.cat(parts).reshape(shape)


def normal(name, deviation, *shape, dtype=torch.float32):
    """Nearly normal: the sum of the four 16-bit fields of each number."""
    scale = torch.tensor(deviation * math.sqrt(3 / 4294967295), dtype=torch.float32, device=DEVICE)

    def make(begin, end):
        z = mixed(name, begin, end)
        fields = (z & 0xFFFF) + (shifted(z, 16) & 0xFFFF) + (shifted(z, 32) & 0xFFFF) + shifted(z, 48)
        return (fields - 131070).to(torch.float32) * scale

    return in_parts(dtype, shape, make)


def whole(name, bound, *shape):
    """Whole numbers below the bound."""
    return in_parts(torch.int64, shape, lambda begin, end: shifted(mixed(name, begin, end), 33) % bound)


def constant(value, *shape):
    return torch.full(shape, value, dtype=torch.float32, device=DEVICE)
