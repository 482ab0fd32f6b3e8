#!/usr/bin/env python3
"""Checks one day of the daily draw and its books from the published files (protocol.md, chapter 15).

    python3 verify.py <address or folder> <day> [--key K] [--kept FILE] [--witness K]… [--chain HASH]
                      [--drand SIGNATURE] [--receipt FILE] [--ticket-key FILE]
                      [--order NUMBERS]

--key      the log's key that you trust          --kept     a checkpoint that you kept from before
--witness  a witness that you trust, repeatable  --chain    the hash of a beacon other than quicknet
--drand    the signature of the day's round, fetched by yourself from a drand relay
           (also --beacon-signature)
--receipt  a receipt, to see whether its ticket is in the list
--order    the requests for help in the order that the site shows for this day: 3F9A,7K2M
--ticket-key  a file with your own ticket key in hex: shows your part of the day, for you to judge

One file, the standard library, nothing of the server. It does not check the BLS signature of the
beacon. Such a day is INCOMPLETE here, unless you give the signature with --drand to compare.
Exit code: 0 PASS, 2 FAIL, 3 WEAK, 4 INCOMPLETE, 1 called wrongly.
"""
import base64
import datetime
import hashlib
import hmac
import http.client
import json
import pathlib
import re
import sys
import time
import urllib.error
import urllib.request

QUICKNET = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
LOG_KEY, WITNESS_KEY = 1, 4
LIMIT = 2**53
# Maximum size of any file except the two streamed lists.
MOST_BYTES = 2**26
# Maximum number of commas, above that of any valid file. It bounds memory: a file full of empty lists would exhaust it.
MOST_COMMAS = 2**22
# Maximum number of one member's parts that are searched.
MOST_PARTS = 2**16
# Longer than a draw or a key rotation takes to reach all files (chapter 14).
SETTLE_SECONDS = 4
# Income-tax Act, section 115BB: 30 % of winnings, with the cess of 4 % on it 31.2 %.
MOST_TAX_PERCENT = 31


class Fail(Exception):
    """The published data is wrong."""


class Weak(Exception):
    """Nothing is wrong, but the operator could have cheated."""


class Incomplete(Exception):
    """A needed file or record is missing."""


class NotApplicable(Exception):
    """The day has nothing for this step to check."""


def need(condition, words: str) -> None:
    if not condition:
        raise Fail(words)


# --- hashes, trees, signatures -------------------------------------------------------------------


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def u64(number: int) -> bytes:
    return number.to_bytes(8, "big")


class Tree:
    """Computes a root from streamed leaves; `join` makes the parent of two nodes."""

    def __init__(self, join, empty):
        self.join, self.empty, self.stack, self.size = join, empty, [], 0

    def add(self, leaf) -> None:
        node, self.size = leaf, self.size + 1
        full = self.size
        while full % 2 == 0:
            node, full = self.join(self.stack.pop(), node), full // 2
        self.stack.append(node)

    def root(self):
        if not self.stack:
            return self.empty
        node = self.stack[-1]
        for left in reversed(self.stack[:-1]):
            node = self.join(left, node)
        return node


def entry_leaf(data: bytes) -> bytes:
    return sha(b"\x00" + data)


def hash_tree() -> Tree:
    return Tree(lambda left, right: sha(b"\x01" + left + right), sha(b""))


def part_leaf(identity: bytes, amount: int):
    return sha(b"roz/v1/part\n" + identity + u64(amount)), amount


def sum_join(left, right):
    return sha(b"roz/v1/sum\n" + left[0] + u64(left[1]) + right[0] + u64(right[1])), left[1] + right[1]


def sum_tree() -> Tree:
    return Tree(sum_join, (sha(b"roz/v1/sum\n"), 0))


def climb(leaf, index: int, size: int, path: list, join):
    """Computes the root from an inclusion proof (RFC 9162, 2.1.3.2), for both kinds of tree."""
    need(0 <= index < size, "the index is outside of the tree")
    node, last = leaf, size - 1
    for step in path:
        need(last > 0, "the path is too long")
        if index % 2 == 1 or index == last:
            node = join(step, node)
            while index % 2 == 0 and index > 0:
                index, last = index // 2, last // 2
        else:
            node = join(node, step)
        index, last = index // 2, last // 2
    need(last == 0, "the path is too short")
    return node


def own_ticket(key: bytes, day: str) -> bytes:
    return hmac.digest(key, b"roz/v1/ticket\n" + day.encode(), "sha256")


def part_id(key: bytes, day: str, number: int) -> bytes:
    return hmac.digest(key, b"roz/v1/id\n" + day.encode() + u64(number), "sha256")


def reach(leaves: dict, nodes: list, size: int):
    """Computes the root from a proof of several parts (chapter 13): `leaves` by position, sibling nodes left before right."""
    rest = iter(nodes)

    def walk(start: int, end: int, inside: list):
        if not inside:
            node = next(rest, None)
            need(node is not None, "the proof is too short")
            return node
        if end - start == 1:
            return leaves[start]
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        left = walk(start, middle, [at for at in inside if at < middle])
        return sum_join(left, walk(middle, end, [at for at in inside if at >= middle]))

    need(leaves and all(0 <= at < size for at in leaves), "no part is shown, or one outside of the tree")
    top = walk(0, size, sorted(leaves))
    need(next(rest, None) is None, "the proof is too long")
    return top


def consistent(first: int, first_root: bytes, second: int, second_root: bytes, path: list) -> bool:
    """Checks that the tree of size `first` is a prefix of the other (RFC 9162, 2.1.4.2)."""
    join = hash_tree().join
    if first == second:
        return not path and first_root == second_root
    if not 0 < first < second or not path:
        return False
    path = [first_root, *path] if first & (first - 1) == 0 else list(path)
    node, last = first - 1, second - 1
    while node % 2 == 1:
        node, last = node // 2, last // 2
    old = new = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            old, new = join(step, old), join(step, new)
            while node % 2 == 0 and node > 0:
                node, last = node // 2, last // 2
        else:
            new = join(new, step)
        node, last = node // 2, last // 2
    return last == 0 and old == first_root and new == second_root


# Ed25519, after RFC 8032, 5.1: points in extended coordinates.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def add_points(a, b):
    m, n = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    t, z = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = n - m, z - t, z + t, n + m
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar: int, point):
    total = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            total = add_points(total, point)
        point, scalar = add_points(point, point), scalar >> 1
    return total


def point_of(data: bytes):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def has_small_order(point) -> bool:
    x, y, z, _ = times(8, point)
    return x % P == 0 and (y - z) % P == 0


def signed_by(public: bytes, message: bytes, signature: bytes) -> bool:
    """Verifies by the strict rules of chapter 1, which decide every case where Ed25519 libraries differ."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, nonce, s = point_of(public), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if key is None or nonce is None or s >= ORDER or has_small_order(key) or has_small_order(nonce):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    left, right = times(s, BASE), add_points(nonce, times(k, key))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


# --- decoding: one value, one text ---------------------------------------------------------------


def canonical(value) -> bytes:
    def text(item) -> str:
        if type(item) is dict:
            return "{" + ",".join(text(name) + ":" + text(item[name]) for name in sorted(item)) + "}"
        if type(item) is list:
            return "[" + ",".join(map(text, item)) + "]"
        if type(item) is str:
            need(all(32 <= ord(char) < 127 for char in item), "a text is not printable ASCII")
            return '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
        need(type(item) is int and -LIMIT < item < LIMIT, "a value of an unsupported type")
        return str(item)

    return text(value).encode()


def decoded(data: bytes):
    need(data.count(b",") <= MOST_COMMAS, "contains more values than any such file")
    try:
        value = json.loads(data)
        again = canonical(value)
    except (ValueError, RecursionError):
        raise Fail("not JSON") from None
    need(again == data, "not canonical")
    return value


def unhex(text, size: int) -> bytes:
    need(type(text) is str and re.fullmatch("[0-9a-f]{%d}" % (2 * size), text), f"not {size} bytes in hex")
    return bytes.fromhex(text)


def unbase64(text: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        raise Fail("not base64") from None
    need(base64.b64encode(data).decode() == text, "not base64 in its one form")
    return data


def is_day(text) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except (TypeError, ValueError):
        return False


def day_after(day: str, days: int = 1) -> str:
    return (datetime.date.fromisoformat(day) + datetime.timedelta(days)).isoformat()


def day_start_ms(day: str) -> int:
    """00:00 in Asia/Kolkata: UTC+5:30 all year."""
    days = datetime.date.fromisoformat(day).toordinal() - datetime.date(1970, 1, 1).toordinal()
    return days * 86_400_000 - 19_800_000


# The form of a value is a dict of forms (exact keys), a list with one form, or a test function.
def count(value) -> bool:
    return type(value) is int and 0 <= value < LIMIT


def balance(value) -> bool:
    return type(value) is int


def hexed(size: int):
    return lambda value: type(value) is str and re.fullmatch("[0-9a-f]{%d}" % (2 * size), value) is not None


def one_of(*values):
    return lambda value: type(value) in (str, int) and value in values


def string(value) -> bool:
    return type(value) is str


def check_form(value, form, where: str = "it") -> None:
    if type(form) is dict:
        need(type(value) is dict and value.keys() == form.keys(), f"{where} has unknown or missing keys")
        for name in form:
            check_form(value[name], form[name], name)
    elif type(form) is list:
        need(type(value) is list, f"{where} is not a list")
        for item in value:
            check_form(item, form[0], where)
    else:
        need(form(value), f"{where} has an invalid value")


HASH, SIGNATURE = hexed(32), hexed(64)
DRAWS_BY = {
    "local": {"chainHash": HASH, "mode": string},
    "beacon": {
        "beaconId": string, "chainHash": HASH, "genesis": count, "groupHash": HASH, "mode": string,
        "period": lambda value: count(value) and value > 0, "publicKey": hexed(96), "scheme": one_of("bls-unchained-g1-rfc9380"),
    },
}
WINNER = {"amount": count, "position": count, "tax": count, "ticket": HASH}
RESULT = {"randomness": HASH, "seed": HASH, "shares": {"need": count, "platform": count, "pool": count}, "winners": [WINNER]}
RECORDS = {
    "open": {
        "stake": one_of(100), "rules": HASH, "tax": {"above": count, "percent": lambda value: count(value) and value <= 100},
        "split": {"need": count, "platform": count, "policy": one_of("A", "B"), "reward": count, "winners": count},
        "witnesses": {"keys": [string], "quorum": lambda value: count(value) and value > 0},
    },
    "close": {"count": lambda value: count(value) and value > 0, "root": HASH, "round": count, "sealedAt": count},
    "void": {"reason": one_of("empty", "beacon"), "returned": count},
    "books": {"books": HASH},
    "key": {"new": string, "old": string, "signature": SIGNATURE},
    "verifier": {"program": HASH},
}
RECEIPT = {
    "day": is_day, "ticket": HASH, "v": one_of(1),
    "receipt": {"count": count, "index": count, "keyId": hexed(4), "path": [HASH], "signature": SIGNATURE, "time": count},
}
HELP_DAYS = [{"day": is_day, "paise": count}]
BOOKS = {
    "v": one_of(1), "day": is_day, "intake": {"count": count, "paise": count},
    "settlements": [{"need": count, "platform": count, "round": is_day, "winners": [{"amount": count, "tax": count, "ticket": HASH}]}],
    "returns": [{"paise": count, "round": is_day}],
    "help": {
        "closing": balance, "corrections": [{"corrects": HASH, "days": HELP_DAYS, "evidence": [HASH], "paise": count}],
        "disbursements": [{"days": HELP_DAYS, "evidence": [HASH], "paise": count}], "in": count, "open": HELP_DAYS, "opening": balance,
    },
    "house": [{"evidence": [HASH], "kind": string, "paise": count}],
    "flows": [{"from": string, "kind": string, "paise": lambda value: count(value) and value > 0, "to": string}],
    "accounts": [{"account": string, "closing": balance, "in": count, "opening": balance, "out": count}],
    "liabilities": {"count": count, "root": HASH, "total": count},
}
DRAW_FILE = {"assurance": one_of("weak", "sealed"), "day": is_day, "records": [{"index": count, "record": lambda value: type(value) is dict}], "v": one_of(1)}


def check_record(record) -> None:
    need(type(record) is dict and record.get("v") == 1 and type(record.get("v")) is int and is_day(record.get("day")), "a record without v = 1 or day")
    kind = record.get("kind")
    if kind == "result":
        form = dict(RESULT, **({"secret": HASH} if "secret" in record else {"signature": hexed(48)}))
    else:
        need(type(kind) is str and kind in RECORDS, "a record of an unknown kind")
        form = dict(RECORDS[kind])
    if kind == "open":
        mode = record["draw"].get("mode") if type(record.get("draw")) is dict else None
        need(type(mode) is str and mode in DRAWS_BY, "a draw of an unknown mode")
        form["draw"] = DRAWS_BY[mode]
    check_form(record, dict(form, v=one_of(1), kind=string, day=is_day), kind)


def raw_id(name: str, raw: bytes) -> bytes:
    return sha(name.encode() + b"\n" + raw)[:4]


def verifier_key(text: str, kind: int):
    """Parses `name+id+base64` into (name, id, public key)."""
    name, _, rest = text.partition("+")
    identity, _, data = rest.partition("+")
    raw = unbase64(data)
    need(re.fullmatch(r"[!-*,-~]+", name) and len(raw) == 33 and raw[0] == kind, "not a verifier key")
    need(kind == WITNESS_KEY or len(name) <= 128, "the name of a log is too long")
    need(unhex(identity, 4) == raw_id(name, raw), "the id of a key is wrong")
    return name, raw_id(name, raw), raw[1:]


class Checkpoint:
    """A signed note: origin, size and root, the text that is signed, and the signature lines."""

    def __init__(self, text: str, lines: list):
        rows = text.split("\n")
        self.text, self.origin, self.root = text.encode(), rows[0], unbase64(rows[2])
        need(re.fullmatch(r"[!-*,-~]{1,128}", rows[0]) and re.fullmatch(r"[1-9][0-9]{0,15}", rows[1]), "not a checkpoint")
        self.size = int(rows[1])
        need(len(self.root) == 32, "not a root")
        self.signatures = []
        for line in lines:
            match = re.fullmatch(r"— ([!-*,-~]+) ([A-Za-z0-9+/=]+)", line)
            need(match, "not a signature line")
            raw = unbase64(match[2])
            self.signatures.append((match[1], raw[:4], raw[4:]))
        need(self.signatures, "a checkpoint without signatures")

    def check(self, key: tuple, witnesses: dict) -> None:
        """Checks that every signature line is known and valid; `key` is the log's: (name, id, public key)."""
        need(self.origin == key[0], f"the key of this log is not named {self.origin}")
        name, identity, signature = self.signatures[0]
        need((name, identity) == key[:2] and signed_by(key[2], self.text, signature), f"the checkpoint of {self.size} records is not signed by the key in force")
        names = [name for name, _, _ in self.signatures[1:]]
        need(names == sorted(set(names)), "cosignatures are not in order, or two are of one name")
        need(len(self.cosigned(witnesses)) == len(names), "a cosignature is invalid, or the log does not name its witness")

    def cosigned(self, witnesses: dict) -> list:
        """Returns (public key, time in s) of each valid cosignature by one of the witnesses."""
        found = []
        for name, identity, signature in self.signatures[1:]:
            public, seconds = witnesses.get((name, identity)), int.from_bytes(signature[:8], "big")
            if public and seconds < LIMIT and signed_by(public, b"cosignature/v1\ntime %d\n" % seconds + self.text, signature[8:]):
                found.append((public, seconds))
        return found


def checkpoints(data: bytes) -> list:
    """Parses concatenated notes: each has three lines, an empty line and signature lines that start with a dash."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise Fail("not UTF-8") from None
    need(text.endswith("\n"), "no line end at the end")
    lines, found, start = text[:-1].split("\n"), [], 0
    while start < len(lines):
        need(len(lines) >= start + 5 and lines[start + 3] == "", "not a checkpoint")
        end = next((at for at in range(start + 4, len(lines)) if not lines[at].startswith("— ")), len(lines))
        found.append(Checkpoint("\n".join(lines[start : start + 3]) + "\n", lines[start + 4 : end]))
        start = end
    return found


# --- the published files --------------------------------------------------------------------------


class Files:
    """Reads from a folder or an address. A missing file is None; a failed request raises Incomplete."""

    def __init__(self, base: str, fresh: bool = False):
        self.address, self.fresh = base if re.match("https?://", base) else None, fresh
        if self.address and re.fullmatch("https?://[^/]+/?", self.address):
            self.address = self.address.rstrip("/") + "/api/public"
        self.folder = None if self.address else pathlib.Path(base)

    def again(self):
        """The same files without caches; None for a folder, which does not change."""
        return Files(self.address, fresh=True) if self.address else None

    def open(self, path: str):
        json_file = re.fullmatch(r"(draws|books)/[0-9-]+", path)
        if self.address:
            # A static host has the file with the ending .json.
            found = self.ask(path, json_file)
            return self.ask(path + ".json", json_file) if found is None and json_file else found
        try:
            return open(self.folder / (path + ".json" if json_file else path), "rb")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise Incomplete(f"{path} could not be read ({error})") from None

    def ask(self, path: str, json_file):
        headers, name = {"Cache-Control": "no-cache"} if self.fresh else {}, path.removesuffix(".json")
        try:
            found = urllib.request.urlopen(urllib.request.Request(f"{self.address.rstrip('/')}/{path}", headers=headers), timeout=60)
        except urllib.error.HTTPError as error:
            if error.code in (404, 410) or (json_file and (error.url or "").endswith("/")):
                return None
            raise Incomplete(f"{name}: the site answered {error.code}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Incomplete(f"{name} could not be read ({error})") from None
        # Static hosts answer a missing file with a redirect to the folder of the same name or to their home page.
        if json_file and found.geturl().endswith("/"):
            found.close()
            return None
        # A network's login page says nothing about the site. A static host may have the file with the ending .json.
        if found.headers.get_content_type() == "text/html":
            found.close()
            if json_file and not path.endswith(".json"):
                return None
            raise Incomplete(f"{name}: a web page came instead of the file; does this network ask for a login?")
        return found

    def piece(self, stream, path: str, size: int) -> bytes:
        try:
            data = stream.read(size)
            # read(size) does not report a cut connection: a remaining Content-Length does.
            if not data and getattr(stream, "length", 0):
                raise Incomplete(f"{path} broke off")
            return data
        except (OSError, http.client.HTTPException) as error:
            raise Incomplete(f"{path} broke off ({error})") from None

    def read(self, path: str):
        stream = self.open(path)
        if stream is None:
            return None
        with stream:
            pieces, whole = [], 0
            while data := self.piece(stream, path, 2**20):
                pieces.append(data)
                whole += len(data)
                need(whole <= MOST_BYTES, "longer than any such file can be")
            return b"".join(pieces)

    def rows(self, path: str, size: int):
        """Yields rows of `size` bytes; raises Fail if the last row is incomplete."""
        stream = self.open(path)
        if stream is None:
            raise Incomplete(f"{path} is missing")
        with stream:
            rest = b""
            while block := self.piece(stream, path, size * 8192):
                rest += block
                whole = len(rest) - len(rest) % size
                for at in range(0, whole, size):
                    yield rest[at : at + size]
                rest = rest[whole:]
            need(not rest, f"{path} is not a whole number of entries")


# --- chapters 4 to 7: the draw --------------------------------------------------------------------


def round_for(sealed_at: int, genesis: int, period: int) -> int:
    return -((genesis * 1000 - (sealed_at + 900_000)) // (period * 1000)) + 1


def local_randomness(secret: bytes, day: str, entries: int, root: bytes) -> bytes:
    return sha(b"roz/v1/local\n" + secret + day.encode() + u64(entries) + root)


def chain_hash(chain: dict) -> bytes:
    start = chain["period"].to_bytes(4, "big") + u64(chain["genesis"])
    return sha(start + bytes.fromhex(chain["publicKey"]) + bytes.fromhex(chain["groupHash"]) + chain["beaconId"].encode())


def seed_of(day: str, entries: int, root: bytes, chain: bytes, number: int, randomness: bytes) -> bytes:
    return sha(b"roz/v1/draw\n" + day.encode() + u64(entries) + root + chain + u64(number) + randomness)


def picks(seed: bytes, entries: int, wanted: int) -> list:
    moved, found = {}, []
    for j in range(min(wanted, entries)):
        r = j + int.from_bytes(sha(b"roz/v1/pick\n" + seed + u64(j)), "big") % (entries - j)
        found.append(moved.get(r, r))
        moved[r] = moved.get(j, j)
    return found


def order_of(seed: bytes, numbers: list) -> list:
    return sorted(numbers, key=lambda number: sha(b"roz/v1/order\n" + seed + number.encode()))


def shares_of(entries: int, split: dict, tax: dict) -> dict:
    pool, k = entries * 100, min(split["winners"], entries)
    platform = pool * split["platform"] // 100
    prize = pool * split["reward"] // 100 // k if k else 0
    withheld = prize * tax["percent"] // 100 if prize > tax["above"] else 0
    return {"need": pool - platform - k * prize, "platform": platform, "pool": pool, "prize": prize, "tax": withheld, "winners": k}


# --- chapter 12: books ----------------------------------------------------------------------------

ALWAYS = {
    "BANK", "GATEWAY", "GATEWAY_FEES", "HELP_FUND", "LOSSES", "MEMBERS", "PAYOUTS_PENDING", "PLATFORM", "REFUNDS_PENDING", "SUSPENSE",
    "TAX_WITHHELD",
}
OWED = ("MEMBERS", "PAYOUTS_PENDING", "REFUNDS_PENDING")
KINDS = {
    "topup": "GATEWAY>MEMBERS", "topup_suspense": "GATEWAY>SUSPENSE", "suspense_credit": "SUSPENSE>MEMBERS",
    "suspense_refund": "SUSPENSE>REFUNDS_PENDING", "join": "MEMBERS>POOL", "prize": "POOL>MEMBERS", "need": "POOL>HELP_FUND",
    "platform": "POOL>PLATFORM", "tax": "POOL>TAX_WITHHELD", "round_refund": "POOL>MEMBERS", "disbursement": "HELP_FUND>BANK",
    "disbursement_back": "BANK>HELP_FUND", "platform_out": "PLATFORM>BANK", "tds_remitted": "TAX_WITHHELD>BANK", "losses_covered": "PLATFORM>LOSSES",
    "gift": "MEMBERS>HELP_FUND", "gateway_settled": "BANK>GATEWAY GATEWAY_FEES>GATEWAY", "wd_hold": "MEMBERS>PAYOUTS_PENDING",
    "wd_paid": "PAYOUTS_PENDING>BANK", "wd_back": "PAYOUTS_PENDING>MEMBERS", "wd_reversed": "BANK>MEMBERS BANK>SUSPENSE", "wd_conflict": "LOSSES>BANK",
    "wd_conflict_back": "BANK>LOSSES", "refund_hold": "MEMBERS>REFUNDS_PENDING", "refund_paid": "REFUNDS_PENDING>GATEWAY",
    "refund_failed": "REFUNDS_PENDING>MEMBERS REFUNDS_PENDING>SUSPENSE", "refund_reversed": "GATEWAY>MEMBERS GATEWAY>SUSPENSE",
    "refund_conflict": "LOSSES>GATEWAY", "refund_conflict_back": "GATEWAY>LOSSES", "chargeback": "MEMBERS>GATEWAY LOSSES>GATEWAY SUSPENSE>GATEWAY",
    "suspense_paid": "SUSPENSE>BANK", "chargeback_back": "GATEWAY>MEMBERS GATEWAY>LOSSES GATEWAY>SUSPENSE",
    "cover": "LOSSES>MEMBERS LOSSES>SUSPENSE", "cover_back": "MEMBERS>LOSSES SUSPENSE>LOSSES",
    "debt_paid": "MEMBERS>LOSSES SUSPENSE>LOSSES", "debt_back": "LOSSES>MEMBERS LOSSES>SUSPENSE",
}


def check_books_form(books) -> None:
    check_form(books, BOOKS, "books")
    names = [row["account"] for row in books["accounts"]]
    need(names == sorted(set(names)) and ALWAYS <= set(names), "accounts are missing or out of order")
    for row in books["accounts"]:
        pool = row["account"].startswith("POOL:") and is_day(row["account"][5:])
        need(row["account"] in ALWAYS or pool and (row["opening"] or row["in"] or row["out"]), f"account {row['account']}")
    for name, keys in (("flows", ("kind", "from", "to")), ("settlements", ("round",)), ("returns", ("round",))):
        order = [tuple(row[key] for key in keys) for row in books[name]]
        need(order == sorted(set(order)), f"{name} are out of order")
    help_now = books["help"]
    for entries in (help_now["disbursements"], help_now["corrections"], books["house"]):
        order = [(entry["evidence"], entry["paise"]) for entry in entries]
        need(order == sorted(order), "entries are out of order")
        need(all(is_ascending(entry["evidence"]) for entry in entries), "the evidence of an entry is out of order")
    for days in (help_now["open"], *(entry["days"] for entry in help_now["disbursements"] + help_now["corrections"])):
        need(is_ascending([part["day"] for part in days]), "days are out of order")


def is_ascending(values: list) -> bool:
    return values == sorted(set(values))


def check_balance(books: dict) -> None:
    """Checks that the flows give the accounts and that the accounts add up to zero."""
    into, out = {}, {}
    for flow in books["flows"]:
        sides = ">".join("POOL" if side.startswith("POOL:") else side for side in (flow["from"], flow["to"]))
        need(sides in KINDS.get(flow["kind"], "").split(), f"a flow {flow['kind']} from {flow['from']} to {flow['to']} is of an unknown kind")
        out[flow["from"]] = out.get(flow["from"], 0) + flow["paise"]
        into[flow["to"]] = into.get(flow["to"], 0) + flow["paise"]
    accounts = {row["account"]: row for row in books["accounts"]}
    need(into.keys() | out.keys() <= accounts.keys(), "a flow between accounts that are not in the books")
    for name, row in accounts.items():
        need((row["in"], row["out"]) == (into.get(name, 0), out.get(name, 0)), f"{name}: its flows are {into.get(name, 0)} in and {out.get(name, 0)} out, it says {row['in']} and {row['out']}")
        need(row["closing"] == row["opening"] + row["in"] - row["out"], f"{name}: {row['opening']} + {row['in']} − {row['out']} is not {row['closing']} paise")
        owes = name in OWED or name in ("SUSPENSE", "HELP_FUND", "PLATFORM", "TAX_WITHHELD") or name.startswith("POOL:")
        need(not owes or row["closing"] >= 0, f"{name} closes below zero: {row['closing']} paise")
    need(sum(row["closing"] for row in accounts.values()) == 0, "the closings do not add up to zero")


def check_rounds(books: dict, rounds: dict, entries: int) -> None:
    """`rounds`: close, result and void of each day that were in the log before the books were."""
    accounts = {row["account"]: row for row in books["accounts"]}
    flows = {(flow["from"], flow["kind"]): flow["paise"] for flow in books["flows"] if flow["from"].startswith("POOL:")}
    joins = [(flow["to"], flow["paise"]) for flow in books["flows"] if flow["kind"] == "join"]
    took = books["intake"]
    need(took == {"count": entries, "paise": 100 * entries}, f"{entries} entries were sealed, the books took in {took['count']} and {took['paise']} paise")
    need(joins == ([("POOL:" + books["day"], 100 * entries)] if entries else []), "what flowed into pools is not the intake of the day")
    expected = {}
    for settled in books["settlements"]:
        day, winners = settled["round"], settled["winners"]
        result = rounds.get(day, {}).get("result")
        need(result, f"the round of {day} was paid out before its result was in the log")
        told = [{key: winner[key] for key in ("amount", "tax", "ticket")} for winner in result["winners"]]
        need(winners == told, f"the round of {day} paid people other than its winners")
        need((settled["need"], settled["platform"]) == (result["shares"]["need"], result["shares"]["platform"]), f"the round of {day} has other shares than its result")
        paid = {"prize": sum(winner["amount"] - winner["tax"] for winner in winners), "tax": sum(winner["tax"] for winner in winners)}
        expected |= {("POOL:" + day, kind): paise for kind, paise in {**paid, "need": settled["need"], "platform": settled["platform"]}.items() if paise}
    for returned in books["returns"]:
        ended = rounds.get(returned["round"], {})
        need(ended.get("void", {}).get("reason") == "beacon", f"the round of {returned['round']} was returned although it is not void")
        need(returned["paise"] == 100 * ended["close"]["count"], f"the round of {returned['round']} returned a different amount: {returned['paise']} paise")
        expected[("POOL:" + returned["round"], "round_refund")] = returned["paise"]
    need(flows == expected, "what left the pools is not what was settled and returned")
    for ended in books["settlements"] + books["returns"]:
        need(accounts.get("POOL:" + ended["round"], {}).get("closing") == 0, f"POOL:{ended['round']} was paid out and does not close at 0")


def check_help(books: dict) -> None:
    fund = next(row for row in books["accounts"] if row["account"] == "HELP_FUND")
    told = books["help"]
    need([told[key] for key in ("opening", "in", "closing")] == [fund[key] for key in ("opening", "in", "closing")], "help differs from the account HELP_FUND")
    entries = told["disbursements"] + told["corrections"]
    for entry in entries + books["house"]:
        need(entry["evidence"] and entry["paise"], "an entry has 0 paise or no evidence")
    for entry in entries:
        need(all(part["paise"] for part in entry["days"]) and total(entry["days"]) == entry["paise"], f"an entry of {entry['paise']} paise is not what its days add up to")
    need(all(entry["kind"] in HOUSE for entry in books["house"]), "an entry of the house is of an unknown kind")
    by_kind = {"disbursement": told["disbursements"], "disbursement_back": told["corrections"]}
    by_kind |= {kind: [entry for entry in books["house"] if entry["kind"] == kind] for kind in HOUSE}
    for kind, rows in by_kind.items():
        need(total(rows) == flowed(books, kind), f"the entries {kind} add up to {total(rows)} paise, the flow says otherwise")
    need(len(set(receipts(books))) == len(receipts(books)), "one receipt is the evidence of two entries")
    need(total(told["open"]) == told["closing"], f"the open days of help have {total(told['open'])} paise, the fund closes at {told['closing']}")


HOUSE = ("losses_covered", "platform_out", "tds_remitted")


def total(rows: list) -> int:
    return sum(row["paise"] for row in rows)


def flowed(books: dict, kind: str) -> int:
    return total([flow for flow in books["flows"] if flow["kind"] == kind])


def receipts(books: dict) -> list:
    entries = books["help"]["disbursements"] + books["help"]["corrections"] + books["house"]
    return [receipt for entry in entries for receipt in entry["evidence"]]


def evidences(books: dict) -> set:
    return set(receipts(books))


def came_in(books: dict) -> list:
    """The income of the fund, by the day whose share it is."""
    parts = [(settled["round"], settled["need"]) for settled in books["settlements"]] + [(books["day"], flowed(books, "gift"))]
    return parts + [(part["day"], part["paise"]) for entry in books["help"]["corrections"] for part in entry["days"]]


def given(books: dict) -> list:
    return [(part["day"], part["paise"]) for entry in books["help"]["disbursements"] for part in entry["days"]]


def days_of(*signed: tuple) -> dict:
    """Adds up parts by day. Days with nothing left are left out."""
    days = {}
    for sign, parts in signed:
        for day, paise in parts:
            days[day] = days.get(day, 0) + sign * paise
    return {day: paise for day, paise in days.items() if paise}


def check_help_days(books: dict, before) -> None:
    """Checks that no day's share is given twice or exceeded, oldest first, and that no more comes back than was given."""
    shown = [(part["day"], part["paise"]) for part in before["help"]["open"]] if before else []
    left = days_of((1, shown), (1, came_in(books)), (-1, given(books)))
    now = days_of((1, [(part["day"], part["paise"]) for part in books["help"]["open"]]))
    need(left == now, "the open days are not those of the day before, what came in and what was given")
    if before:
        kept = days_of((1, shown), (-1, came_in(before)), (-1, given(books)))
        newest = max((day for day, _ in given(books)), default="")
        need(not any(paise > 0 and day < newest for day, paise in kept.items()), "a newer day was given while an older one was open")
    originals = {}
    for one in [before, books] if before else [books]:
        for entry in one["help"]["disbursements"]:
            has = {part["day"]: part["paise"] for part in entry["days"]}
            originals.update({receipt: has for receipt in entry["evidence"]})
    for one in [before, books] if before else [books]:
        for entry in one["help"]["corrections"]:
            has = originals.get(entry["corrects"])
            for part in entry["days"] if has is not None else []:
                has[part["day"]] = has.get(part["day"], 0) - part["paise"]
            need(has is None or all(paise >= 0 for paise in has.values()), f"a correction returns more to a day than the disbursement {entry['corrects'][:12]}… took")


def check_carry_over(books: dict, before) -> None:
    was = {row["account"]: row["closing"] for row in before["accounts"]} if before else {}
    now = {row["account"]: row["opening"] for row in books["accounts"]}
    for name in was.keys() | now.keys():
        need(was.get(name, 0) == now.get(name, 0), f"{name} opens at {now.get(name, 0)} paise and closed at {was.get(name, 0)} the day before")
    lent = {flow["to"]: flow["paise"] for flow in before["flows"] if flow["kind"] == "cover"} if before else {}
    back = {flow["from"]: flow["paise"] for flow in books["flows"] if flow["kind"] == "cover_back"}
    need(lent == back, "the cover of the day before was not returned exactly")
    need(not before or not evidences(books) & evidences(before), "a receipt of the day before is the evidence of another entry")
    check_help_days(books, before)


def check_solvency(books: dict) -> str:
    """Compares what the house has with what it owes. Its share bears fees and losses, which its account shows as negative."""
    at = {row["account"]: row["closing"] for row in books["accounts"]}
    # A share below zero is a finding of books-balance.
    share, fees, losses = max(at["PLATFORM"], 0), at["GATEWAY_FEES"], at["LOSSES"]
    new = total([flow for flow in books["flows"] if flow["from"] in ("GATEWAY_FEES", "LOSSES")])
    before = share + fees + min(losses, 0) + new
    need(before >= 0 or not flowed(books, "platform_out"), f"the platform was paid while its share did not cover {-before} paise of older fees and losses")
    left, wrong = share + fees + losses, []
    if left < 0:
        owed = sum(paise for name, paise in at.items() if name not in ("BANK", "GATEWAY", "GATEWAY_FEES", "LOSSES", "PLATFORM"))
        wrong.append(f"the house owes {owed} paise and {-left} of them are missing: fees and losses exceed the platform’s share")
    if flowed(books, "suspense_paid"):
        wrong.append(f"{flowed(books, 'suspense_paid')} paise left SUSPENSE by decision, and no evidence is published")
    if losses > 0 and flowed(books, "debt_paid"):
        wrong.append(f"{losses} paise of debts were paid beyond all losses in the accounts")
    if wrong:
        raise Weak("; ".join(wrong))
    return f"{left} paise are left of the platform’s share"


def keys_of_day(keys: list, since: list, day: str) -> list:
    """Returns the keys in force at any time of a day. `since`: the day of each key's record; the first key has none."""
    begin, end = [datetime.date.min.isoformat(), *since], [*since, datetime.date.max.isoformat()]
    return [key for key, first, last in zip(keys, begin, end) if first <= day <= last]


def check_receipt(receipt: dict, keys: list) -> None:
    """Checks a receipt: in its batch, of its day, signed by a log key of that day. Keys: (name, id, public key)."""
    check_form(receipt, RECEIPT, "receipt")
    inner, path = receipt["receipt"], [bytes.fromhex(step) for step in receipt["receipt"]["path"]]
    top = climb(entry_leaf(bytes.fromhex(receipt["ticket"])), inner["index"], inner["count"], path, hash_tree().join)
    start = day_start_ms(receipt["day"])
    need(start <= inner["time"] < start + 86_400_000, "not a receipt: its time is outside its day")
    message = b"roz/v1/receipt\n" + receipt["day"].encode() + top + u64(inner["time"])
    valid = any(key[1].hex() == inner["keyId"] and signed_by(key[2], message, bytes.fromhex(inner["signature"])) for key in keys)
    need(valid, "not a receipt: no key that this log had on that day signed it")


# --- chapter 15: the steps ------------------------------------------------------------------------


class Day:
    """All files of one day. Each step is a method: it returns words or raises its verdict."""

    def __init__(self, files: Files, day: str, options: dict):
        self.files, self.day, self.options, self.broken, self.missing, self.received = files, day, options, [], [], {}
        self.draw = self.load(f"draws/{day}", lambda data: of_day(decoded_as(data, DRAW_FILE), day))
        self.sealed = self.load(f"log/sealed/{day}", checkpoints)
        self.books = self.load(f"books/{day}", lambda data: of_day(decoded_books(data), day))
        self.log_key = self.load("log/key", lambda data: log_key_of(data))
        self.checkpoint = self.load("log/checkpoint", one_checkpoint)
        self.lines = self.load_entries()
        self.records, self.unread = [], None
        # An incomplete log allows no conclusion.
        whole = self.checkpoint is not None and len(self.lines) == self.checkpoint[1].size
        for line in self.lines if whole else []:
            try:
                self.records.append(decoded(line))
            except Fail as error:
                self.records.append(None)
                self.unread = self.unread or str(error)
        self.of_day = {}
        for index, record in enumerate(self.records):
            if type(record) is dict and record.get("day") == day and type(record.get("kind")) is str:
                self.of_day.setdefault(record["kind"], (index, record))
        self.first = next((record.get("day") for record in self.records if type(record) is dict and record.get("kind") == "open"), None)
        before, self.before = day_after(day, -1), None
        self.yesterday = [one["books"] for one in self.records if type(one) is dict and (one.get("kind"), one.get("day")) == ("books", before) and "books" in one]
        if self.yesterday:
            self.before = self.load(f"books/{before}", lambda data: of_day(decoded_books(data), before))

    def load(self, path: str, decode):
        try:
            data = self.files.read(path)
        except Incomplete as error:
            data, self.received[path] = None, str(error)
        except Fail as error:
            self.broken.append(f"{path}: {error}")
            return None
        if data is None:
            self.missing.append(path)
            return None
        try:
            return data, decode(data)
        except Fail as error:
            self.broken.append(f"{path}: {error}")
            return None

    def whole_log(self) -> Checkpoint:
        checkpoint = self.value("checkpoint")
        if len(self.lines) < checkpoint.size:
            raise Incomplete("records of the log are missing")
        return checkpoint

    def assert_covered(self, note: Checkpoint) -> None:
        """Ends as incomplete for records beyond the checkpoint: their root and the key in force are unknown."""
        if note.size > len(self.records):
            raise Incomplete(f"the log signed {note.size} records and shows {len(self.records)}")

    def load_entries(self) -> list:
        size, lines = self.checkpoint[1].size if self.checkpoint else 0, []
        for chunk in range((size + 255) // 256):
            found = self.load(f"log/entries/{chunk}", lambda data: data.split(b"\n", 257))
            if found is None:
                break
            wanted, whole, rest = min(256, size - 256 * chunk), found[1][:-1], found[1][-1]
            lines += whole[:wanted]
            if len(whole) > 256:
                self.broken.append(f"log/entries/{chunk}: more than 256 records")
            elif rest:
                self.broken.append(f"log/entries/{chunk}: a line without its end")
            if len(whole) < wanted:
                self.missing.append(f"log/entries/{chunk} to its end")
                break
        return lines

    def record(self, kind: str) -> dict:
        if kind not in self.of_day:
            raise Incomplete(f"no {kind} record yet")
        return self.of_day[kind][1]

    def value(self, name: str):
        found = getattr(self, name)
        if found is None:
            raise Incomplete(f"{name.replace('_', ' ')} cannot be read")
        return found[1]

    def drawn(self) -> tuple:
        if "void" in self.of_day:
            raise NotApplicable("no winner: the round is void")
        return self.record("open"), self.record("close"), self.record("result")

    def keys(self, size: int) -> list:
        """Returns the log's keys up to a size; the last one is in force."""
        changes = [record for record in self.records[:size] if type(record) is dict and record.get("kind") == "key"]
        after = [record for record in self.records if type(record) is dict and record.get("kind") == "key"]
        first = after[0]["old"] if after else self.value("log_key")
        return [verifier_key(text, LOG_KEY) for text in [first, *(record["new"] for record in changes)]]

    def witnesses(self, opens: list) -> dict:
        keys = [verifier_key(text, WITNESS_KEY) for record in opens for text in record["witnesses"]["keys"]]
        return {(name, identity): public for name, identity, public in keys}

    def step_files(self):
        promised = {"log/key", "log/checkpoint", f"draws/{self.day}"} | {path for path in self.missing if path.startswith("log/entries")}
        if "close" in self.of_day:
            promised |= {f"log/sealed/{self.day}", f"draws/{self.day}/tickets"}
        if "books" in self.of_day:
            promised |= {f"books/{self.day}", f"liabilities/{self.day}"}
        if self.yesterday:
            promised.add(f"books/{day_after(self.day, -1)}")
        for path in (f"draws/{self.day}/tickets", f"liabilities/{self.day}"):
            if path not in promised:
                continue
            try:
                stream = self.files.open(path)
            except Incomplete as error:
                stream, self.received[path] = None, str(error)
            if stream is None:
                self.missing.append(path)
            else:
                stream.close()
        if "open" in self.of_day and HASH(self.record("open").get("rules")):
            rules = f"rules/{self.record('open')['rules']}"
            promised.add(rules)
            found = self.load(rules, lambda data: data)
            need(found is None or sha(found[0]).hex() == rules[6:], f"{rules} has another hash")
        if "void" in self.of_day and "close" not in self.of_day:
            listed = self.files.open(f"draws/{self.day}/tickets")
            if listed is not None:
                listed.close()
            need(listed is None, f"draws/{self.day}/tickets is there, but the day had no entries")
        need(not self.broken, "; ".join(self.broken))
        need(not self.unread, f"log/entries: {self.unread}")
        lost = sorted(promised & set(self.missing))
        if lost:
            # The reason says more than the name of the file.
            raise Incomplete("missing: " + " · ".join(self.received.get(path, path) for path in lost))

    def step_log_signature(self):
        checkpoint, told = self.whole_log(), self.value("log_key")
        opens = [record for record in self.records if type(record) is dict and record.get("kind") == "open"]
        keys = self.keys(len(self.records))
        need(keys[-1] == verifier_key(told, LOG_KEY), "log/key is not the key in force")
        for at, record in enumerate(record for record in self.records if type(record) is dict and record.get("kind") == "key"):
            old, new = verifier_key(record["old"], LOG_KEY), verifier_key(record["new"], LOG_KEY)
            need(old == keys[at] and old[0] == new[0], "the records that replace the log’s key are not linked and signed")
            need(signed_by(old[2], b"roz/v1/key\n" + record["day"].encode() + new[2], bytes.fromhex(record["signature"])), "the records that replace the log’s key are not linked and signed")
        checkpoint.check(keys[-1], self.witnesses(opens))
        trusted = self.options.get("key")
        need(trusted is None or verifier_key(trusted, LOG_KEY) in keys, "the key that you trust is not one of this log")
        if self.sealed:
            for note in self.value("sealed"):
                self.assert_covered(note)
                note.check(self.keys(note.size)[-1], self.witnesses([self.record("open")]))
        return "by the key that the site itself names: " + told if trusted is None else ""

    def step_log_consistency(self):
        checkpoint = self.whole_log()
        wanted = [checkpoint, *(self.value("sealed") if self.sealed else [])]
        kept = self.options.get("kept")
        if kept:
            need(kept.origin == checkpoint.origin, "the checkpoint you kept is of another log")
            need(kept.size <= checkpoint.size, "the log is shorter than the checkpoint you kept")
            wanted.append(kept)
        roots, tree, sizes = {}, hash_tree(), {note.size for note in wanted}
        for line in self.lines:
            tree.add(entry_leaf(line))
            if tree.size in sizes:
                roots[tree.size] = tree.root()
        for note in wanted:
            self.assert_covered(note)
            need(roots.get(note.size) == note.root, f"the records do not give the root of size {note.size}")

    def step_log_order(self):
        place, _ = LogOrder(), self.whole_log()
        for record in self.records:
            check_record(record)
            place.add(record)
        need(place.opened, "the log has no day")
        witnesses = self.witnesses([record for record in self.records if record["kind"] == "open"])
        own = {key[2] for key in self.keys(len(self.records))} if self.log_key else set()
        need(not own & set(witnesses.values()), "the log is its own witness")
        lacking = {"open"} - self.of_day.keys() or ({"result or void"} if not {"result", "void"} & self.of_day.keys() else {"books"} - self.of_day.keys())
        if lacking:
            raise Incomplete(f"no {lacking.pop()} record of this day yet")

    def step_log_inclusion(self):
        draw, _ = self.value("draw"), self.whole_log()
        kinds = ("open", "close", "result", "void")
        mine = [(at, one) for at, one in enumerate(self.records) if type(one) is dict and one.get("day") == self.day and one.get("kind") in kinds]
        # During a day its file may be ahead of the checkpoint. After the day's end the file is final.
        final = {"result", "void"} & self.of_day.keys()
        shown = [one for one in draw["records"] if final or one["index"] < len(self.records)]
        need(shown == [{"index": at, "record": one} for at, one in mine], f"draws/{self.day} shows other records than the log has of that day")
        if "books" in self.of_day:
            self.value("books")
            need(sha(self.books[0]).hex() == self.record("books")["books"], f"books/{self.day} is not the file whose hash is in the log")

    def step_entries_root(self):
        if "void" in self.of_day and "close" not in self.of_day:
            raise NotApplicable("the day had no entries")
        close, tree, last, wanted = self.record("close"), hash_tree(), b"", {}
        if "result" in self.of_day:
            wanted = {winner["position"]: None for winner in self.record("result")["winners"]}
        self.tickets, sought = wanted, bytes.fromhex(self.options["receipt"]["ticket"]) if self.options.get("receipt") else None
        found, ascending, key, place = False, True, self.options.get("ticket-key"), None
        own = own_ticket(key, self.day) if key else None
        for ticket in self.files.rows(f"draws/{self.day}/tickets", 32):
            ascending, last = ascending and ticket > last, ticket
            if tree.size in wanted:
                wanted[tree.size] = ticket.hex()
            place = tree.size if ticket == own else place
            found = found or ticket == sought
            tree.add(entry_leaf(ticket))
            if tree.size > close["count"]:
                # More tickets than sealed is already a failure, and the stream may be endless. The rest may have the receipt's ticket.
                self.found = found or None
                raise Fail(f"more tickets are listed than the {close['count']} that were sealed")
        self.found = found
        need(ascending, "the tickets are not in ascending order, or one is listed twice")
        need(tree.size == close["count"], f"{tree.size} tickets are listed, {close['count']} were sealed")
        need(tree.root().hex() == close["root"], "the tickets do not give the sealed root")
        yours = "" if key is None else ", none of them yours" if place is None else f", yours at position {place}"
        return f"{tree.size} entries" + yours

    def step_sealed_in_time(self):
        opened, empty = self.record("open"), "void" in self.of_day and "close" not in self.of_day
        assurance = self.draw and self.draw[1]["assurance"]
        if empty:
            need(assurance in (None, "weak"), "a day without a list is called sealed")
            raise NotApplicable("the day had no entries")
        close, notes = self.record("close"), self.value("sealed")
        # A record that a witness dates before the seal, less a minute for a slow clock, did not exist then.
        earliest, latest, own = close["sealedAt"] - 60_000, close["sealedAt"] + 900_000 - 60_000, self.witnesses([opened])
        seen, not_late = set(), set()
        for at, note in enumerate(notes):
            need(note.size > self.of_day["close"][0], f"a checkpoint of {note.size} records does not contain the close record")
            need(at == 0 or note.size > notes[at - 1].size, "the checkpoints are not in ascending size")
            dated = [(public, seconds * 1000) for public, seconds in note.cosigned(own) if seconds * 1000 <= latest]
            need(at == 0 or dated, "log/sealed has a checkpoint without a cosignature in time")
            not_late |= {public for public, _ in dated}
            seen |= {public for public, time in dated if time >= earliest}
        enough, quorum = len(seen) >= opened["witnesses"]["quorum"], opened["witnesses"]["quorum"]
        # The first servers also counted impossibly early cosignatures: their "sealed" is no lie, but the day is weak.
        expected = ["sealed" if len(who) >= quorum and opened["draw"]["mode"] == "beacon" else "weak" for who in (seen, not_late)]
        need(assurance in (None, *expected), f"draws/{self.day} calls the day {assurance}, it is {expected[0]}")
        if self.options.get("witnesses"):
            enough = {verifier_key(text, WITNESS_KEY)[2] for text in self.options["witnesses"]} <= seen
        if opened["draw"]["mode"] == "local":
            raise Weak(self.demo_draw())
        if not enough:
            raise Weak(f"{len(seen)} witnesses saw the list in time: the operator could have changed it")
        return "by " + ", ".join(sorted(name for (name, _), public in own.items() if public in seen))

    def demo_draw(self) -> str:
        several = "result" in self.of_day and len(self.record("result")["winners"]) > 1
        return f"Demo draw — the operator could have chosen {'these winners' if several else 'this winner'}"

    def step_beacon_round(self):
        if "void" in self.of_day and "close" not in self.of_day:
            raise NotApplicable("the day had no entries")
        chain, close = self.record("open")["draw"], self.record("close")
        expected = 0 if chain["mode"] == "local" else round_for(close["sealedAt"], chain["genesis"], chain["period"])
        need(close["round"] == expected, f"the sealing time demands round {expected}, the record names {close['round']}")
        if "void" in self.of_day:
            returned = self.record("void")["returned"]
            need(returned == 100 * close["count"], f"{returned} paise were returned for {close['count']} entries")
            need(chain["mode"] == "beacon", "a local draw cannot wait for a beacon")
            need(chain["period"] < 2**32 and chain_hash(chain).hex() == chain["chainHash"], "the beacon’s parameters do not have the hash that names it")
            need(not self.options.get("drand"), f"round {expected} was there: the day should not have been void")
            raise Weak(f"void: check with a drand relay that round {expected} is missing")

    def step_beacon_signature(self):
        opened, close, result = self.drawn()
        chain, randomness = opened["draw"], bytes.fromhex(result["randomness"])
        if chain["mode"] == "local":
            need("secret" in result, "a local draw without its secret")
            secret = bytes.fromhex(result["secret"])
            need(sha(secret).hex() == chain["chainHash"], "the secret is not the one promised in the open record")
            need(local_randomness(secret, self.day, close["count"], bytes.fromhex(close["root"])) == randomness, "the randomness does not come from the secret and the list")
            raise Weak(self.demo_draw())
        need("signature" in result, "a draw by beacon without its signature")
        need(sha(bytes.fromhex(result["signature"])) == randomness, "the randomness is not the hash of the signature")
        need(chain["period"] < 2**32, "the period exceeds four bytes")
        need(chain_hash(chain).hex() == chain["chainHash"], "the beacon’s parameters do not have the hash that names it")
        if self.options.get("drand"):
            need(result["signature"] == self.options["drand"], "the signature is not the one that you fetched")
        if chain["chainHash"] != (self.options.get("chain") or QUICKNET):
            trusted = "the one that you trust" if self.options.get("chain") else "drand’s quicknet"
            raise Weak(f"the beacon {chain['chainHash'][:12]}… is not {trusted}: its operator could know the numbers")
        if not self.options.get("drand"):
            raise Incomplete(f"this program does not check BLS: compare round {close['round']} with a drand relay (--drand)")

    def step_seed(self):
        opened, close, result = self.drawn()
        expected = seed_of(
            self.day, close["count"], bytes.fromhex(close["root"]), bytes.fromhex(opened["draw"]["chainHash"]), close["round"], bytes.fromhex(result["randomness"])
        )
        need(expected.hex() == result["seed"], "the seed does not follow from list and randomness")

    def step_winners(self):
        opened, close, result = self.drawn()
        number = min(opened["split"]["winners"], close["count"])
        need(len(result["winners"]) == number, f"{number} winners are to be picked, {len(result['winners'])} are named")
        positions = picks(bytes.fromhex(result["seed"]), close["count"], opened["split"]["winners"])
        need([winner["position"] for winner in result["winners"]] == positions, "the winners are not at the positions that the seed picks")
        for winner in result["winners"]:
            held = getattr(self, "tickets", {}).get(winner["position"])
            if held is None:
                raise Incomplete("the list of tickets is missing")
            need(held == winner["ticket"], f"the ticket at position {winner['position']} is not the one named")
        return f"{len(positions)} picked"

    def step_split(self):
        split = self.record("open")["split"]
        parts = tuple(split[name] for name in ("need", "reward", "platform"))
        need(parts == ((60, 30, 10) if split["policy"] == "A" else (70, 30, 0)) and (split["policy"] == "B" or split["winners"] <= 1), f"the split is not that of policy {split['policy']}")
        opened, close, result = self.drawn()
        cut = shares_of(close["count"], split, opened["tax"])
        told = {name: cut[name] for name in ("need", "platform", "pool")}
        need(result["shares"] == told, f"of {cut['pool']} paise {cut['need']} go to help and {cut['platform']} to the platform, the result says otherwise")
        need(all((winner["amount"], winner["tax"]) == (cut["prize"], cut["tax"]) for winner in result["winners"]), "a reward or its tax is wrong")
        if cut["winners"] and cut["tax"] and opened["tax"]["percent"] > MOST_TAX_PERCENT:
            raise Weak(f"{opened['tax']['percent']} percent of each prize is withheld as tax: the law takes at most {MOST_TAX_PERCENT}")

    def step_books_balance(self):
        if "books" not in self.of_day:
            raise Incomplete("no books record yet")
        books, rounds = self.value("books"), {}
        for record in self.records[: self.of_day["books"][0]]:
            rounds.setdefault(record["day"], {})[record["kind"]] = record
        check_balance(books)
        check_rounds(books, rounds, self.of_day["close"][1]["count"] if "close" in self.of_day else 0)
        check_help(books)

    def step_carry_over(self):
        books = self.value("books")
        if self.first == self.day:
            check_carry_over(books, None)
            return "the log's first day"
        before = self.value("before")
        need(self.yesterday == [sha(self.before[0]).hex()], f"books/{day_after(self.day, -1)} is not the file whose hash is in the log")
        check_carry_over(books, before)

    def step_liabilities_total(self):
        books, tree, last = self.value("books"), sum_tree(), b""
        told, own, key = books["liabilities"], {}, self.options.get("ticket-key")
        ids = {part_id(key, self.day, number): number for number in range(MOST_PARTS)} if key else {}
        for row in self.files.rows(f"liabilities/{self.day}", 40):
            identity, amount = row[:32], int.from_bytes(row[32:], "big")
            need(identity > last, "the parts are not in ascending order, or one is listed twice")
            if not 1 <= amount <= 5000:
                raise Fail(f"a part of {amount} paise, outside 1 to 5000")
            last = identity
            tree.add(part_leaf(identity, amount))
            if tree.size > told["count"]:
                raise Fail(f"more parts are published than the {told['count']} that the books count")
            if identity in ids:
                own[ids[identity]] = amount
        root, total = tree.root()
        need((tree.size, root.hex(), total) == (told["count"], told["root"], told["total"]), "the parts are not those of the books")
        owed = sum(row["closing"] for row in books["accounts"] if row["account"] in OWED)
        need(total == owed, f"the accounts owe members {owed} paise, the parts add up to {total}")
        if key:
            gap = next(number for number in range(MOST_PARTS + 1) if number not in own)
            need(gap == len(own), "some of your parts are missing")
            return f"{total} paise in {tree.size} parts, of which {sum(own.values())} paise in {gap} are yours: is that your balance and what is held for you?"
        return f"{total} paise in {tree.size} parts"

    def step_solvency(self):
        return check_solvency(self.value("books"))

    def step_receipt(self):
        receipt = self.options.get("receipt")
        if receipt is None:
            raise NotApplicable("none was given")
        if receipt["day"] != self.day:
            raise Incomplete(f"the receipt is of {receipt['day']}: it says nothing about this day")
        since = [record["day"] for record in self.records if type(record) is dict and record.get("kind") == "key"]
        check_receipt(receipt, keys_of_day(self.keys(len(self.records)), since, self.day))
        if "void" in self.of_day and "close" not in self.of_day:
            raise Fail("the receipt is valid and the day was declared empty: the entry was dropped")
        self.record("close")
        if getattr(self, "found", None) is None:
            raise Incomplete("the list of tickets could not be read to its end")
        need(self.found, "the receipt is valid and its ticket is not in the list: the entry was dropped")


    def step_order_of_help(self):
        expected = order_of(bytes.fromhex(self.drawn()[2]["seed"]), self.options["order"])
        need(expected == self.options["order"], f"the seed gives the order {','.join(expected)}")
        return f"the seed gives the order of these {len(expected)} requests for help"


class LogOrder:
    """The allowed order of records (chapter 8)."""

    def __init__(self):
        self.opened, self.ended, self.booked, self.had, self.sealed_at, self.noted = None, None, None, {}, 0, {}

    def add(self, record: dict) -> None:
        kind, day = record["kind"], record["day"]
        before = self.had.setdefault(day, set())
        need(kind not in before, f"a second {kind} of {day}")
        if kind == "open":
            need(self.opened is None or day == day_after(self.opened), f"open of {day} does not follow the day before")
            self.first = self.first if self.opened else day
            self.opened = day
            check_policy(record["witnesses"])
        elif kind == "close" or (kind == "void" and record["reason"] == "empty"):
            need("open" in before and not before & {"close", "void"}, f"{kind} of {day} is out of place")
            need(day == (day_after(self.ended) if self.ended else self.first), f"{kind} of {day} comes before the day before has ended")
            need(kind == "close" or record["returned"] == 0, f"{day} was empty and returned something")
            if kind == "close":
                need(record["sealedAt"] >= day_start_ms(day), f"{day} was sealed before it began")
                need(record["sealedAt"] >= self.sealed_at, f"{day} was sealed before an earlier day")
                self.sealed_at = record["sealedAt"]
            self.ended = day
        elif kind in ("result", "void"):
            need("close" in before and not before & {"result", "void"}, f"{kind} of {day} is out of place")
        elif kind == "books":
            need(before & {"close", "void"}, f"books of {day} before its round was closed")
            need(day == (day_after(self.booked) if self.booked else self.first), f"books of {day} do not follow the day before")
            self.booked = day
        else:
            need(day >= max(self.noted.get(kind, ""), self.ended or ""), f"{kind} of {day} was written when that day was over")
            self.noted[kind] = day
        before.add(kind)


def check_policy(policy: dict) -> None:
    keys = [verifier_key(text, WITNESS_KEY) for text in policy["keys"]]
    need(policy["keys"] == sorted(policy["keys"]), "witnesses are out of order")
    need(len({key[0] for key in keys}) == len({key[2] for key in keys}) == len(keys), "a witness is named twice")
    need(2 * policy["quorum"] > len(keys), "two quorums could see two logs")


def decoded_as(data: bytes, form):
    value = decoded(data)
    check_form(value, form)
    return value


def decoded_books(data: bytes):
    books = decoded(data)
    check_books_form(books)
    return books


def of_day(value: dict, day: str) -> dict:
    need(value["day"] == day, "the file of another day")
    return value


def log_key_of(data: bytes) -> str:
    need(data.endswith(b"\n") and data.isascii(), "not a key")
    verifier_key(data[:-1].decode(), LOG_KEY)
    return data[:-1].decode()


def one_checkpoint(data: bytes) -> Checkpoint:
    found = checkpoints(data)
    need(len(found) == 1, "not one checkpoint")
    return found[0]


STEPS = [
    "files", "log-signature", "log-consistency", "log-order", "log-inclusion", "entries-root", "sealed-in-time", "beacon-round",
    "beacon-signature", "seed", "winners", "split", "books-balance", "carry-over", "liabilities-total", "solvency", "receipt",
]


def verify(files: Files, day: str, options: dict) -> list:
    """Returns (step, verdict, words) of each step, in order."""
    read, found = Day(files, day, options), []
    for step in STEPS + (["order-of-help"] if "order" in options else []):
        try:
            found.append((step, "PASS", getattr(read, "step_" + step.replace("-", "_"))() or ""))
        except Fail as verdict:
            found.append((step, "FAIL", str(verdict)))
        except Weak as verdict:
            found.append((step, "WEAK", str(verdict)))
        except Incomplete as verdict:
            found.append((step, "INCOMPLETE", str(verdict)))
        except NotApplicable as verdict:
            found.append((step, "-", str(verdict)))
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError):
            # A malformed record, which log-order reports: this step cannot use it.
            found.append((step, "INCOMPLETE", "a record or file that it needs is malformed"))
    return found


def verify_twice(files: Files, day: str, options: dict, settle=lambda: time.sleep(SETTLE_SECONDS)) -> list:
    """Verifies a live site. Its files may be read between two states, so a failure must repeat after a wait."""
    found, fresh = verify(files, day, options), files.again()
    if fresh and verdict_of(found) == "INCOMPLETE":
        found = verify(fresh, day, options)
    if fresh and verdict_of(found) == "FAIL":
        settle()
        found = verify(fresh, day, options)
    return found


EXITS = {"FAIL": 2, "INCOMPLETE": 4, "WEAK": 3, "PASS": 0}


def verdict_of(found: list) -> str:
    return next(verdict for verdict in EXITS if verdict == "PASS" or any(step[1] == verdict for step in found))


def numbers_of(text: str) -> list:
    numbers = text.split(",")
    need(all(re.fullmatch("[0-9A-HJKMNP-TV-Z]{4,6}", number) for number in numbers), "not the numbers of requests for help")
    need(len(set(numbers)) == len(numbers), "a request is named twice")
    return numbers


def key_text(text: str, kind: int) -> str:
    verifier_key(text, kind)
    return text


# A malformed argument is a usage error, not a verdict about the site.
OPTIONS = {
    "--key": lambda text: key_text(text, LOG_KEY),
    "--witness": lambda text: key_text(text, WITNESS_KEY),
    "--chain": lambda text: unhex(text, 32).hex(),
    "--drand": lambda text: unhex(text, 48).hex(),
    "--kept": lambda file: one_checkpoint(pathlib.Path(file).read_bytes()),
    "--receipt": lambda file: decoded_as(pathlib.Path(file).read_bytes(), RECEIPT),
    "--order": lambda text: numbers_of(text),
    "--ticket-key": lambda file: unhex(pathlib.Path(file).read_text().strip(), 32),
}


# verifier/src/cli.ts has the same words.
VERDICT_WORDS = {
    "PASS": "The result is right. Everything was recalculated from the published files.",
    "FAIL": "Something does not match. Save these files as evidence.",
    "WEAK": "The numbers match, but some steps had no outside check: the operator could have cheated.",
    "INCOMPLETE": "Something is missing, so nothing is proven. Try later.",
}


def main(words: list) -> int:
    plain, options = [], {"witnesses": []}
    try:
        while words:
            word = words.pop(0)
            word = "--drand" if word == "--beacon-signature" else word
            if word not in OPTIONS:
                need(not word.startswith("--"), f"no option is called {word}")
                plain.append(word)
            elif word == "--witness":
                options["witnesses"].append(OPTIONS[word](words.pop(0)))
            else:
                options[word[2:]] = OPTIONS[word](words.pop(0))
        base, day = plain
        need(is_day(day) and day > datetime.date.min.isoformat(), "not a day")
        need("receipt" not in options or options["receipt"]["day"] == day, "the receipt is of another day")
    except (ValueError, IndexError, OSError, Fail) as error:
        print(f"{error}\n\n{__doc__}", file=sys.stderr)
        return 1
    found = verify_twice(Files(base), day, options)
    print(f"{verdict_of(found)}  {day}: {VERDICT_WORDS[verdict_of(found)]}\n\nTechnical details")
    for step, verdict, said in found:
        print(f"{verdict:<10} {step}{': ' + said if said else ''}")
    return EXITS[verdict_of(found)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
