"""Answers for VAT numbers: does python3-stdnum take them?"""
import json
import sys

from stdnum.ch import vat as ch
from stdnum.eu import vat
from stdnum.gb import vat as gb
from stdnum.no import mva


def answer(text):
    other = {"CH": ch, "GB": gb, "NO": mva}.get(text[:2])
    return other.is_valid(text) if other else vat.is_valid(text)


json.dump([answer(text) for text in json.load(sys.stdin)], sys.stdout)
