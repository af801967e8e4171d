"""Answers for email addresses: does python3-email-validator take them, and what is their form in ASCII?"""
import json
import sys

from email_validator import EmailNotValidError, validate_email


def answer(text):
    try:
        found = validate_email(
            text, check_deliverability=False, globally_deliverable=False, test_environment=True
        )
        return {"valid": True, "ascii": found.ascii_email}
    except EmailNotValidError:
        return {"valid": False, "ascii": None}


json.dump([answer(text) for text in json.load(sys.stdin)], sys.stdout)
