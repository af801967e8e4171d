"""
DKIM and ARC by dkimpy. With {"sign": …} it signs or seals messages; with {"verify": …} it says for each message which
signatures are valid, and whether the ARC chain is.
"""

import json
import sys

import dkim


def encode(text):
    return text.encode("latin1")


def sign(job):
    message = encode(job["message"])
    key = encode(job["key"])
    if job["kind"] == "arc":
        headers = dkim.arc_sign(message, b"s", b"list.test", key, b"list.test", timestamp=1763900000)
        return (b"".join(headers) + message).decode("latin1")
    signature = dkim.sign(
        message,
        encode(job["selector"]),
        b"a.test",
        key,
        canonicalize=tuple(encode(mode) for mode in job["canonicalization"].split("/")),
        signature_algorithm=encode(job["algorithm"]),
        include_headers=[encode(name) for name in job["headers"]],
        length=job["length"],
    )
    return (signature + message).decode("latin1")


def verify(job):
    message = encode(job["message"])

    def lookup(name, timeout=5):
        return encode(job["keys"].get(name.decode("latin1").rstrip("."), "")) or None

    signatures = []
    for index in range(job["signatures"]):
        try:
            signatures.append(bool(dkim.DKIM(message, minkey=1024).verify(idx=index, dnsfunc=lookup)))
        except Exception:
            # It raises its own errors and those of parsers; all of them refuse the signature.
            signatures.append(False)
    try:
        chain, _, _ = dkim.arc_verify(message, dnsfunc=lookup)
        arc = "fail" if chain is None else chain.decode("latin1")
    except Exception:
        arc = "fail"
    return {"signatures": signatures, "arc": arc}


work = {"sign": sign, "verify": verify}
json.dump([work[job["work"]](job) for job in json.load(sys.stdin)], sys.stdout)
