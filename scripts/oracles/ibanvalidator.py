"""Answers for IBANs: does python3-stdnum take them, with and without the checks of single countries?"""
import json
import sys

from stdnum import iban


def answer(text):
    return {
        "valid": iban.is_valid(text, check_country=False),
        "national": iban.is_valid(text, check_country=True),
    }


json.dump([answer(text) for text in json.load(sys.stdin)], sys.stdout)
