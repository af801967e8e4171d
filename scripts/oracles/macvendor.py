"""Answers for MAC addresses from the lists of Debian's ieee-data: the longest prefix and its organization."""
import csv
import json
import sys

NAMES = {}
for name in ("oui", "mam", "oui36", "iab"):
    with open(f"/usr/share/ieee-data/{name}.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            # A few prefixes are listed twice, and then the first counts.
            NAMES.setdefault(row["Assignment"], row["Organization Name"])


def answer(mac):
    digits = mac.replace(":", "")
    for length in (9, 7, 6):
        if digits[:length] in NAMES:
            return {"prefix": digits[:length], "organization": NAMES[digits[:length]]}
    return {"prefix": None, "organization": None}


json.dump([answer(mac) for mac in json.load(sys.stdin)], sys.stdout)
