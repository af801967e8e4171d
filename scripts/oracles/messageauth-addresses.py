"""The addresses of each field From by the parser of Python's email package, which reads on after defects. Or its own error."""

import json
import sys
from email.headerregistry import HeaderRegistry

make = HeaderRegistry()


def read(text):
    try:
        return [f"{one.username}\n{one.domain}" for one in make("From", text).addresses]
    except Exception as error:
        # It ends with various errors of Python where its parser has a fault.
        return type(error).__name__


json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
