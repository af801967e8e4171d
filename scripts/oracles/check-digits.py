"""Answers for pairs of an API and a number: does python3-stdnum take it, and what else does it say?"""
import json
import sys

from stdnum import ean, iban, isbn, issn, luhn
from stdnum.ch import vat as ch
from stdnum.eu import vat
from stdnum.gb import vat as gb
from stdnum.no import mva


def goods(text):
    kind = "isbn" if isbn.is_valid(text) else "issn" if len(text) == 9 and issn.is_valid(text) else None
    if len(text) == 9 and kind is None:
        return {"valid": False, "isbn13": None}
    return {
        "valid": kind is not None or ean.is_valid(text),
        "isbn13": isbn.to_isbn13(text) if kind == "isbn" else None,
    }


def account(text):
    """With and without the checks of single countries."""
    return {
        "valid": iban.is_valid(text, check_country=False),
        "national": iban.is_valid(text, check_country=True),
    }


def tax(text):
    other = {"CH": ch, "GB": gb, "NO": mva}.get(text[:2])
    return {"valid": other.is_valid(text) if other else vat.is_valid(text)}


KINDS = {
    "cardvalidator": lambda text: {"valid": luhn.is_valid(text)},
    "gtinvalidator": goods,
    "ibanvalidator": account,
    "vatvalidator": tax,
}
json.dump([KINDS[kind](text) for kind, text in json.load(sys.stdin)], sys.stdout)
