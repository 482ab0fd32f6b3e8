#!/usr/bin/env python3
"""Makes vectors/*.json from protocol.md, with the standard library and no server code.

    python3 spec/make_vectors.py           writes the files
    python3 spec/make_vectors.py --check   compares the files with the output of this script

The trees follow the recursive definition of RFC 6962 and the picks use a full table, on purpose:
a verifier with a faster algorithm is tested against a different one.
"""
import hashlib
import hmac
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent / "vectors"


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


def canonical(value) -> str:
    """Encodes by RFC 8785 what the protocol allows: objects, arrays, printable ASCII and whole numbers up to 2^53 - 1."""
    if isinstance(value, dict):
        assert all(key.isascii() for key in value)
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, str):
        assert all(32 <= ord(char) < 127 for char in value)
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    assert type(value) is int and -(2**53) < value < 2**53
    return str(value)


def ticket(key: bytes, day: str) -> bytes:
    return hmac.new(key, b"roz/v1/ticket\n" + day.encode(), hashlib.sha256).digest()


def root(entries: list) -> bytes:
    if not entries:
        return sha(b"")
    if len(entries) == 1:
        return sha(b"\x00" + entries[0])
    cut = 1
    while cut * 2 < len(entries):
        cut *= 2
    return sha(b"\x01" + root(entries[:cut]) + root(entries[cut:]))


def local_randomness(secret: bytes, day: str, count: int, top: bytes) -> bytes:
    return sha(b"roz/v1/local\n" + secret + day.encode() + u64(count) + top)


def beacon_round(sealed_at_ms: int, genesis_s: int, period_s: int) -> int:
    draw_ms = sealed_at_ms + 15 * 60 * 1000
    whole, rest = divmod(draw_ms - genesis_s * 1000, period_s * 1000)
    return whole + (1 if rest else 0) + 1


def seed_of(day: str, count: int, top: bytes, chain: bytes, number: int, randomness: bytes) -> bytes:
    return sha(b"roz/v1/draw\n" + day.encode() + u64(count) + top + chain + u64(number) + randomness)


def picks(seed: bytes, count: int, wanted: int) -> list:
    table = list(range(count)) if count <= 100_000 else None
    moved = {}
    winners = []
    for j in range(min(wanted, count)):
        x = int.from_bytes(sha(b"roz/v1/pick\n" + seed + u64(j)), "big")
        r = j + x % (count - j)
        if table is not None:
            table[j], table[r] = table[r], table[j]
            winners.append(table[j])
        else:
            at_j, at_r = moved.get(j, j), moved.get(r, r)
            moved[j], moved[r] = at_r, at_j
            winners.append(at_r)
    return winners


def shares(count: int, split: dict, tax: dict) -> dict:
    pool = count * 100
    k = min(split["winners"], count)
    platform = pool * split["platform"] // 100
    prize = pool * split["reward"] // 100 // k if k else 0
    withheld = prize * tax["percent"] // 100 if prize > tax["above"] else 0
    return {"need": pool - platform - k * prize, "platform": platform, "pool": pool, "prize": prize, "tax": withheld, "winners": k}


POLICY_A = {"need": 60, "platform": 10, "policy": "A", "reward": 30, "winners": 1}
POLICY_B = {"need": 70, "platform": 0, "policy": "B", "reward": 30, "winners": 3}
NO_TAX = {"above": 0, "percent": 0}


def key(number: int) -> bytes:
    return sha(b"example key " + str(number).encode())


QUICKNET = {
    "beaconId": "quicknet",
    "chainHash": "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
    "genesis": 1692803367,
    "groupHash": "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    "mode": "beacon",
    "period": 3,
    "publicKey": "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    "scheme": "bls-unchained-g1-rfc9380",
}
# Published quicknet rounds: number, signature, randomness.
QUICKNET_ROUNDS = [
    (1, "b55e7cb2d5c613ee0b2e28d6750aabbb78c39dcc96bd9d38c2c2e12198df95571de8e8e402a0cc48871c7089a2b3af4b", "1466a6cd24e327188770752f6134001c64d6efcc590ccc26b721611ad96f165a"),
    (2, "b6b6a585449b66eb12e875b64fcbab3799861a00e4dbf092d99e969a5eac57dd3f798acf61e705fe4f093db926626807", "5782d6987841c654515a0e72b2d1ebb4e741234042c37cb19608ae50d93fb60c"),
    (3, "b3fab6df720b68cc47175f2c777e86d84187caab5770906f515ff1099cb01e4deaa027075d860823e49477b93c72bd64", "7ef4621ace1c6da4eb2eee7cd901f81385bca5b189771ec0f08d0d2566dd1a21"),
    (123, "b75c69d0b72a5d906e854e808ba7e2accb1542ac355ae486d591aa9d43765482e26cd02df835d3546d23c4b13e0dfc92", "fb8f7bc29bf24db51871ec8c79f3a1e4bd0557bc0dfcee9ed1d924e69d1c60dc"),
    (1000, "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39", "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"),
    (1000000, "83ad29e4c409f9470fc2ef02f90214df49e02b441a1a241a82d622d9f608ef98fd8b11a029f1bee9d9e83b45088abe72", "b22aad4794f7451896f7a371aa46106fd84d919f3f569acd5b2fddf1d1440af3"),
    (21000000, "971cbe88adc436f6411fd26d51887ede7ba144264cd05edec6645b5e170a7702d16082947a85d89c89cb47cd8eb7d817", "36ecd957580ee415f951370e2a5e13273be97de9072418aaf14d38242979e3c1"),
    (30662982, "8b3edd0d42a2fa36ac15641a2dea2e4f4895acec2ef72ef39e5b6138f0346fb6b046dde1b4b3d09ff5fe8a6a7acd674a", "ae76da5137c6d0a0d3b50d325948b26cc3ff1f804cd7bbca29b9250c2bfe8d67"),
    (30662990, "8b2ebe176d153849d5db7f358a3a21be96f8c5d1c26ed2b530fff4419face8909d77f4ee6a211623e2432c30841411b5", "aac361dad26f7e5f5c2460fa905ed6d4e2bf8d21ccb67bbe5100204475b56742"),
    (30662992, "b72a64269e84523a73a87db491505b6f1675dfc7f71c69026efdce3996f59ce2d1b446fc00c13beff7fcfd428053a534", "b21201bdbe54b1e3ca135bf319bbca22b90b8ae30944c4a6790f74267d074827"),
    (30663002, "b9e7e1e3d7d9cf17a9f4703abfae4c137acfbef1fdb45715a98422c244a499ea381c7fd759851ed8eeb8a03d778959b3", "2a231554933f6fd70314fa470152710fac3eba10d052cab996e8f30854fa7f55"),
]
# The two rounds that the examples use.
EARLIER = next(one for one in QUICKNET_ROUNDS if one[0] == 1000)
DRAWN = next(one for one in QUICKNET_ROUNDS if one[0] == 30663002)


def rfc6962() -> dict:
    leaves = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
    published = {
        "0": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "1": "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "2": "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "3": "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "4": "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "5": "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "6": "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "7": "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "8": "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    }
    for size, top in published.items():
        assert root([bytes.fromhex(leaf) for leaf in leaves[: int(size)]]).hex() == top
    return {"source": "RFC 6962 section 2.1; leaves of the transparency-dev/merkle test set", "leaves": leaves, "roots": published}


def tickets_of(day: str, count: int) -> list:
    return sorted(ticket(key(number), day) for number in range(count))


def ticket_vectors() -> list:
    cases = [(bytes(32), "2026-11-21"), (bytes([255] * 32), "2026-11-21"), (key(0), "2026-11-21"), (key(0), "2028-02-29"), (key(1), "2026-11-21")]
    return [{"key": k.hex(), "day": day, "ticket": ticket(k, day).hex()} for k, day in cases]


def seal_vectors() -> list:
    """Tickets of members 0 … n-1, in the order they joined; the seal sorts them."""
    day = "2026-11-21"
    out = []
    for count in [0, 1, 2, 3, 5, 8, 13, 100]:
        joined = [ticket(key(number), day) for number in range(count)]
        out.append({"count": count, "joined": [c.hex() for c in joined], "sorted": [c.hex() for c in sorted(joined)], "root": root(sorted(joined)).hex()})
    big = [ticket(key(number), day) for number in range(5000)]
    out.append({"count": 5000, "keys": "SHA-256 of the ASCII text `example key i`, i from 0", "day": day, "root": root(sorted(big)).hex()})
    return out


def randomness_vectors() -> dict:
    local = []
    for day, count, secret in [("2026-11-21", 1, bytes(32)), ("2026-11-21", 10, key(99)), ("2028-02-29", 5000, key(100))]:
        top = root(tickets_of(day, count))
        local.append({"secret": secret.hex(), "day": day, "count": count, "root": top.hex(), "commitment": sha(secret).hex(), "randomness": local_randomness(secret, day, count, top).hex()})
    beacon = []
    for number, signature, randomness in QUICKNET_ROUNDS:
        assert sha(bytes.fromhex(signature)).hex() == randomness
        beacon.append({"round": number, "message": sha(u64(number)).hex(), "signature": signature, "randomness": randomness})
    rounds = []
    for sealed_at in [1692803367000 - 900000, 1692803367001 - 900000, 1795198800000, 1795198800001, 1795199700999, 1795201200000]:
        rounds.append({"sealedAt": sealed_at, "genesis": 1692803367, "period": 3, "round": beacon_round(sealed_at, 1692803367, 3)})
    return {"quicknet": QUICKNET, "local": local, "beacon": beacon, "rounds": rounds}


def seed_vectors() -> list:
    out = []
    for day, count, chain, number, randomness in [
        ("2026-11-21", 10, sha(key(99)).hex(), 0, None),
        ("2026-11-21", 10, QUICKNET["chainHash"], 30663002, DRAWN[2]),
        ("2026-11-21", 2**40, QUICKNET["chainHash"], 1000, EARLIER[2]),
    ]:
        top = root(tickets_of(day, min(count, 10)))
        drawn = bytes.fromhex(randomness) if randomness else local_randomness(key(99), day, count, top)
        seed = seed_of(day, count, top, bytes.fromhex(chain), number, drawn)
        out.append({"day": day, "count": count, "root": top.hex(), "chainHash": chain, "round": number, "randomness": drawn.hex(), "seed": seed.hex()})
    return out


def picks_vectors() -> list:
    out = []
    for label, count, wanted in [("a", 1, 1), ("a", 2, 1), ("b", 2, 3), ("a", 3, 3), ("c", 10, 3), ("d", 10, 10), ("e", 10, 12), ("f", 1000, 100), ("g", 10_000_000, 3), ("h", 2**40, 5), ("i", 7, 0)]:
        seed = sha(b"example seed " + label.encode())
        out.append({"seed": seed.hex(), "count": count, "wanted": wanted, "positions": picks(seed, count, wanted)})
    return out


def order_vectors() -> list:
    """Requests for help in the order of a day's seed."""
    out = []
    for label, numbers in [("a", ["3F9A", "7K2M"]), ("b", ["3F9A", "7K2M"]), ("c", ["0000", "ZZZZ", "12345", "ABCDEF", "3F9A"]), ("d", [f"{n:04}" for n in range(100)])]:
        seed = sha(b"example seed " + label.encode())
        order = sorted(numbers, key=lambda number: sha(b"roz/v1/order\n" + seed + number.encode("ascii")).hex())
        out.append({"seed": seed.hex(), "numbers": numbers, "order": order})
    return out


def shares_vectors() -> list:
    out = []
    rewards_off = dict(POLICY_A, winners=0)
    for split in [POLICY_A, POLICY_B, rewards_off, dict(POLICY_B, winners=7)]:
        for count in [1, 2, 3, 7, 10, 333, 104233, 10_000_000]:
            for tax in [NO_TAX, {"above": 1_000_000, "percent": 30}]:
                out.append({"count": count, "split": split, "tax": tax, "shares": shares(count, split, tax)})
    return out


def day_records(day: str, draw: dict, split: dict, count: int, sealed_at: int, number: int, source: dict, randomness_of, tax: dict = NO_TAX) -> list:
    entries = tickets_of(day, count)
    top = root(entries)
    chain = bytes.fromhex(draw["chainHash"])
    randomness = randomness_of(count, top)
    seed = seed_of(day, count, top, chain, number, randomness)
    cut = shares(count, split, tax)
    winners = [{"amount": cut["prize"], "position": at, "tax": cut["tax"], "ticket": entries[at].hex()} for at in picks(seed, count, split["winners"])]
    return [
        {"day": day, "draw": draw, "kind": "open", "rules": sha(b"example rules").hex(), "split": split, "stake": 100, "tax": tax, "v": 1, "witnesses": {"keys": [], "quorum": 2}},
        {"count": count, "day": day, "kind": "close", "root": top.hex(), "round": number, "sealedAt": sealed_at, "v": 1},
        {"day": day, "kind": "result", "randomness": randomness.hex(), "seed": seed.hex(), "shares": {name: cut[name] for name in ("need", "platform", "pool")}, "v": 1, "winners": winners, **source},
    ]


def records_vectors() -> dict:
    secret = key(99)
    local = {"chainHash": sha(secret).hex(), "mode": "local"}
    number, signature, randomness = DRAWN
    sealed_at = (QUICKNET["genesis"] + (number - 1) * QUICKNET["period"]) * 1000 - 900_000
    assert beacon_round(sealed_at, QUICKNET["genesis"], QUICKNET["period"]) == number
    days = [
        day_records("2026-11-21", local, POLICY_A, 10, 1795285800000, 0, {"secret": secret.hex()}, lambda n, top: local_randomness(secret, "2026-11-21", n, top)),
        day_records("2026-11-22", local, POLICY_B, 10, 1795372200000, 0, {"secret": secret.hex()}, lambda n, top: local_randomness(secret, "2026-11-22", n, top)),
        day_records("2026-07-23", QUICKNET, POLICY_A, 7, sealed_at, number, {"signature": signature}, lambda n, top: bytes.fromhex(randomness)),
    ]
    singles = [
        {"day": "2026-11-23", "kind": "void", "reason": "empty", "returned": 0, "v": 1},
        {"day": "2026-07-23", "kind": "void", "reason": "beacon", "returned": 700, "v": 1},
        {"books": sha(b"example books").hex(), "day": "2026-11-21", "kind": "books", "v": 1},
    ]
    records = [record for day in days for record in day] + singles
    encoded = [canonical(record) for record in records]
    return {
        "tickets": "those of seal.json's keys: member i's key is SHA-256 of the ASCII text `example key i`",
        "records": [{"record": record, "canonical": text, "leaf": sha(b"\x00" + text.encode()).hex()} for record, text in zip(records, encoded)],
        "roots": [root([text.encode() for text in encoded[:size]]).hex() for size in range(len(encoded) + 1)],
    }


def main() -> int:
    import make_log_vectors  # which uses this file's functions

    made = {
        "rfc6962": rfc6962(),
        "ticket": ticket_vectors(),
        "seal": seal_vectors(),
        "randomness": randomness_vectors(),
        "seed": seed_vectors(),
        "picks": picks_vectors(),
        "order": order_vectors(),
        "shares": shares_vectors(),
        "records": records_vectors(),
        **make_log_vectors.made(),
    }
    wrong = 0
    for name, value in made.items():
        path = HERE / f"{name}.json"
        text = json.dumps(value, indent=1) + "\n"
        if "--check" in sys.argv:
            if not path.exists() or path.read_text() != text:
                print(f"{path.name} differs")
                wrong = 1
        else:
            HERE.mkdir(exist_ok=True)
            path.write_text(text)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
