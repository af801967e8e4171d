"""
Answers for documents and patches, by python3-jsonpatch: its own patch if it can be used, our patch applied, and any patch applied.
Its pointers are mended first, since some of them do not follow RFC 6901.
"""
import copy
import json
import re
import sys

import jsonpatch
import jsonpointer


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


def moves_into_itself(patch):
    """RFC 6902 4.4 forbids it."""
    return any(one["op"] == "move" and one["path"].startswith(one["from"] + "/") for one in patch)


def applied(document, patch):
    """
    The result, or None after any error. The document is a member of another, since operations about the root, and the place after
    a list, end with errors of Python otherwise.
    """
    if moves_into_itself(patch) or any(one["op"] == "remove" and one["path"] == "" for one in patch):
        return None
    # A patch is applied to a copy, since the library puts its values into the document and then changes them.
    moved = [
        {**one, "path": "/d" + one["path"], **({"from": "/d" + one["from"]} if "from" in one else {})}
        for one in copy.deepcopy(patch)
    ]
    try:
        return {"result": jsonpatch.apply_patch({"d": document}, moved)["d"]}
    except Exception:
        return None


def made(before, after):
    """Its own patch; None if it crashes, or if the patch does not lead to the second document where it applies that itself."""
    try:
        patch = jsonpatch.make_patch(before, after).patch
        is_usable = not moves_into_itself(patch) and jsonpatch.apply_patch(before, patch) == after
        return patch if is_usable else None
    except Exception:
        return None


def answer(case):
    if case["patch"] is not None:
        return {"any": applied(case["from"], case["patch"])}
    return {"made": made(case["from"], case["to"]), "ours": applied(case["from"], case["made"])}


mend()
json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
