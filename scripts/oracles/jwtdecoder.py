"""Answers for tokens and keys: does python3-jwcrypto take the signature, and what is the payload?"""
import json
import sys

from jwcrypto import jwk, jws


def answer(case):
    text = case["key"]
    try:
        if text.startswith("{"):
            key = jwk.JWK(**json.loads(text))
        elif text.startswith("-----BEGIN"):
            key = jwk.JWK.from_pem(text.encode())
        else:
            key = jwk.JWK(kty="oct", k=jwk.base64url_encode(text))
        token = jws.JWS()
        token.deserialize(case["token"], key)
        return {"verified": True, "payload": token.payload.decode()}
    except Exception as error:
        return {"verified": False, "payload": None}


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
