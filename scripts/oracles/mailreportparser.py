"""What Python makes of reports of DMARC: xml.etree reads them, and xmlschema checks them by the XML Schema of RFC 9990."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import xmlschema

XSD = Path(__file__).parents[2] / "test/data/dmarc-aggregate/dmarc-aggregate.xsd"
schema = xmlschema.XMLSchema(str(XSD))
NAMESPACE = "{urn:ietf:params:xml:ns:dmarc-2.0}"


def find(element, path):
    """Descends by the first child of each name."""
    for name in path.split("/"):
        element = None if element is None else element.find(NAMESPACE + name)
    return element


def text_of(element, path):
    found = find(element, path)
    return None if found is None else (found.text or "").strip()


def number_of(element, path):
    """A whole number in its shortest form; other texts as they are."""
    text = text_of(element, path)
    return str(int(text)) if text is not None and re.fullmatch(r"[+-]?[0-9]+", text) else text


def children_of(element, path, name):
    found = find(element, path)
    return [] if found is None else found.findall(NAMESPACE + name)


def read_row(record):
    dkim = children_of(record, "auth_results", "dkim")
    spf = children_of(record, "auth_results", "spf")
    reasons = children_of(record, "row/policy_evaluated", "reason")
    return {
        "count": number_of(record, "row/count"),
        "disposition": text_of(record, "row/policy_evaluated/disposition"),
        "dkim": text_of(record, "row/policy_evaluated/dkim"),
        "spf": text_of(record, "row/policy_evaluated/spf"),
        "reasons": [[text_of(one, "type"), text_of(one, "comment")] for one in reasons],
        "header_from": text_of(record, "identifiers/header_from"),
        "envelope_from": text_of(record, "identifiers/envelope_from"),
        "envelope_to": text_of(record, "identifiers/envelope_to"),
        "dkim_results": [
            [text_of(one, name) for name in ("domain", "selector", "result", "human_result")] for one in dkim
        ],
        "spf_results": [
            [text_of(one, name) for name in ("domain", "scope", "result", "human_result")] for one in spf
        ],
    }


def read(report):
    root = ElementTree.fromstring(report)
    metadata = root.find(f"{NAMESPACE}report_metadata")
    published = root.find(f"{NAMESPACE}policy_published")
    return {
        "is_valid": schema.is_valid(root),
        "organization": text_of(metadata, "org_name"),
        "contact": text_of(metadata, "email"),
        "report_id": text_of(metadata, "report_id"),
        "begin": number_of(metadata, "date_range/begin"),
        "end": number_of(metadata, "date_range/end"),
        "domain": text_of(published, "domain"),
        "policy": text_of(published, "p"),
        "rows": [read_row(record) for record in root.findall(f"{NAMESPACE}record")],
    }


json.dump([read(report) for report in json.load(sys.stdin)], sys.stdout)
