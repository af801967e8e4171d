"""Answers for numbers: does python3-stdnum take them, and which ISBN-13 are they?"""
import json
import sys

from stdnum import ean, isbn, issn


def answer(text):
    kind = "isbn" if isbn.is_valid(text) else "issn" if len(text) == 9 and issn.is_valid(text) else None
    if len(text) == 9 and kind is None:
        return {"valid": False, "isbn13": None}
    return {
        "valid": kind is not None or ean.is_valid(text),
        "isbn13": isbn.to_isbn13(text) if kind == "isbn" else None,
    }


json.dump([answer(text) for text in json.load(sys.stdin)], sys.stdout)
