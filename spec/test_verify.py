"""Tests verify.py on every vector, on signed and logged lies, and on files with one changed byte.

    python3 spec/test_verify.py
"""
import base64
import collections
import contextlib
import functools
import http.server
import io
import json
import pathlib
import random
import re
import tempfile
import threading
import unittest

import make_log_vectors as maker
import verify as v
from make_vectors import canonical, picks, seed_of, sha, ticket, tickets_of

HERE = pathlib.Path(__file__).parent
# Cached: each changed byte repeats the same signature checks.
v.signed_by = functools.cache(v.signed_by)


def vectors(name: str):
    return json.loads((HERE / "vectors" / f"{name}.json").read_text())


def raw(text: str) -> bytes:
    return bytes.fromhex(text)


SITE = vectors("site")
FILES = {**{path: text.encode() for path, text in SITE["text"].items()}, **{path: raw(text) for path, text in SITE["hex"].items()}}
DAY = "2026-07-23"


def copy_to(folder: str) -> None:
    """The site as a folder: JSON files end in .json."""
    for path, data in FILES.items():
        file = pathlib.Path(folder) / (path + ".json" if re.fullmatch(r"(draws|books)/[0-9-]+", path) else path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


class Table(v.Files):
    """Published files in memory; records the requested paths."""

    def __init__(self, table: dict):
        self.table, self.address, self.asked = table, None, set()

    def open(self, path: str):
        self.asked.add(path)
        return io.BytesIO(self.table[path]) if path in self.table else None


def verdicts(files: dict, day: str, **options) -> dict:
    return {step: verdict for step, verdict, _ in v.verify(Table(files), day, options)}


def failed(files: dict, day: str, **options) -> list:
    return [step for step, verdict in verdicts(files, day, **options).items() if verdict == "FAIL"]


class Vectors(unittest.TestCase):
    def test_the_files_are_what_the_maker_makes(self):
        for name, value in maker.made().items():
            self.assertEqual(vectors(name), json.loads(json.dumps(value)), name)

    def test_signatures(self):
        for one in vectors("ed25519")["valid"]:
            self.assertTrue(v.signed_by(raw(one["public"]), raw(one["message"]), raw(one["signature"])))
        for one in vectors("ed25519")["invalid"]:
            self.assertFalse(v.signed_by(raw(one["public"]), raw(one["message"]), raw(one["signature"])), one["why"])

    def test_roots_of_lists(self):
        published = vectors("rfc6962")
        for size, root in published["roots"].items():
            self.assertEqual(self.root_of(map(raw, published["leaves"][: int(size)])).hex(), root)
        for one in vectors("seal"):
            listed = map(raw, one["sorted"]) if "sorted" in one else tickets_of(one["day"], one["count"])
            self.assertEqual(self.root_of(listed).hex(), one["root"])
        records = vectors("records")
        for size, root in enumerate(records["roots"]):
            self.assertEqual(self.root_of(one["canonical"].encode() for one in records["records"][:size]).hex(), root)

    def root_of(self, entries) -> bytes:
        tree = v.hash_tree()
        for entry in entries:
            tree.add(v.entry_leaf(entry))
        return tree.root()

    def test_records_are_canonical_and_of_their_form(self):
        for one in vectors("records")["records"]:
            v.check_record(v.decoded(one["canonical"].encode()))
            self.assertEqual(v.canonical(one["record"]).decode(), one["canonical"])

    def test_the_draw(self):
        drawn = vectors("randomness")
        self.assertEqual(v.chain_hash(drawn["quicknet"]).hex(), v.QUICKNET)
        for one in drawn["rounds"]:
            self.assertEqual(v.round_for(one["sealedAt"], one["genesis"], one["period"]), one["round"])
        for one in drawn["beacon"]:
            self.assertEqual(v.sha(raw(one["signature"])).hex(), one["randomness"])
        for one in drawn["local"]:
            self.assertEqual(v.sha(raw(one["secret"])).hex(), one["commitment"])
            self.assertEqual(v.local_randomness(raw(one["secret"]), one["day"], one["count"], raw(one["root"])).hex(), one["randomness"])
        for one in vectors("seed"):
            self.assertEqual(v.seed_of(one["day"], one["count"], raw(one["root"]), raw(one["chainHash"]), one["round"], raw(one["randomness"])).hex(), one["seed"])
        for one in vectors("picks"):
            self.assertEqual(v.picks(raw(one["seed"]), one["count"], one["wanted"]), one["positions"])
        for one in vectors("order"):
            self.assertEqual(v.order_of(raw(one["seed"]), one["numbers"]), one["order"])
        for one in vectors("shares"):
            self.assertEqual(v.shares_of(one["count"], one["split"], one["tax"]), one["shares"])

    def test_proofs(self):
        for one in vectors("proofs")["inclusion"]:
            path, join = [raw(step) for step in one["path"]], v.hash_tree().join
            self.assertEqual(v.climb(raw(one["leaf"]), one["index"], one["size"], path, join).hex(), one["root"])
            self.assertEqual(v.entry_leaf(f"entry {one['index']}".encode()).hex(), one["leaf"])
            with self.assertRaises(v.Fail):
                v.climb(raw(one["leaf"]), one["index"], one["size"], [*path, bytes(32)], join)
        for one in vectors("proofs")["consistency"]:
            path, roots = [raw(step) for step in one["path"]], (raw(one["fromRoot"]), raw(one["toRoot"]))
            self.assertTrue(v.consistent(one["from"], roots[0], one["to"], roots[1], path))
            self.assertFalse(v.consistent(one["from"], bytes(32), one["to"], roots[1], path))
            self.assertFalse(v.consistent(one["from"], roots[0], one["to"], bytes(32), path))
            for at in range(len(path)):
                self.assertFalse(v.consistent(one["from"], roots[0], one["to"], roots[1], path[:at] + path[at + 1 :]))

    def test_keys_checkpoints_and_cosignatures(self):
        told = vectors("checkpoint")
        keys = [v.verifier_key(one["verifierKey"], one["type"]) for one in told["keys"]]
        for one, key in zip(told["keys"], keys):
            self.assertEqual((key[0], key[1].hex(), key[2].hex()), (one["name"], one["id"], one["public"]))
        witnesses = {key[:2]: key[2] for key in keys[2:]}
        for one in told["checkpoints"]:
            found = v.one_checkpoint(one["note"].encode())
            found.check(keys[0], witnesses)
            self.assertEqual((found.size, found.root.hex(), found.text.decode()), (one["size"], one["root"], one["text"]))
            for others in ((keys[1], witnesses), *([(keys[0], {})] if len(found.signatures) > 1 else [])):
                with self.assertRaises(v.Fail):
                    found.check(*others)
        for text in told["refused"]:
            with self.assertRaises(v.Fail, msg=text):
                v.checkpoints(text.encode())
        v.check_record(told["rotation"]["record"])
        self.assertTrue(v.signed_by(keys[0][2], raw(told["rotation"]["signedText"]), raw(told["rotation"]["record"]["signature"])))

    def test_the_cosignature_of_the_standard(self):
        # The example of C2SP signed-note and tlog-cosignature, whose form the protocol uses.
        example = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
        found = v.one_checkpoint(example.encode())
        self.assertEqual((found.size, len(found.signatures[1][2]), int.from_bytes(found.signatures[1][2][:8], "big")), (20852163, 72, 1679315147))

    def test_receipts(self):
        told = vectors("receipt")
        keys = [v.verifier_key(told["key"], v.LOG_KEY)]
        for one in told["valid"]:
            v.check_receipt(v.decoded(one["canonical"].encode()), keys)
        for one in told["invalid"]:
            with self.assertRaises(v.Fail, msg=one["why"]):
                v.check_receipt(one["receipt"], keys)

    def test_keys_of_a_day(self):
        keys, since = ["first", "second", "third"], ["2026-07-24", "2026-07-26"]
        served = {day: v.keys_of_day(keys, since, f"2026-07-{day}") for day in (23, 24, 25, 26, 27)}
        self.assertEqual(served, {23: keys[:1], 24: keys[:2], 25: keys[1:2], 26: keys[1:], 27: keys[2:]})

    def test_liabilities(self):
        told = vectors("liabilities")
        for one in told["trees"]:
            rows, tree = raw(one["file"]), v.sum_tree()
            parts = [(rows[at : at + 32], int.from_bytes(rows[at + 32 : at + 40], "big")) for at in range(0, len(rows), 40)]
            for part in parts:
                tree.add(v.part_leaf(*part))
            self.assertEqual((tree.size, tree.root()), (one["count"], (raw(one["root"]), one["total"])))
            for proof in one["proofs"]:
                path = [(raw(step["hash"]), step["sum"]) for step in proof["path"]]
                top = v.climb(v.part_leaf(*parts[proof["position"]]), proof["position"], len(parts), path, v.sum_join)
                self.assertEqual(top, tree.root())
            for proof in one["together"]:
                shown = {at: v.part_leaf(*parts[at]) for at in proof["positions"]}
                data = v.unbase64(proof["nodes"])
                nodes = [(data[at : at + 32], int.from_bytes(data[at + 32 : at + 40], "big")) for at in range(0, len(data), 40)]
                if not shown:
                    self.assertEqual(nodes, [])
                    continue
                self.assertEqual(v.reach(shown, nodes, len(parts)), tree.root())
                for wrong in ([*nodes, (bytes(32), 0)], nodes[:-1]):
                    if wrong != nodes:
                        with self.assertRaises(v.Fail):
                            v.reach(shown, wrong, len(parts))
        for one in told["ids"]:
            self.assertEqual(v.part_id(raw(one["key"]), one["day"], one["j"]).hex(), one["id"])
        for one in vectors("ticket"):
            self.assertEqual(v.own_ticket(raw(one["key"]), one["day"]).hex(), one["ticket"])

    def test_books(self):
        before = None
        for told in vectors("books").values():
            books = v.decoded_books(told["canonical"].encode())
            v.check_balance(books)
            v.check_help(books)
            v.check_carry_over(books, before)
            before = books


BOOKS = {day: json.loads(FILES[f"books/{day}"]) for day in ("2026-07-22", DAY)}


class Site(unittest.TestCase):
    def test_each_day(self):
        for told in SITE["days"]:
            expected = {step: told["steps"].get(step, "PASS") for step in v.STEPS}
            fetched = {"drand": maker.DRAWN[1]} if told["day"] == DAY else {}
            self.assertEqual(verdicts(FILES, told["day"], key=SITE["keys"]["first"], **fetched), expected, told["day"])
        # verify.py checks no BLS signature: without --drand it cannot give PASS.
        self.assertEqual(verdicts(FILES, DAY)["beacon-signature"], "INCOMPLETE")
        self.assertEqual(failed(FILES, DAY, drand="00" * 48), ["beacon-signature"])
        # A day void for a missing beacon; the given signature disproves that.
        self.assertEqual(failed(FILES, "2026-07-25", drand="00" * 48), ["beacon-round"])

    def test_receipts(self):
        for told in SITE["receipts"]:
            receipt = told["receipt"]
            self.assertEqual(verdicts(FILES, receipt["day"], receipt=receipt)["receipt"], told["verdict"])
        # The key replaced on the 24th, if stolen, cannot sign a valid receipt of the 25th.
        forged = maker.receipt_of(maker.LOG, "2026-07-25", [bytes(32)], 0, maker.day_start_ms("2026-07-25") + 1)
        said = {step: words for step, _, words in v.verify(Table(FILES), "2026-07-25", {"witnesses": [], "receipt": forged})}
        self.assertIn("not a receipt", said["receipt"])

    def test_a_forged_order_of_help_is_found(self):
        seed = json.loads(FILES[f"draws/{DAY}"])["records"][2]["record"]["seed"]
        true = v.order_of(raw(seed), ["3F9A", "7K2M", "0001"])
        self.assertEqual(verdicts(FILES, DAY, order=true)["order-of-help"], "PASS")
        self.assertEqual(failed(FILES, DAY, order=true[::-1]), ["order-of-help"])
        self.assertNotIn("order-of-help", verdicts(FILES, DAY))

    def test_whom_the_reader_trusts(self):
        opened = json.loads(FILES[f"draws/{DAY}"])["records"][0]["record"]
        asha, bela, chitra = opened["witnesses"]["keys"]
        self.assertEqual(verdicts(FILES, DAY, witnesses=[asha, bela])["sealed-in-time"], "PASS")
        self.assertEqual(verdicts(FILES, DAY, witnesses=[asha, chitra])["sealed-in-time"], "WEAK")
        self.assertEqual(verdicts(FILES, DAY, chain="00" * 32)["beacon-signature"], "WEAK")
        self.assertEqual(failed(FILES, DAY, key=maker.Signer(maker.ORIGIN, 1, "foreign").text), ["log-signature"])

    def test_what_of_a_day_is_ones_own(self):
        said = {step: words for step, _, words in v.verify(Table(FILES), DAY, {"ticket-key": maker.key(0)})}
        self.assertRegex(said["entries-root"], r"^7 entries, yours at position \d$")
        self.assertRegex(said["liabilities-total"], r"of which [1-9]\d* paise in [1-9]\d* are yours")
        none = {step: words for step, _, words in v.verify(Table(FILES), DAY, {"ticket-key": maker.key(99)})}
        self.assertIn("none of them yours", none["entries-root"])
        self.assertIn("of which 0 paise in 0 are yours", none["liabilities-total"])

    def test_a_file_may_be_ahead_of_the_checkpoint_until_its_day_has_ended(self):
        lines, shown = FILES["log/entries/0"].split(b"\n")[:-1], json.loads(FILES[f"draws/{DAY}"])
        closed, ended = shown["records"][1]["index"] + 1, shown["records"][2]["index"] + 1
        running = {**FILES, "log/checkpoint": maker.note(lines, ended - 1, maker.LOG, []).encode()}
        found = verdicts(running, DAY)
        self.assertEqual((found["log-inclusion"], failed({**running, "log/key": (maker.LOG.text + "\n").encode()}, DAY)), ("PASS", []))
        behind = {**running, "log/checkpoint": maker.note(lines, closed - 1, maker.LOG, []).encode(), "log/key": (maker.LOG.text + "\n").encode()}
        found = verdicts(behind, DAY)
        self.assertEqual((found["log-signature"], found["log-consistency"], failed(behind, DAY)), ("INCOMPLETE", "INCOMPLETE", []))
        more = canonical({**shown, "records": [*shown["records"], {"index": 10_000, "record": shown["records"][2]["record"]}]}).encode()
        self.assertEqual(failed({**FILES, f"draws/{DAY}": more}, DAY), ["log-inclusion"])

    def test_a_receipt_of_another_day_accuses_nobody(self):
        receipt = SITE["receipts"][0]["receipt"]
        found = verdicts(FILES, "2026-07-22", receipt=receipt)
        self.assertEqual(found["receipt"], "INCOMPLETE")

    def test_a_list_without_an_end_is_left(self):
        for path, size, step in ((f"draws/{DAY}/tickets", 32, "entries-root"), (f"liabilities/{DAY}", 40, "liabilities-total")):
            class Endless(Table):
                def rows(self, asked, width):
                    if asked != path:
                        yield from super().rows(asked, width)
                    for number in range(1, 10**9) if asked == path else []:
                        yield number.to_bytes(32, "big") + (5).to_bytes(8, "big")[: size - 32]

            found = {name: verdict for name, verdict, _ in v.verify(Endless(FILES), DAY, {"receipt": SITE["receipts"][0]["receipt"]})}
            self.assertEqual(found[step], "FAIL")
            self.assertEqual(found["receipt"], "INCOMPLETE" if size == 32 else "PASS")

    def test_files_are_read_to_a_bound(self):
        class Endless(Table):
            def open(self, path):
                return io.BytesIO(bytes(2**27)) if path == "log/checkpoint" else super().open(path)

        self.assertIn("files", [step for step, verdict, _ in v.verify(Endless(FILES), DAY, {}) if verdict == "FAIL"])

    def test_an_empty_day_has_no_list_and_a_file_of_records_no_more_than_it_may(self):
        self.assertEqual(failed({**FILES, "draws/2026-07-24/tickets": b""}, "2026-07-24"), ["files"])
        lines = FILES["log/entries/0"].split(b"\n")[:-1]
        many = b"".join(line + b"\n" for line in (lines * 30)[:257])
        self.assertIn("files", failed({**FILES, "log/entries/0": many}, DAY))
        self.assertNotIn("files", failed({**FILES, "log/entries/0": b"".join(line + b"\n" for line in (lines + lines * 30)[:256])}, DAY))

    def test_a_witness_may_have_a_long_name(self):
        witness = maker.Signer("w" * 200 + ".example", 4, "long")
        self.assertEqual(v.verifier_key(witness.text, v.WITNESS_KEY)[0], witness.name)

    def test_a_checkpoint_kept_from_before(self):
        lines = FILES["log/entries/0"].split(b"\n")[:-1]
        kept = v.one_checkpoint(maker.note(lines, 5, maker.LOG, []).encode())
        self.assertEqual(failed(FILES, DAY, kept=kept), [])
        forked = v.one_checkpoint(maker.note([*lines[:4], b"another past"], 5, maker.LOG, []).encode())
        self.assertEqual(failed(FILES, DAY, kept=forked), ["log-consistency"])
        longer = v.one_checkpoint(maker.note([*lines, b"dropped"], len(lines) + 1, maker.LOG_2, []).encode())
        self.assertEqual(failed(FILES, DAY, kept=longer), ["log-consistency"])

    def test_what_is_not_there_is_incomplete(self):
        table = Table(FILES)
        v.verify(table, DAY, {})
        for path in table.asked & FILES.keys():
            found = verdicts({name: data for name, data in FILES.items() if name != path}, DAY)
            self.assertEqual((found["files"], [step for step in found if found[step] == "FAIL"]), ("INCOMPLETE", []), path)

    def test_a_log_of_several_files(self):
        site = maker.Site({})
        for number in range(300):
            site.append({"day": "2026-07-22", "kind": "verifier", "program": sha(b"%d" % number).hex(), "v": 1})
        read = v.Day(Table(site.publish([])), "2026-07-22", {})
        self.assertEqual((len(read.lines), read.whole_log().size, read.broken), (300, 300, []))
        read.step_log_consistency()

    def test_the_program_on_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            copy_to(folder)
            for told in SITE["days"]:
                found = v.verify(v.Files(folder), told["day"], {"drand": maker.DRAWN[1]} if told["day"] == DAY else {})
                self.assertEqual(v.EXITS[v.verdict_of(found)], told["exit"])


class Address(unittest.TestCase):
    def test_the_program_asks_an_address_for_the_same_files(self):
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                data = FILES.get(self.path.removeprefix("/api/public/"))
                self.send_response(404 if data is None else 200)
                self.end_headers()
                self.wfile.write(data or b"")

            def log_message(self, *words):
                pass

        with self.serving(Answer) as address:
            for base in (address, address + "/api/public/"):
                self.assertEqual(v.verify(v.Files(base), DAY, {}), v.verify(Table(FILES), DAY, {}))

    def test_a_host_of_plain_files_serves_a_copy(self):
        with tempfile.TemporaryDirectory() as folder:
            copy_to(folder + "/api/public")

            class Plain(http.server.SimpleHTTPRequestHandler):
                def __init__(self, *args):
                    super().__init__(*args, directory=folder)

                def log_message(self, *words):
                    pass

            with self.serving(Plain) as address:
                self.assertEqual(v.verify(v.Files(address), DAY, {}), v.verify(v.Files(folder + "/api/public"), DAY, {}))

    def test_a_host_that_leads_to_its_first_page_lacks_the_file(self):
        class Leading(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                name = self.path.removeprefix("/api/public/")
                lacks = name.startswith("books/")
                self.send_response(302 if lacks else 200)
                if lacks:
                    self.send_header("Location", "/")
                self.end_headers()
                self.wfile.write(FILES.get(name, b"<p>welcome</p>"))

            def log_message(self, *words):
                pass

        with self.serving(Leading) as address:
            self.assertEqual(v.verdict_of(v.verify(v.Files(address), DAY, {})), "INCOMPLETE")

    def test_a_web_page_in_place_of_a_file_is_no_answer_of_the_site(self):
        class Portal(http.server.BaseHTTPRequestHandler):
            pages = ""

            def do_GET(self):
                name = self.path.removeprefix("/api/public/")
                is_page = re.fullmatch(self.pages, name)
                data = b"<h1>Free Wi-Fi</h1>" if is_page else FILES.get(name.removesuffix(".json"))
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Type", "text/html; charset=utf-8" if is_page or data is None else "application/octet-stream")
                self.end_headers()
                self.wfile.write(data or b"")

            def log_message(self, *words):
                pass

        with self.serving(Portal) as address:
            right = v.verify(Table(FILES), DAY, {})
            for pages in ("", "(draws|books)/[0-9-]+"):
                Portal.pages = pages
                self.assertEqual(v.verify(v.Files(address), DAY, {}), right)
            for name in ("log/checkpoint", "log/key", f"draws/{DAY}", f"draws/{DAY}/tickets", f"books/{DAY}"):
                Portal.pages = re.escape(name) + r"(\.json)?"
                found = v.verify(v.Files(address), DAY, {})
                self.assertEqual([step for step, verdict, _ in found if verdict == "FAIL"], [], name)
                self.assertEqual(v.verdict_of(found), "INCOMPLETE", name)
                instead = f"{name}: a web page came instead of the file; does this network ask for a login?"
                self.assertEqual([words for step, _, words in found if step == "files"], [f"missing: {instead}"])
                with self.assertRaisesRegex(v.Incomplete, "a web page came instead of the file"):
                    v.Files(address).read(name)

    def test_a_demo_draw_names_one_winner_or_several(self):
        said = [(step, words) for step, _, words in v.verify(Table(FILES), "2026-07-22", {}) if words.startswith("Demo draw")]
        words = "Demo draw — the operator could have chosen these winners"
        self.assertEqual(said, [("sealed-in-time", words), ("beacon-signature", words)])

    @contextlib.contextmanager
    def serving(self, answer):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), answer) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()

    def test_a_site_that_is_away_or_breaks_off_is_incomplete(self):
        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                data = FILES.get(self.path.removeprefix("/api/public/"), b"")
                self.send_response(503 if "books" in self.path else 200)
                self.send_header("Content-Length", str(len(data) + (1 if "tickets" in self.path or "liabilities" in self.path else 0)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *words):
                pass

        with self.serving(Answer) as address:
            told = {step: verdict for step, verdict, _ in v.verify(v.Files(address), DAY, {})}
            self.assertEqual({step for step, verdict in told.items() if verdict == "FAIL"}, set())
            self.assertEqual({told[step] for step in ("files", "books-balance", "carry-over", "liabilities-total", "entries-root")}, {"INCOMPLETE"})
            self.assertEqual(told["log-signature"], "PASS")
        self.assertEqual(v.verdict_of(v.verify(v.Files("http://127.0.0.1:9"), DAY, {})), "INCOMPLETE")


class Moving(Table):
    """A site whose files are between two states until an event."""

    def __init__(self, table: dict, later: dict):
        super().__init__(table)
        self.later, self.looks = later, 1

    def again(self):
        self.looks += 1
        self.table = {**self.table, **self.later}
        return self


class SecondLook(unittest.TestCase):
    def look(self, files: Moving) -> tuple:
        waits = []
        verdict = v.verdict_of(v.verify_twice(files, DAY, {"drand": maker.DRAWN[1]}, settle=lambda: waits.append(files.looks)))
        return verdict, waits

    def test_what_is_wrong_is_looked_at_again_after_a_wait(self):
        wrong = {**FILES, f"books/{DAY}": FILES[f"books/{DAY}"].replace(b'"v":1', b'"v":2')}
        self.assertEqual(self.look(Moving(wrong, FILES)), ("PASS", [2]))
        self.assertEqual(self.look(Moving(wrong, {})), ("FAIL", [2]))

    def test_what_is_missing_is_asked_for_again_at_once_and_not_waited_for(self):
        lost = {path: data for path, data in FILES.items() if path != f"books/{DAY}"}
        self.assertEqual(self.look(Moving(lost, FILES)), ("PASS", []))
        self.assertEqual(self.look(Moving(lost, {})), ("INCOMPLETE", []))

    def test_a_day_that_waits_for_its_draw_is_incomplete_without_a_wait(self):
        waits, open_day = [], "2026-07-27"
        found = v.verify_twice(Moving(FILES, {}), open_day, {}, settle=lambda: waits.append(1))
        self.assertEqual((v.verdict_of(found), waits), ("INCOMPLETE", []))

    def test_what_is_sound_and_a_folder_are_looked_at_once(self):
        self.assertEqual(self.look(Moving(FILES, {})), ("PASS", []))
        self.assertIsNone(v.Files("folder").again())
        fresh = v.Files("http://a.example").again()
        self.assertTrue(fresh.fresh and fresh.address == "http://a.example/api/public")


def relaid(second: list, seed: bytes, number: int) -> list:
    """The draw of the 23rd with another seed; all later pieces follow the protocol."""
    opened, close, result = second
    [at] = picks(seed, close["count"], 1)
    winner = {**result["winners"][0], "position": at, "ticket": tickets_of(DAY, close["count"])[at].hex()}
    return [opened, {**close, "round": number}, {**result, "seed": seed.hex(), "winners": [winner]}]


def other_round(second: list) -> list:
    close, result = second[1:]
    number = close["round"] + 1
    chain = raw(second[0]["draw"]["chainHash"])
    return relaid(second, seed_of(DAY, close["count"], raw(close["root"]), chain, number, raw(result["randomness"])), number)


def other_randomness(second: list) -> list:
    opened, close, result = second
    own = sha(b"chosen by the operator")
    seed = seed_of(DAY, close["count"], raw(close["root"]), raw(opened["draw"]["chainHash"]), close["round"], own)
    return relaid([opened, close, {**result, "randomness": own.hex()}], seed, close["round"])


def other_winner(second: list) -> list:
    winner = second[2]["winners"][0]
    at = (winner["position"] + 1) % 7
    return [*second[:2], {**second[2], "winners": [{**winner, "position": at, "ticket": tickets_of(DAY, 7)[at].hex()}]}]


def bigger_prize(second: list) -> list:
    result = second[2]
    winner = {**result["winners"][0], "amount": result["winners"][0]["amount"] + 100}
    return [*second[:2], {**result, "shares": {**result["shares"], "need": result["shares"]["need"] - 100}, "winners": [winner]}]


def accounts(books: dict, changes: dict) -> dict:
    rows = [{**row, **{key: row[key] + by for key, by in changes.get(row["account"], {}).items()}} for row in books["accounts"]]
    return {**books, "accounts": rows}


def on(day: str, change):
    return lambda told, books: change(books) if told == day else books


class Lies(unittest.TestCase):
    """An operator hashes, logs and signs wrong data: exactly the named step fails."""

    def caught(self, step: str, lies: dict, day: str = DAY) -> None:
        self.assertEqual(failed(maker.example_site(lies), day), [step])

    def test_in_the_draw(self):
        self.caught("beacon-round", {"draw": other_round})
        self.caught("beacon-signature", {"draw": other_randomness})
        self.caught("seed", {"draw": lambda second: relaid(second, sha(b"another seed"), second[1]["round"])})
        self.caught("winners", {"draw": other_winner})
        self.caught("split", {"draw": bigger_prize})

    def test_in_the_list(self):
        listed = tickets_of(DAY, 7)
        winner = json.loads(FILES[f"draws/{DAY}"])["records"][2]["record"]["winners"][0]["position"]
        gone = next(at for at in range(7) if at != winner)
        swapped = sorted([*listed[:gone], *listed[gone + 1 :], ticket(sha(b"phantom"), DAY)])
        for tickets in (swapped if swapped[winner] == listed[winner] else listed[:winner] + listed[winner:][:1] + [bytes([255] * 32)] * (6 - winner), [*listed, bytes([255] * 32)], listed[:winner + 1]):
            self.assertEqual(failed({**FILES, f"draws/{DAY}/tickets": b"".join(tickets)}, DAY), ["entries-root"])

    def test_in_the_books(self):
        self.caught("books-balance", {"books": on("2026-07-24", lambda books: accounts(books, {"PLATFORM": {"closing": 1}}))}, "2026-07-24")
        self.caught("books-balance", {"books": on(DAY, lambda books: {**books, "intake": {"count": 8, "paise": 800}})})
        # Without its settlement, a day's share of help came from nowhere as well.
        hidden = {"books": on(DAY, lambda books: {**books, "settlements": []})}
        self.assertEqual(failed(maker.example_site(hidden), DAY), ["books-balance", "carry-over"])
        for name, changed in (("returns", [{"paise": 200, "round": "2026-07-25"}]), ("returns", []), ("returns", [{"paise": 300, "round": DAY}])):
            self.caught("books-balance", {"books": on("2026-07-26", lambda books: {**books, name: changed})}, "2026-07-26")
        moved = {"PLATFORM": {"opening": 500, "closing": 500}, "LOSSES": {"opening": -500, "closing": -500}}
        self.caught("carry-over", {"books": on(DAY, lambda books: accounts(books, moved))})
        # Each cover is paid back the next day, per account.
        for kind, sides, day in (("cover", ("LOSSES", "SUSPENSE"), "2026-07-22"), ("cover_back", ("SUSPENSE", "LOSSES"), DAY)):
            lent = {"flows": [{"from": sides[0], "kind": kind, "paise": 5, "to": sides[1]}]}
            before, now = ({**BOOKS[one], **(lent if one == day else {"flows": []}), "accounts": []} for one in ("2026-07-22", DAY))
            with self.assertRaisesRegex(v.Fail, "cover of the day before was not returned"):
                v.check_carry_over(now, before)
        self.caught("liabilities-total", {"hidden": {DAY: 100}})
        late = {**FILES, f"books/{DAY}": FILES[f"books/{DAY}"].replace(max(v.evidences(BOOKS[DAY])).encode(), b"f" * 64)}
        self.assertIn("log-inclusion", failed(late, DAY))
        def twice(books):
            paid = books["help"]["disbursements"]
            return {**books, "help": {**books["help"], "disbursements": sorted(({**one, "evidence": paid[0]["evidence"]} for one in paid), key=lambda one: one["paise"])}}

        self.caught("books-balance", {"books": on(DAY, twice)})
        def of_help(day, change):
            return {"books": on(day, lambda books: {**books, "help": {**books["help"], **change(books["help"])}})}

        def first(rows, **changed):
            return [{**rows[0], **changed}, *rows[1:]]

        # Each receipt is of one entry, each entry is proven, and its days add up to it.
        for key in ("disbursements", "corrections"):
            day = DAY if key == "disbursements" else "2026-07-24"
            self.caught("books-balance", of_help(day, lambda told: {key: first(told[key], evidence=[])}), day)
            short = lambda told: {key: first(told[key], days=[{**told[key][0]["days"][0], "paise": 1}])}
            self.assertIn("books-balance", failed(maker.example_site(of_help(day, short)), day))
        for changed in ({"evidence": []}, {"kind": "rent"}, {"paise": 1}):
            self.caught("books-balance", {"books": on("2026-07-24", lambda books: {**books, "house": maker.ordered(first(books["house"], **changed))})}, "2026-07-24")
        # A day given twice or exceeded, a newer one first, and more back than was given.
        self.caught("carry-over", of_help(DAY, lambda told: {"disbursements": first(told["disbursements"], days=[{"day": "2026-07-01", "paise": told["disbursements"][0]["paise"]}])}))
        self.caught("carry-over", of_help("2026-07-25", lambda told: {"disbursements": first(told["disbursements"], days=[{"day": "2026-07-25", "paise": 180}])}), "2026-07-25")
        for day, part in (("2026-07-22", 800), ("2026-07-23", 800)):
            before, now = (json.loads(FILES[f"books/{one}"]) for one in (DAY, "2026-07-24"))
            now["help"]["corrections"][0]["days"] = [{"day": day, "paise": part}]
            now["help"]["open"] = [{"day": one, "paise": paise} for one, paise in sorted(v.days_of((1, [(row["day"], row["paise"]) for row in before["help"]["open"]]), (1, v.came_in(now))).items())]
            with self.assertRaisesRegex(v.Fail, "returns more to a day than the disbursement"):
                v.check_help_days(now, before)
        before, now = (json.loads(FILES[f"books/{one}"]) for one in ("2026-07-24", "2026-07-25"))
        before["help"]["open"] = [{"day": "2026-07-01", "paise": 1}, *before["help"]["open"]]
        now["help"]["open"] = [{"day": "2026-07-01", "paise": 1}, *now["help"]["open"]]
        with self.assertRaisesRegex(v.Fail, "while an older one was open"):
            v.check_help_days(now, before)
        self.assertEqual(v.evidences(json.loads(FILES[f"books/{DAY}"])) & v.evidences(json.loads(FILES["books/2026-07-24"])), set())
        shuffled = lambda books: {**books, "flows": books["flows"][::-1]}
        self.caught("files", {"books": on(DAY, shuffled)})

    def test_in_the_parts(self):
        parts = FILES[f"liabilities/{DAY}"]
        for changed in (parts[40:], parts[40:80] + parts[:40] + parts[80:], parts[:-1], parts[:32] + (10_000).to_bytes(8, "big") + parts[40:], parts[:32] + b"\xff" * 8 + parts[40:]):
            self.assertEqual(failed({**FILES, f"liabilities/{DAY}": changed}, DAY), ["liabilities-total"])

    def test_in_the_log(self):
        twice = json.loads(FILES[f"draws/{DAY}"])["records"][1]["record"]
        gap = {**json.loads(FILES[f"draws/{DAY}"])["records"][0]["record"], "day": "2026-07-30"}
        for more in (twice, gap, {**twice, "day": "2026-07-27"}, {**twice, "kind": "reseal", "day": "2026-07-28"}):
            self.caught("log-order", {"more": [more]})
        lines = FILES["log/entries/0"].split(b"\n")[:-1]
        retired = maker.note(lines, len(lines), maker.LOG, []).encode()
        self.assertEqual(failed({**FILES, "log/checkpoint": retired}, DAY), ["log-signature"])
        stranger = maker.note(lines, len(lines), maker.LOG_2, [(maker.Signer("stranger.example", 4, "stranger"), 1)]).encode()
        self.assertEqual(failed({**FILES, "log/checkpoint": stranger}, DAY), ["log-signature"])
        draw = FILES[f"draws/{DAY}"].replace(b'"index":2,', b'"index":1,')
        self.assertEqual(failed({**FILES, f"draws/{DAY}": draw}, DAY), ["log-inclusion"])

    def test_times_that_cannot_be(self):
        close = json.loads(FILES[f"draws/{DAY}"])["records"][1]["record"]
        order = v.LogOrder()
        for record in (json.loads(line) for line in FILES["log/entries/0"].split(b"\n")[:-1]):
            order.add(record)
        # The 27th is closed last. The 28th may be sealed when it begins, not before, nor before the 27th.
        begins, late = v.day_start_ms("2026-07-28"), v.day_start_ms("2026-07-30")
        for sealed_at, before, allowed in ((begins, 0, True), (begins - 1, 0, False), (begins, begins, True), (late, late + 1, False)):
            order.had["2026-07-28"], order.ended, order.sealed_at = {"open"}, "2026-07-27", before
            with contextlib.nullcontext() if allowed else self.assertRaisesRegex(v.Fail, "was sealed before"):
                order.add({**close, "day": "2026-07-28", "sealedAt": sealed_at})
        for kind in ("key", "verifier"):
            order.ended, order.noted = "2026-07-27", {}
            for day, allowed in (("2026-07-26", False), ("2026-07-27", True), ("2026-07-29", True), ("2026-07-28", False)):
                with contextlib.nullcontext() if allowed else self.assertRaisesRegex(v.Fail, "was written when that day was over"):
                    order.add({"kind": kind, "day": day})

    def test_cosigned_before_it_was_sealed(self):
        for one in vectors("checkpoint")["inTime"]:
            self.assertLess(one["earliest"] * 1000 - 1000, one["sealedAt"] - 60_000)
        lines, close = FILES["log/entries/0"].split(b"\n")[:-1], json.loads(FILES[f"draws/{DAY}"])["records"][1]
        size, sealed_at = close["index"] + 1, close["record"]["sealedAt"]
        first, weak = -(-(sealed_at - 60_000) // 1000), FILES[f"draws/{DAY}"].replace(b'"sealed"', b'"weak"')
        asha, bela, _ = maker.WITNESSES
        for seconds, verdict in ((first, "PASS"), (first - 1, "WEAK"), (first - 86_400, "WEAK"), (1, "WEAK")):
            sealed = maker.note(lines, size, maker.LOG, [(asha, first), (bela, seconds)]).encode()
            # The first servers counted it and wrote "sealed": that is no lie.
            self.assertEqual(verdicts({**FILES, f"log/sealed/{DAY}": sealed}, DAY)["sealed-in-time"], verdict)
            told = verdicts({**FILES, f"draws/{DAY}": weak, f"log/sealed/{DAY}": sealed}, DAY)["sealed-in-time"]
            self.assertEqual(told, "FAIL" if verdict == "PASS" else "WEAK")

    def test_sealed_too_late(self):
        lines, close = FILES["log/entries/0"].split(b"\n")[:-1], json.loads(FILES[f"draws/{DAY}"])["records"][1]
        size, last = close["index"] + 1, close["record"]["sealedAt"] // 1000 + 840
        weak = {**FILES, f"draws/{DAY}": FILES[f"draws/{DAY}"].replace(b'"sealed"', b'"weak"')}
        asha, bela, _ = maker.WITNESSES
        for seconds, verdict in ((last, "PASS"), (last + 1, "WEAK")):
            sealed = maker.note(lines, size, maker.LOG, [(asha, last), (bela, seconds)]).encode()
            self.assertEqual(verdicts({**(FILES if verdict == "PASS" else weak), f"log/sealed/{DAY}": sealed}, DAY)["sealed-in-time"], verdict)
            self.assertEqual(verdicts({**(weak if verdict == "PASS" else FILES), f"log/sealed/{DAY}": sealed}, DAY)["sealed-in-time"], "FAIL")
        before = maker.note(lines, close["index"], maker.LOG, [(asha, last), (bela, last)]).encode()
        self.assertEqual(failed({**FILES, f"log/sealed/{DAY}": before}, DAY), ["sealed-in-time"])
        twice = maker.note(lines, size, maker.LOG, [(asha, last)]) + maker.note(lines, size + 1, maker.LOG, [(asha, last)])
        self.assertEqual(verdicts({**weak, f"log/sealed/{DAY}": twice.encode()}, DAY)["sealed-in-time"], "WEAK")


class Bytes(unittest.TestCase):
    def test_one_changed_byte_anywhere_is_caught(self):
        table = Table(FILES)
        v.verify(table, DAY, {})
        drawn, told = random.Random(23), collections.Counter()
        for path in sorted(table.asked & FILES.keys()):
            for _ in range(25):
                data = bytearray(FILES[path])
                at = drawn.randrange(len(data))
                data[at] ^= drawn.randrange(1, 256)
                found = failed({**FILES, path: bytes(data)}, DAY)
                self.assertTrue(found, f"{path}, byte {at}")
                told.update(found)
        self.assertGreater(len(told), 5)

    def test_one_value_has_one_text(self):
        for text in (b'{"a":1,"a":1}', b'{"b":1,"a":1}', b'{"a": 1}', b'{"a":1.0}', b'{"a":01}', b'{"a":-0}', b'{"a":1e0}', b'{"a":null}', b'{"a":true}', b'{"a":"\\u0061"}', b'"\xc3\xa9"', b'{"a":9007199254740992}', b"[" * 900 + b"]" * 900, b"[1]\n", b"\xef\xbb\xbf[1]"):
            with self.assertRaises(v.Fail, msg=text):
                v.decoded(text)
        self.assertEqual(v.decoded(canonical({"a": [1, -5, "x\"\\"]}).encode()), {"a": [1, -5, "x\"\\"]})
        for text in ("AA", "AA=", "AB==", "AA==\n", "A A=", "=="):
            with self.assertRaises(v.Fail, msg=text):
                v.unbase64(text)
        self.assertEqual(base64.b64encode(v.unbase64("AA==")), b"AA==")


if __name__ == "__main__":
    unittest.main()
