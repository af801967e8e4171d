"""Answers for documents and patches, by python3-jsonpatch: its own patch, our patch applied, and any patch applied."""
import json
import sys

import jsonpatch
import jsonpointer


def applied(document, patch):
    try:
        return {"result": jsonpatch.apply_patch(document, patch)}
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException):
        return None
    except Exception as error:
        return {"crash": type(error).__name__}


def made(before, after):
    try:
        return {"patch": jsonpatch.make_patch(before, after).patch}
    except Exception as error:
        return {"crash": type(error).__name__}


def answer(case):
    if case["patch"] is not None:
        return {"any": applied(case["from"], case["patch"])}
    own = made(case["from"], case["to"])
    if "patch" in own:
        own["applied"] = applied(case["from"], own["patch"])
    return {"made": own, "ours": applied(case["from"], case["made"])}


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
