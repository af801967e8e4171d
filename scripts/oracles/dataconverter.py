"""What Python makes of texts: json, PyYAML, tomllib, csv and xml.etree, with the mapping of docs/dataconverter.md."""
import csv
import io
import json
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from datetime import date, datetime, time
from decimal import Decimal

import yaml


def plain(value):
    """The value as JSON: a number as its exact value, a date as text, an object as sorted pairs."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, Decimal)):
        return {"number": exact(Decimal(value))}
    if isinstance(value, (date, time, datetime)):
        return value.isoformat()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return {"pairs": sorted([str(key), plain(item)] for key, item in value.items())}


def exact(number):
    if not number.is_finite():
        return str(number)
    if number.is_zero():
        return "0"
    sign, digits, exponent = number.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    short = text.rstrip("0")
    return f"{'-' if sign else ''}{short}e{exponent + len(text) - len(short)}"


def read_json(text):
    return json.loads(text, parse_int=Decimal, parse_float=Decimal, parse_constant=refuse, object_pairs_hook=unique)


def refuse(reason):
    raise ValueError(reason)


def unique(pairs):
    return dict(pairs) if len(dict(pairs)) == len(pairs) else refuse("a key is there twice")


class Loader(yaml.SafeLoader):
    """PyYAML with exact numbers. It refuses keys that are there twice."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        if len({str(key) for key in keys}) < len(keys):
            refuse("a key is there twice")
        return super().construct_mapping(node, deep)


Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: Decimal(node.value.replace("_", "")))


def read_yaml(text):
    values = list(yaml.load_all(text, Loader))
    return values[0] if len(values) == 1 else None if not values else values


def read_toml(text):
    return tomllib.loads(text, parse_float=Decimal)


def read_csv(text):
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    if not rows:
        return []
    if len(set(rows[0])) < len(rows[0]) or any(len(row) != len(rows[0]) for row in rows):
        refuse("the rows do not fit")
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def read_xml(text):
    root = ElementTree.fromstring(text)
    return {root.tag: element(root)}


def element(node):
    text = (node.text or "") + "".join(child.tail or "" for child in node)
    if not node.attrib and len(node) == 0:
        return text
    found = {f"@{name}": value for name, value in node.attrib.items()}
    for child in node:
        found.setdefault(child.tag, []).append(element(child))
    for name, values in found.items():
        if isinstance(values, list) and len(values) == 1:
            found[name] = values[0]
    if (text.strip(" \t\r\n") if len(node) else text) != "":
        found["#text"] = text
    return found


readers = {"json": read_json, "yaml": read_yaml, "toml": read_toml, "csv": read_csv, "xml": read_xml}


def answer(case):
    try:
        return [plain(readers[case["format"]](case["text"]))]
    except (ValueError, RecursionError, ArithmeticError, yaml.YAMLError, csv.Error, ElementTree.ParseError):
        return None


csv.field_size_limit(10_000_000)
json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
