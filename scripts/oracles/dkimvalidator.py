"""Reads key records of DKIM with python3-dkim: type and length of the key, or null if it refuses the record."""

import json
import sys

import dkim


def read(record):
    try:
        _, bits, kind, _ = dkim.evaluate_pk("name", record.encode("latin1"))
        return {"type": kind.decode(), "bits": bits}
    except Exception:
        # It raises its own errors and those of parsers; all of them refuse the record.
        return None


json.dump([read(record) for record in json.load(sys.stdin)], sys.stdout)
