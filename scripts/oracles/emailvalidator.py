"""
Answers for email addresses: does python3-email-validator take them, what is their form in ASCII, and does the local part have a
character that Unicode 14, the version of this Python, does not show or does not have?
"""
import json
import sys
import unicodedata

from email_validator import EmailNotValidError, validate_email


def answer(text):
    try:
        found = validate_email(
            text, check_deliverability=False, globally_deliverable=False, test_environment=True
        )
        return {"valid": True, "ascii": found.ascii_email}
    except EmailNotValidError:
        return {"valid": False, "ascii": None}


def has_unseen(text):
    categories = [unicodedata.category(one)[0] for one in text.rpartition("@")[0]]
    return categories[:1] == ["M"] or "C" in categories or "Z" in categories


json.dump([{**answer(text), "unseen": has_unseen(text)} for text in json.load(sys.stdin)], sys.stdout)
