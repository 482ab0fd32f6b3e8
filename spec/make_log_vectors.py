"""Makes the vectors of chapters 9 to 15: keys, checkpoints, witnesses, receipts, books, liabilities, files.

- make_vectors.py imports this module.
- Trees and proofs follow their recursive definitions, on purpose: verifiers use faster algorithms.
- Curve arithmetic comes from verify.py. The published signatures of RFC 8032 test it here.
"""
import base64
import hashlib
import hmac

from make_vectors import (
    NO_TAX, POLICY_A, POLICY_B, QUICKNET, DRAWN, canonical, day_records, key, local_randomness, root, sha, ticket, tickets_of, u64,
)
from verify import BASE, ORDER, P, add_points, day_start_ms, point_of, signed_by, times

ORIGIN = "roz.example/log"


# --- Ed25519, RFC 8032 5.1.5 and 5.1.6 ------------------------------------------------------------


def encoded(point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def halves(secret: bytes):
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | (1 << 254)
    return scalar, digest[32:]


def public_of(secret: bytes) -> bytes:
    return encoded(times(halves(secret)[0], BASE))


def sign(secret: bytes, message: bytes) -> bytes:
    scalar, prefix = halves(secret)
    public = encoded(times(scalar, BASE))
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % ORDER
    nonce = encoded(times(r, BASE))
    k = int.from_bytes(hashlib.sha512(nonce + public + message).digest(), "little") % ORDER
    return nonce + ((r + k * scalar) % ORDER).to_bytes(32, "little")


def ed25519_vectors() -> dict:
    """RFC 8032, 7.1, tests 1 to 3, and signatures that a verifier must refuse."""
    published = [
        ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"),
        ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "72", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
        ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", "af82", "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"),
    ]
    signatures = [
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ]
    valid, invalid = [], []
    for (secret, message, public), signature in zip(published, signatures):
        seed, text = bytes.fromhex(secret), bytes.fromhex(message)
        assert public_of(seed).hex() == public and sign(seed, text).hex() == signature
        valid.append({"secret": secret, "public": public, "message": message, "signature": signature})
        raw = bytes.fromhex(signature)
        above = (int.from_bytes(raw[32:], "little") + ORDER).to_bytes(32, "little")
        for why, broken in [("S not below the group order", raw[:32] + above), ("one bit of R", bytes([raw[0] ^ 1]) + raw[1:]), ("one bit of S", raw[:32] + bytes([raw[32] ^ 1]) + raw[33:])]:
            assert not signed_by(bytes.fromhex(public), text, broken)
            invalid.append({"public": public, "message": message, "signature": broken.hex(), "why": why})
    edge_valid, edge_invalid = edge_vectors()
    return {
        "source": "RFC 8032, 7.1, tests 1 to 3; then what implementations of it judge differently",
        "smallOrder": small_order(),
        "valid": [*valid, *edge_valid],
        "invalid": [*invalid, *edge_invalid],
    }


# Points on which RFC 8032 lets programs differ. `torsion` generates all eight points of small order.


def torsion():
    """Returns a point of order 8: a curve point times the prime group order."""
    for y in range(2, 100):
        point = point_of(y.to_bytes(32, "little"))
        rest = point and times(ORDER, point)
        if rest and encoded(times(4, rest)) != encoded(times(0, rest)):
            return rest
    raise AssertionError("no point of order 8")


def small_order() -> list:
    return sorted(encoded(times(step, torsion())).hex() for step in range(8))


def challenge(nonce: bytes, public: bytes, message: bytes) -> int:
    return int.from_bytes(hashlib.sha512(nonce + public + message).digest(), "little") % ORDER


def signed_as(nonce: bytes, public: bytes, message: bytes, r: int, scalar: int) -> bytes:
    """Signs with given encodings of R and A, whatever points they encode: S = r + k·a."""
    return nonce + ((r + challenge(nonce, public, message) * scalar) % ORDER).to_bytes(32, "little")


def text_where(wanted, nonce: bytes, public: bytes) -> bytes:
    return next(text for text in (b"edge %d" % at for at in range(1000)) if wanted(challenge(nonce, public, text) % 8))


def edge_vectors() -> tuple:
    scalar, _ = halves(sha(b"example secret edge"))
    r, eighth, valid, invalid = int.from_bytes(sha(b"example nonce"), "big") % ORDER, torsion(), [], []
    plain, nonce = encoded(times(scalar, BASE)), encoded(times(r, BASE))
    mixed, mixed_nonce = encoded(add_points(times(scalar, BASE), eighth)), encoded(add_points(times(r, BASE), eighth))

    def refused(why: str, public: bytes, text: bytes, signature: bytes) -> None:
        assert not signed_by(public, text, signature), why
        invalid.append({"public": public.hex(), "message": text.hex(), "signature": signature.hex(), "why": why})

    def taken(why: str, public: bytes, text: bytes, signature: bytes) -> None:
        assert signed_by(public, text, signature), why
        valid.append({"public": public.hex(), "message": text.hex(), "signature": signature.hex(), "why": why})

    taken("a key of mixed order, where the equation holds without the cofactor", mixed, *both(text_where(lambda k: k == 0, nonce, mixed), nonce, mixed, r, scalar))
    refused("a key of mixed order, where it holds with the cofactor only", mixed, *both(text_where(lambda k: k != 0, nonce, mixed), nonce, mixed, r, scalar))
    refused("R of mixed order: it holds with the cofactor only", plain, *both(b"edge", mixed_nonce, plain, r, scalar))
    for small in map(bytes.fromhex, small_order()):
        refused("a key of small order, which signs whatever is wanted", small, *both(text_where(lambda k: k == 0, nonce, small), nonce, small, r, 0))
        refused("R of small order", plain, *both(b"edge", small, plain, 0, scalar))
    # Non-canonical encodings of small-order points: y ≥ p, or a sign bit with x = 0.
    for name, other in [("y = p", P), ("y = p + 1", P + 1), ("y = p, the sign set", P | 1 << 255), ("y = 1, the sign set", 1 | 1 << 255), ("y = p - 1, the sign set", P - 1 | 1 << 255)]:
        written = other.to_bytes(32, "little")
        refused(f"a key in no canonical form: {name}", written, *both(text_where(lambda k: k == 0, nonce, written), nonce, written, r, 0))
        refused(f"R in no canonical form: {name}", plain, *both(b"edge", written, plain, 0, scalar))
    off = next(number.to_bytes(32, "little") for number in range(2, 100) if point_of(number.to_bytes(32, "little")) is None)
    refused("a key that is no point of the curve", off, *both(b"edge", nonce, off, r, 0))
    refused("R that is no point of the curve", plain, *both(b"edge", off, plain, r, scalar))
    good = sign(sha(b"example secret edge"), b"edge")
    for why, s in [("S = 0", 0), ("S is the group order", ORDER), ("S + 2 · the group order", int.from_bytes(good[32:], "little") + 2 * ORDER), ("every bit of S", 2**256 - 1)]:
        refused(why, plain, b"edge", good[:32] + s.to_bytes(32, "little"))
    for bit in [0, 7, 100, 254, 255, 256, 300, 508, 511]:
        broken = bytearray(good)
        broken[bit // 8] ^= 1 << bit % 8
        refused(f"bit {bit} of the signature", plain, b"edge", bytes(broken))
    refused("another message", plain, b"edge ", good)
    refused("63 bytes", plain, b"edge", good[:-1])
    refused("65 bytes", plain, b"edge", good + b"\x00")
    return valid, invalid


def both(text: bytes, nonce: bytes, public: bytes, r: int, scalar: int) -> tuple:
    return text, signed_as(nonce, public, text, r, scalar)


# --- proofs, by the definitions of RFC 6962 -------------------------------------------------------


def cut_of(size: int) -> int:
    cut = 1
    while cut * 2 < size:
        cut *= 2
    return cut


def path_of(index: int, entries: list) -> list:
    if len(entries) <= 1:
        return []
    cut = cut_of(len(entries))
    if index < cut:
        return path_of(index, entries[:cut]) + [root(entries[cut:])]
    return path_of(index - cut, entries[cut:]) + [root(entries[:cut])]


def consistency_of(first: int, entries: list, whole: bool = True) -> list:
    if first == len(entries):
        return [] if whole else [root(entries)]
    cut = cut_of(len(entries))
    if first <= cut:
        return consistency_of(first, entries[:cut], whole) + [root(entries[cut:])]
    return consistency_of(first - cut, entries[cut:], False) + [root(entries[:cut])]


def proofs_vectors() -> dict:
    entries = [f"entry {number}".encode() for number in range(1000)]
    sizes = [*range(1, 12), 64, 100, 1000]
    inclusion = [
        {"index": index, "size": size, "leaf": sha(b"\x00" + entries[index]).hex(), "root": root(entries[:size]).hex(), "path": [step.hex() for step in path_of(index, entries[:size])]}
        for size in sizes
        for index in (range(size) if size < 12 else [0, size // 2, size - 1])
    ]
    consistency = [
        {"from": first, "to": size, "fromRoot": root(entries[:first]).hex(), "toRoot": root(entries[:size]).hex(), "path": [step.hex() for step in consistency_of(first, entries[:size])]}
        for size in sizes
        for first in (range(1, size + 1) if size < 12 else [1, 7, 33, 64, size - 1, size])
        if first <= size
    ]
    return {"entries": "entry i is the ASCII text `entry i`", "inclusion": inclusion, "consistency": consistency}


# --- chapters 9 and 10: keys, checkpoints, cosignatures -------------------------------------------


class Signer:
    """A named key pair; kind 1 is a log's, kind 4 a witness's."""

    def __init__(self, name: str, kind: int, label: str):
        self.name, self.secret = name, sha(b"example secret " + label.encode())
        self.public = public_of(self.secret)
        self.raw = bytes([kind]) + self.public
        self.id = sha(name.encode() + b"\n" + self.raw)[:4]
        self.text = f"{name}+{self.id.hex()}+{base64.b64encode(self.raw).decode()}"

    def line(self, signature: bytes) -> str:
        return f"— {self.name} {base64.b64encode(self.id + signature).decode()}\n"

    def cosign(self, text: str, seconds: int) -> str:
        message = f"cosignature/v1\ntime {seconds}\n{text}".encode()
        return self.line(u64(seconds) + sign(self.secret, message))


LOG = Signer(ORIGIN, 1, "log")
LOG_2 = Signer(ORIGIN, 1, "second log")
WITNESSES = sorted([Signer(f"witness-{name}.example", 4, name) for name in ("asha", "bela", "chitra")], key=lambda witness: witness.text)
POLICY = {"keys": [witness.text for witness in WITNESSES], "quorum": 2}


def text_of(lines: list, size: int) -> str:
    top = root(lines[:size])
    return f"{ORIGIN}\n{size}\n{base64.b64encode(top).decode()}\n"


def note(lines: list, size: int, log: Signer, cosigned: list) -> str:
    """cosigned: (witness, seconds), in any order."""
    text = text_of(lines, size)
    signatures = [witness.cosign(text, seconds) for witness, seconds in sorted(cosigned, key=lambda pair: pair[0].name)]
    return text + "\n" + log.line(sign(log.secret, text.encode())) + "".join(signatures)


def checkpoint_vectors() -> dict:
    lines = [f"entry {number}".encode() for number in range(12)]
    good = note(lines, 5, LOG, [(WITNESSES[0], 1795285000)])
    rotation = sign(LOG.secret, b"roz/v1/key\n" + b"2026-11-21" + LOG_2.public)
    return {
        "keys": [{"name": signer.name, "type": signer.raw[0], "secret": signer.secret.hex(), "public": signer.public.hex(), "id": signer.id.hex(), "verifierKey": signer.text} for signer in [LOG, LOG_2, *WITNESSES]],
        "entries": "entry i is the ASCII text `entry i`",
        "checkpoints": [
            {"size": size, "root": root(lines[:size]).hex(), "text": text_of(lines, size), "note": note(lines, size, LOG, cosigned)}
            for size, cosigned in [(1, []), (5, [(WITNESSES[0], 1795285000)]), (12, [(WITNESSES[2], 1795286039), (WITNESSES[0], 1795286040)])]
        ],
        # Malformed files of checkpoints.
        "refused": [
            "", "\n", good[:-1], good + "\n", good.replace("\n\n", "\n"), good.replace("\n5\n", "\n05\n"), good.replace("\n5\n", "\n0\n"), good.replace("\n", "\r\n"),
            good.split("\n\n")[0] + "\n\n", good.replace("=\n\n", "\n\n"), good.replace("=\n\n", "=\nextension\n\n"), good.replace("— ", "- "), good.replace("— ", "—  ", 1), " " + good,
        ],
        "rotation": {"record": {"day": "2026-11-21", "kind": "key", "new": LOG_2.text, "old": LOG.text, "signature": rotation.hex(), "v": 1}, "signedText": (b"roz/v1/key\n" + b"2026-11-21" + LOG_2.public).hex()},
        # A cosignature counts if its time is not earlier or later, and its checkpoint includes the close record.
        "inTime": [{"earliest": -(-(sealed - 60_000) // 1000), "sealedAt": sealed, "latest": (sealed + 840_000) // 1000} for sealed in [1795285200000, 1795285200999, 1784791470000]],
    }


# --- chapter 11: receipts -------------------------------------------------------------------------


def receipt_of(log: Signer, day: str, batch: list, index: int, time: int) -> dict:
    signature = sign(log.secret, b"roz/v1/receipt\n" + day.encode() + root(batch) + u64(time))
    inner = {"count": len(batch), "index": index, "keyId": log.id.hex(), "path": [step.hex() for step in path_of(index, batch)], "signature": signature.hex(), "time": time}
    return {"day": day, "receipt": inner, "ticket": batch[index].hex(), "v": 1}


def receipt_vectors() -> dict:
    day, time, valid = "2026-11-21", 1795240800123, []
    for size, indexes in [(1, [0]), (2, [0, 1]), (3, [0, 1, 2]), (5, [4]), (64, [0, 63])]:
        batch = tickets_of(day, size)
        for index in indexes:
            receipt = receipt_of(LOG, day, batch, index, time)
            valid.append({"batchRoot": root(batch).hex(), "receipt": receipt, "canonical": canonical(receipt)})
    base = valid[4]["receipt"]
    changes = [
        ("another day", {"day": "2026-11-22"}, {}), ("another ticket", {"ticket": sha(b"other").hex()}, {}), ("another time", {}, {"time": time + 1}),
        ("another index", {}, {"index": 0}), ("another count", {}, {"count": 5}), ("a path too long", {}, {"path": base["receipt"]["path"] * 2}),
        ("an unknown key", {}, {"keyId": WITNESSES[0].id.hex()}), ("before its day", {}, {"time": day_start_ms(day) - 1}),
    ]
    invalid = [{"why": why, "receipt": {**base, **outer, "receipt": {**base["receipt"], **inner}}} for why, outer, inner in changes]
    late = receipt_of(LOG, day, tickets_of(day, 3), 1, day_start_ms(day) + 86_400_000)
    return {"key": LOG.text, "valid": valid, "invalid": [*invalid, {"why": "signed, and after its day", "receipt": late}]}


# --- chapter 13: liabilities ----------------------------------------------------------------------


def part_root(parts: list):
    if not parts:
        return sha(b"roz/v1/sum\n"), 0
    if len(parts) == 1:
        return sha(b"roz/v1/part\n" + parts[0][0] + u64(parts[0][1])), parts[0][1]
    cut = cut_of(len(parts))
    (left, left_sum), (right, right_sum) = part_root(parts[:cut]), part_root(parts[cut:])
    return sha(b"roz/v1/sum\n" + left + u64(left_sum) + right + u64(right_sum)), left_sum + right_sum


def part_path(index: int, parts: list) -> list:
    if len(parts) <= 1:
        return []
    cut = cut_of(len(parts))
    if index < cut:
        return part_path(index, parts[:cut]) + [part_root(parts[cut:])]
    return part_path(index - cut, parts[cut:]) + [part_root(parts[:cut])]


def parts_proof(positions: list, parts: list, start: int = 0) -> bytes:
    """Returns the sibling nodes that a proof of the parts at these positions needs, in tree order."""
    if not any(start <= position < start + len(parts) for position in positions):
        node, amount = part_root(parts)
        return node + u64(amount)
    if len(parts) == 1:
        return b""
    cut = cut_of(len(parts))
    return parts_proof(positions, parts[:cut], start) + parts_proof(positions, parts[cut:], start + cut)


def part_id(member_key: bytes, day: str, j: int) -> bytes:
    return hmac.new(member_key, b"roz/v1/id\n" + day.encode() + u64(j), hashlib.sha256).digest()


def parts_of(member_key: bytes, day: str, owed: int) -> list:
    """Cuts one member's money into parts for the examples. The protocol does not fix how a server cuts."""
    amounts = []
    while owed > 0:
        drawn = int.from_bytes(sha(member_key + day.encode() + u64(len(amounts)))[:4], "big")
        amount = 1 + drawn % min(5000, owed)
        if not amounts and amount == owed and owed > 1:
            amount = owed // 2
        amounts.append(amount)
        owed -= amount
    return [(part_id(member_key, day, j), amount) for j, amount in enumerate(amounts)]


def liabilities_vectors() -> dict:
    day, trees = "2026-11-21", []
    for members in [0, 1, 2, 3, 7, 40]:
        parts = sorted(part for member in range(members) for part in parts_of(key(member), day, 1 + 3700 * member * member % 99991))
        top, total = part_root(parts)
        proofs = [{"position": at, "path": [{"hash": node.hex(), "sum": amount} for node, amount in part_path(at, parts)]} for at in sorted({0, len(parts) // 2, len(parts) - 1}) if parts]
        some = [[0], [len(parts) - 1, 0], list(range(len(parts)))][: min(len(parts), 2 + (members < 9))]
        some += [[parts.index(part) for part in parts_of(key(2), day, 14801)[:3]]] if members > 2 else []
        together = [{"positions": positions, "nodes": base64.b64encode(parts_proof(positions, parts)).decode()} for positions in some]
        trees.append({"members": members, "count": len(parts), "file": "".join(identity.hex() + u64(amount).hex() for identity, amount in parts), "root": top.hex(), "total": total, "proofs": proofs, "together": together})
    ids = [{"key": key(member).hex(), "day": one, "j": j, "id": part_id(key(member), one, j).hex()} for member, one, j in [(0, day, 0), (0, day, 1), (1, day, 0), (0, "2026-11-22", 0), (0, day, 2**32)]]
    return {"ids": ids, "trees": trees}


# --- chapter 12: books, from a list of movements --------------------------------------------------

SYSTEM = ["BANK", "GATEWAY", "GATEWAY_FEES", "HELP_FUND", "LOSSES", "MEMBERS", "PAYOUTS_PENDING", "PLATFORM", "REFUNDS_PENDING", "SUSPENSE", "TAX_WITHHELD"]


def receipts(names: list) -> list:
    return sorted(sha(b"example receipt " + name.encode()).hex() for name in names)


def ordered(entries: list) -> list:
    return sorted(entries, key=lambda entry: (entry["evidence"], entry["paise"]))


class Ledger:
    """Collects the movements of consecutive days; `close` makes the books of a day."""

    def __init__(self):
        self.closing, self.moves = {name: 0 for name in SYSTEM}, []
        self.open, self.given, self.back, self.house = {}, [], [], []

    def move(self, kind: str, source: str, target: str, paise: int) -> None:
        self.moves.append((kind, source, target, paise))

    def flows(self) -> list:
        sums = {}
        for kind, source, target, paise in self.moves:
            sums[(kind, source, target)] = sums.get((kind, source, target), 0) + paise
        return [{"from": source, "kind": kind, "paise": paise, "to": target} for (kind, source, target), paise in sorted(sums.items()) if paise]

    def end_of_day(self, day: str, count: int, settled: list, returned: list, liabilities) -> dict:
        opening, rows = dict(self.closing), []
        for flow in self.flows():
            self.closing[flow["from"]] = self.closing.get(flow["from"], 0) - flow["paise"]
            self.closing[flow["to"]] = self.closing.get(flow["to"], 0) + flow["paise"]
        for name in sorted(self.closing):
            moved_in = sum(flow["paise"] for flow in self.flows() if flow["to"] == name)
            moved_out = sum(flow["paise"] for flow in self.flows() if flow["from"] == name)
            if name in SYSTEM or opening.get(name, 0) or moved_in or moved_out:
                rows.append({"account": name, "closing": self.closing[name], "in": moved_in, "opening": opening.get(name, 0), "out": moved_out})
        fund = next(row for row in rows if row["account"] == "HELP_FUND")
        books = {
            "accounts": rows, "day": day, "flows": self.flows(), "intake": {"count": count, "paise": 100 * count},
            "help": {
                "closing": fund["closing"], "corrections": ordered(self.back), "disbursements": ordered(self.given), "in": fund["in"],
                "open": [{"day": day, "paise": paise} for day, paise in sorted(self.open.items()) if paise], "opening": fund["opening"],
            },
            "house": ordered(self.house),
            "liabilities": liabilities(sum(self.closing[name] for name in ("MEMBERS", "PAYOUTS_PENDING", "REFUNDS_PENDING"))),
            "returns": returned, "settlements": settled, "v": 1,
        }
        self.moves, self.given, self.back, self.house = [], [], [], []
        return books

    def come_in(self, day: str, paise: int) -> None:
        self.open[day] = self.open.get(day, 0) + paise

    def disburse(self, names: list, paise: int) -> dict:
        """Gives from the oldest open days."""
        days, due = [], paise
        for day, has in sorted(self.open.items()):
            some = min(has, due)
            if some:
                days.append({"day": day, "paise": some})
            self.open[day], due = has - some, due - some
        self.move("disbursement", "HELP_FUND", "BANK", paise)
        self.given.append({"days": days, "evidence": receipts(names), "paise": paise})
        return self.given[-1]

    def take_back(self, original: dict, names: list, paise: int) -> None:
        """Opens the days of a disbursement again, the newest first."""
        days, due = [], paise
        for part in reversed(original["days"]):
            some = min(part["paise"], due)
            if some:
                days.append({"day": part["day"], "paise": some})
                self.come_in(part["day"], some)
            due -= some
        self.move("disbursement_back", "BANK", "HELP_FUND", paise)
        self.back.append({"corrects": original["evidence"][0], "days": days[::-1], "evidence": receipts(names), "paise": paise})

    def of_house(self, kind: str, source: str, target: str, names: list, paise: int) -> None:
        self.move(kind, source, target, paise)
        self.house.append({"evidence": receipts(names), "kind": kind, "paise": paise})

    def settle(self, result: dict) -> dict:
        pool = "POOL:" + result["day"]
        for winner in result["winners"]:
            self.move("prize", pool, "MEMBERS", winner["amount"] - winner["tax"])
            self.move("tax", pool, "TAX_WITHHELD", winner["tax"])
        self.come_in(result["day"], result["shares"]["need"])
        self.move("need", pool, "HELP_FUND", result["shares"]["need"])
        self.move("platform", pool, "PLATFORM", result["shares"]["platform"])
        winners = [{name: winner[name] for name in ("amount", "tax", "ticket")} for winner in result["winners"]]
        return {"need": result["shares"]["need"], "platform": result["shares"]["platform"], "round": result["day"], "winners": winners}


# --- chapter 14: a whole site of six days --------------------------------------------------------


class Site:
    """Publishes into a table of files, in a server's order. `lies`: changes by a cheating operator before
    hashing and signing, so all later pieces are consistent (test_verify.py)."""

    def __init__(self, lies: dict):
        self.lies, self.log, self.records, self.lines, self.files, self.sealed, self.ledger = lies, LOG, [], [], {}, {}, Ledger()
        self.rules = b"An example of the rules of a day.\n"
        self.files["rules/" + sha(self.rules).hex()] = self.rules

    def append(self, record: dict) -> int:
        self.records.append(record)
        self.lines.append(canonical(record).encode())
        return len(self.records) - 1

    def rotate(self, day: str, new: Signer) -> None:
        signature = sign(self.log.secret, b"roz/v1/key\n" + day.encode() + new.public)
        self.append({"day": day, "kind": "key", "new": new.text, "old": self.log.text, "signature": signature.hex(), "v": 1})
        self.log = new

    def note(self, day: str, cosigned: list) -> None:
        self.sealed.setdefault(day, []).append(note(self.lines, len(self.lines), self.log, cosigned))

    def books(self, day: str, count: int, settled: list, returned: list) -> None:
        parts = []

        def cut(owed: int) -> dict:
            owed -= self.lies.get("hidden", {}).get(day, 0)
            # Ten members with about equal money: only the sum matters.
            shares = [owed // 10] * 9 + [owed - owed // 10 * 9]
            parts.extend(sorted(part for member, paise in enumerate(shares) for part in parts_of(key(member), day, paise)))
            top, total = part_root(parts)
            return {"count": len(parts), "root": top.hex(), "total": total}

        books = self.ledger.end_of_day(day, count, settled, returned, cut)
        data = canonical(self.lies.get("books", lambda _, told: told)(day, books)).encode()
        self.files[f"books/{day}"] = data
        self.files[f"liabilities/{day}"] = b"".join(identity + u64(amount) for identity, amount in parts)
        self.append({"books": sha(data).hex(), "day": day, "kind": "books", "v": 1})

    def publish(self, cosigned: list) -> dict:
        files = dict(self.files)
        files["log/key"] = (self.log.text + "\n").encode()
        files["log/checkpoint"] = note(self.lines, len(self.lines), self.log, cosigned).encode()
        for chunk in range(0, len(self.lines), 256):
            files[f"log/entries/{chunk // 256}"] = b"".join(line + b"\n" for line in self.lines[chunk : chunk + 256])
        for day in {record["day"] for record in self.records if record["kind"] == "open"}:
            of_day = [{"index": index, "record": record} for index, record in enumerate(self.records) if record["day"] == day and record["kind"] in ("open", "close", "result", "void")]
            in_time = day in ("2026-07-23", "2026-07-25")
            files[f"draws/{day}"] = canonical({"assurance": "sealed" if in_time else "weak", "day": day, "records": of_day, "v": 1}).encode()
            close = next((one["record"] for one in of_day if one["record"]["kind"] == "close"), None)
            if close:
                files[f"draws/{day}/tickets"] = b"".join(tickets_of(day, close["count"]))
                files[f"log/sealed/{day}"] = "".join(self.sealed[day]).encode()
        return files


def example_site(lies: dict) -> dict:
    """22nd: local, ten entries, tax withheld. 23rd: quicknet, closed early, sealed in time by two notes.
    24th: empty, and the log's key changes. 25th: void, its beacon never came (thirty days are not waited
    for here), given back on the 26th, which is empty. 27th: closed, its draw still to come."""
    site, secret = Site(lies), key(99)
    ledger = site.ledger
    number, signature, randomness = DRAWN
    sealed_at = {"2026-07-22": day_start_ms("2026-07-23") + 5, "2026-07-23": (QUICKNET["genesis"] + (number - 1) * 3) * 1000 - 900_000}
    local = {"chainHash": sha(secret).hex(), "mode": "local"}
    first = day_records("2026-07-22", local, POLICY_B, 10, sealed_at["2026-07-22"], 0, {"secret": secret.hex()}, lambda n, top: local_randomness(secret, "2026-07-22", n, top), {"above": 99, "percent": 30})
    second = day_records("2026-07-23", QUICKNET, POLICY_A, 7, sealed_at["2026-07-23"], number, {"signature": signature}, lambda n, top: bytes.fromhex(randomness))
    second = lies.get("draw", lambda told: told)(second)
    own = {"rules": sha(site.rules).hex(), "witnesses": POLICY}
    opens = [{**records[0], **own} for records in (first, second)] + [{**second[0], **own, "day": day} for day in ("2026-07-24", "2026-07-25", "2026-07-26", "2026-07-27", "2026-07-28")]

    for member in range(10):
        ledger.move("topup", "GATEWAY", "MEMBERS", 10_000 + 100 * member)
    ledger.move("topup_suspense", "GATEWAY", "SUSPENSE", 4_999)
    ledger.move("join", "MEMBERS", "POOL:2026-07-22", 1_000)
    ledger.move("gift", "MEMBERS", "HELP_FUND", 250)
    ledger.come_in("2026-07-22", 250)
    site.append(opens[0])
    site.append({"day": "2026-07-22", "kind": "verifier", "program": sha(b"example program").hex(), "v": 1})
    site.append(opens[1])
    site.append(first[1])
    site.note("2026-07-22", [(WITNESSES[0], sealed_at["2026-07-22"] // 1000 + 3)])
    site.append(first[2])
    site.books("2026-07-22", 10, [], [])

    ledger.move("join", "MEMBERS", "POOL:2026-07-23", 700)
    settled = [ledger.settle(first[2]), ledger.settle(second[2])]
    ledger.move("wd_hold", "MEMBERS", "PAYOUTS_PENDING", 5_050)
    ledger.disburse(["one", "photo of one"], 400)
    two = ledger.disburse(["two"], 700)
    ledger.move("gateway_settled", "BANK", "GATEWAY", 80_000)
    ledger.move("gateway_settled", "GATEWAY_FEES", "GATEWAY", 40)
    ledger.move("suspense_refund", "SUSPENSE", "REFUNDS_PENDING", 4_999)
    site.append(opens[2])
    site.append(second[1])
    site.note("2026-07-23", [(WITNESSES[1], sealed_at["2026-07-23"] // 1000 + 20)])
    site.append(opens[3])
    # One cosignature in the last valid second, one a second too late.
    site.note("2026-07-23", [(WITNESSES[0], sealed_at["2026-07-23"] // 1000 + 840), (WITNESSES[2], sealed_at["2026-07-23"] // 1000 + 841)])
    site.append(second[2])
    site.books("2026-07-23", 7, settled, [])

    ledger.move("wd_paid", "PAYOUTS_PENDING", "BANK", 5_050)
    ledger.move("refund_paid", "REFUNDS_PENDING", "GATEWAY", 4_999)
    ledger.move("chargeback", "MEMBERS", "GATEWAY", 300)
    ledger.move("chargeback", "LOSSES", "GATEWAY", 700)
    ledger.move("debt_paid", "MEMBERS", "LOSSES", 250)
    site.rotate("2026-07-24", LOG_2)
    site.append(opens[4])
    site.append({"day": "2026-07-24", "kind": "void", "reason": "empty", "returned": 0, "v": 1})
    ledger.take_back(two, ["two came back"], 200)
    ledger.of_house("tds_remitted", "TAX_WITHHELD", "BANK", ["challan"], 60)
    ledger.of_house("platform_out", "PLATFORM", "BANK", ["rent", "lease"], 30)
    ledger.of_house("losses_covered", "PLATFORM", "LOSSES", ["decision"], 40)
    site.books("2026-07-24", 0, [], [])

    def closed(days_later: int, count: int) -> dict:
        day = f"2026-07-{23 + days_later}"
        top = root(tickets_of(day, count)).hex()
        return {"count": count, "day": day, "kind": "close", "root": top, "round": number + 28_800 * days_later, "sealedAt": sealed_at["2026-07-23"] + 86_400_000 * days_later, "v": 1}

    ledger.move("join", "MEMBERS", "POOL:2026-07-25", 300)
    site.append(opens[5])
    site.append(closed(2, 3))
    site.note("2026-07-25", [(witness, sealed_at["2026-07-23"] // 1000 + 2 * 86_400 + 30) for witness in WITNESSES])
    ledger.disburse(["three"], 180)
    site.books("2026-07-25", 3, [], [])

    ledger.move("round_refund", "POOL:2026-07-25", "MEMBERS", 300)
    ledger.move("chargeback_back", "GATEWAY", "LOSSES", 700)
    ledger.move("debt_back", "LOSSES", "MEMBERS", 250)
    site.append(opens[6])
    site.append({"day": "2026-07-25", "kind": "void", "reason": "beacon", "returned": 300, "v": 1})
    site.append({"day": "2026-07-26", "kind": "void", "reason": "empty", "returned": 0, "v": 1})
    site.books("2026-07-26", 0, [], [{"paise": 300, "round": "2026-07-25"}])
    site.append(closed(4, 3))
    site.note("2026-07-27", [])
    for record in lies.get("more", []):
        site.append(record)
    return site.publish([(WITNESSES[0], sealed_at["2026-07-23"] // 1000 + 200_000)])


def receipt_cases() -> list:
    """Receipts for the site: one with its ticket in the list, one that proves a missing ticket, one of an empty day."""
    day = "2026-07-23"
    time = day_start_ms(day) + 3_600_000
    dropped = sorted([*tickets_of(day, 2), ticket(key(77), day)])
    kept = next(at for at, one in enumerate(dropped) if one == ticket(key(0), day))
    lost = next(at for at, one in enumerate(dropped) if one == ticket(key(77), day))
    empty = tickets_of("2026-07-24", 1)
    return [
        {"receipt": receipt_of(LOG, day, dropped, kept, time), "verdict": "PASS"},
        {"receipt": receipt_of(LOG, day, dropped, lost, time), "verdict": "FAIL"},
        {"receipt": receipt_of(LOG, "2026-07-24", empty, 0, time + 86_400_000), "verdict": "FAIL"},
    ]


def site_vectors() -> dict:
    """`steps`: the steps that are not PASS (a loss of the 24th exceeds the platform's share); "-" means nothing to check. beacon-signature has the result of a BLS verifier."""
    files = example_site({})
    days = [
        {"day": "2026-07-22", "exit": 3, "steps": {"sealed-in-time": "WEAK", "beacon-signature": "WEAK", "receipt": "-"}},
        {"day": "2026-07-23", "exit": 0, "steps": {"receipt": "-"}},
        {"day": "2026-07-24", "exit": 3, "steps": {"solvency": "WEAK", **{step: "-" for step in ("entries-root", "sealed-in-time", "beacon-round", "beacon-signature", "seed", "winners", "split", "receipt")}}},
        {"day": "2026-07-25", "exit": 3, "steps": {"beacon-round": "WEAK", "solvency": "WEAK", **{step: "-" for step in ("beacon-signature", "seed", "winners", "split", "receipt")}}},
        {"day": "2026-07-27", "exit": 4, "steps": {
            "log-order": "INCOMPLETE", "sealed-in-time": "WEAK", "beacon-signature": "INCOMPLETE", "seed": "INCOMPLETE", "winners": "INCOMPLETE",
            "split": "INCOMPLETE", "books-balance": "INCOMPLETE", "carry-over": "INCOMPLETE", "liabilities-total": "INCOMPLETE", "solvency": "INCOMPLETE", "receipt": "-",
        }},
    ]
    text = {path: data.decode() for path, data in sorted(files.items()) if not path.endswith("/tickets") and not path.startswith("liabilities/")}
    return {
        "about": "All files of a site after six days; `text` as UTF-8, `hex` as bytes. Folder names get .json as chapter 14 says.",
        "keys": {"first": LOG.text, "inForce": LOG_2.text},
        "text": text,
        "hex": {path: data.hex() for path, data in sorted(files.items()) if path not in text},
        "days": days,
        "receipts": receipt_cases(),
    }


def books_vectors() -> dict:
    """The books of the site's days, in order."""
    files = example_site({})
    return {day: {"canonical": files[f"books/{day}"].decode(), "hash": sha(files[f"books/{day}"]).hex()} for day in (f"2026-07-{number}" for number in range(22, 27))}


def made() -> dict:
    return {
        "ed25519": ed25519_vectors(), "proofs": proofs_vectors(), "checkpoint": checkpoint_vectors(), "receipt": receipt_vectors(),
        "liabilities": liabilities_vectors(), "books": books_vectors(), "site": site_vectors(),
    }
