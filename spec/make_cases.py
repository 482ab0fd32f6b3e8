"""Prints damaged and dishonest copies of the example site as JSON, each with the result of verify.py.

    python3 spec/make_cases.py <seed> <how many>

verifier/test/two-verifiers.test.ts compares the other verifier with these results.
"""
import copy
import json
import random
import sys

import make_log_vectors as maker
from test_verify import DAY, FILES, Table
import verify as v

DAYS = [told["day"] for told in maker.site_vectors()["days"]]


def places(value, path=()):
    yield path
    for key in value if type(value) is dict else range(len(value)) if type(value) is list else []:
        yield from places(value[key], (*path, key))


def edited(value, drawn: random.Random):
    """Changes one random place: a number, a text, the length of a list or a key of an object."""
    value = copy.deepcopy(value)
    *way, last = drawn.choice([path for path in places(value) if path])
    inside = value
    for key in way:
        inside = inside[key]
    held = inside[last]
    if type(held) is int:
        inside[last] = drawn.choice([held + 1, max(held - 1, 0), 0, -held, 2 * held, 100])
    elif type(held) is str:
        at = drawn.randrange(len(held))
        inside[last] = drawn.choice([held[:at] + drawn.choice("0123456789abcdefPZ:-+=") + held[at + 1 :], "A", "beacon", "local", "empty", "2026-07-24", "0" * 64, "BANK"])
    elif type(held) is list and held:
        inside[last] = drawn.choice([held[1:], [*held, held[0]], held[::-1], []])
    elif type(inside) is dict and drawn.random() < 0.5:
        del inside[last]
    elif type(held) is dict:
        held["more"] = 1
    return value


def lie(drawn: random.Random) -> tuple:
    """Makes a site whose operator hashed, logged and signed wrong data."""
    kind, day = drawn.choice(["books", "draw", "more"]), drawn.choice(DAYS[:4])
    if kind == "books":
        return day, maker.example_site({"books": lambda told, books: edited(books, drawn) if told == day else books})
    if kind == "draw":
        at = drawn.randrange(3)
        return DAY, maker.example_site({"draw": lambda told: [edited(record, drawn) if at == index else record for index, record in enumerate(told)]})
    record = json.loads(drawn.choice(FILES["log/entries/0"].split(b"\n")[:-1]))
    return day, maker.example_site({"more": [drawn.choice([record, edited(record, drawn), {**record, "day": f"2026-07-{drawn.randrange(21, 31)}"}])]})


def damage(drawn: random.Random) -> tuple:
    """Makes a site that lost a file, or some bytes, rows or lines of a file."""
    day, path = drawn.choice(DAYS), drawn.choice(sorted(FILES))
    data = bytearray(FILES[path])
    lines, at = FILES[path].split(b"\n"), drawn.randrange(len(data))
    other = drawn.randrange(len(lines))
    data[at] ^= drawn.randrange(1, 256)
    changed = drawn.choice([None, bytes(data), FILES[path][:at], FILES[path] + bytes([data[at]]), b"\n".join(lines[:other] + lines[other + 1 :]), b"\n".join([*lines[:other], lines[0], *lines[other:]])])
    return day, {name: changed if name == path else kept for name, kept in FILES.items() if name != path or changed is not None}


def case(seed: str):
    drawn = random.Random(seed)
    try:
        day, files = drawn.choice([lie, damage])(drawn)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, AssertionError):
        # Too broken to make a site from.
        return None
    found = v.verify(Table(files), day, {"drand": maker.DRAWN[1]} if day == DAY else {})
    changed = {path: files[path].hex() if path in files else None for path in sorted({*files, *FILES}) if files.get(path) != FILES.get(path)}
    return {"seed": seed, "day": day, "changed": changed, "verdict": v.verdict_of(found), "steps": [list(step) for step in found if step[1] not in ("PASS", "-")]}


if __name__ == "__main__":
    print(json.dumps([made for number in range(int(sys.argv[2])) if (made := case(f"{sys.argv[1]} {number}"))]))
