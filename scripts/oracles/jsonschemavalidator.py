"""Answers for pairs of a schema and a document: is the document valid by python3-jsonschema? Null for a schema that is none."""
import json
import sys

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import SchemaError


def answer(schema, document):
    is_draft_7 = isinstance(schema, dict) and "draft-07" in schema.get("$schema", "")
    validator = Draft7Validator if is_draft_7 else Draft202012Validator
    try:
        validator.check_schema(schema)
    except SchemaError:
        return None
    try:
        return validator(schema).is_valid(document)
    except TypeError:
        # It sorts values of different types for its message.
        return "error"


json.dump([answer(schema, document) for schema, document in json.load(sys.stdin)], sys.stdout)
