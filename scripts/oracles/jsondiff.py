"""Answers for documents and patches, by python3-jsonpatch: its own patch, our patch applied, and any patch applied."""
import copy
import json
import re
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


def mended(document, patch):
    """
    The result where the document is a member of another, so that no operation is about the root; None after any error, without a
    document, and where a value would move into itself (RFC 6902 4.4). Before, `mend` makes pointers follow RFC 6901.
    """
    if any(one["op"] == "remove" and one["path"] == "" for one in patch):
        return None
    if any(one["op"] == "move" and one["path"].startswith(one["from"] + "/") for one in patch):
        return None
    moved = [{**one, "path": "/d" + one["path"], "from": "/d" + one["from"]} for one in patch]
    try:
        return {"result": jsonpatch.apply_patch({"d": document}, moved)["d"]}
    except Exception:
        return None


def mend():
    """Section 4: indexes have no zeros before them, and belong to lists alone, not to texts."""
    pointer = jsonpointer.JsonPointer
    get_part = pointer.get_part
    pointer._RE_ARRAY_INDEX = re.compile("(?:0|[1-9][0-9]*)$")

    def get_part_of_list(_, document, part):
        if isinstance(document, str):
            raise jsonpointer.JsonPointerException("a text has no parts")
        return get_part(document, part)

    pointer.get_part = classmethod(get_part_of_list)


def made(before, after):
    try:
        return {"patch": jsonpatch.make_patch(before, after).patch}
    except Exception as error:
        return {"crash": type(error).__name__}


def answer(case):
    if case["patch"] is not None:
        # A patch is applied to a copy, since the library puts its values into the document and then changes them.
        return {"any": applied(case["from"], copy.deepcopy(case["patch"]))}
    own = made(case["from"], case["to"])
    if "patch" in own:
        own["applied"] = applied(case["from"], own["patch"])
    return {"made": own, "ours": applied(case["from"], case["made"])}


cases = json.load(sys.stdin)
answers = [answer(case) for case in cases]
mend()
for case, given in zip(cases, answers):
    if case["patch"] is not None:
        given["mended"] = mended(case["from"], case["patch"])
json.dump(answers, sys.stdout)
