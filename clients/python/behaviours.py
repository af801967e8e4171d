"""Runs the table of behaviours with the client for Python. Prints a line for each behaviour; ends with 1 if one differs."""

import http.client
import json
import os
import ssl
import sys
from urllib.parse import urlsplit

import penknife_mock


def call(mock, step):
    """An HTTP call as a program under test makes it."""
    url = urlsplit(mock.url)
    if url.scheme == "https":
        context = ssl.create_default_context(cadata=mock.ca)
        connection = http.client.HTTPSConnection(url.hostname, url.port, context=context)
    else:
        connection = http.client.HTTPConnection(url.hostname, url.port)
    key = step.get("key", mock.key)
    headers = {**({} if key is None else {"x-api-key": key}), **step.get("headers", {})}
    body = step.get("body")
    if body is not None:
        headers["content-type"] = "application/json"
    try:
        connection.request(step.get("method", "GET"), url.path + step["path"], body and json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
    except (http.client.RemoteDisconnected, ConnectionError):
        return {"broken": True}
    finally:
        connection.close()
    result = {"status": answer.status, "text": text, "headers": {k.lower(): v for k, v in answer.getheaders()}}
    try:
        result["body"] = json.loads(text)
    except ValueError:
        pass
    return result


def run(mock, name, given):
    if name == "start":
        return penknife_mock.start(**given)
    if name == "call":
        return call(mock, given)
    if given is None:
        return getattr(mock, name)()
    if name in ("fault", "stub", "verify", "requests", "webhooks"):
        return getattr(mock, name)(**given)
    return getattr(mock, name)(given)


def differences(expected, actual, path=""):
    """Where a value lacks what is expected. Objects may have more members, arrays may not."""
    if isinstance(expected, dict) and "contains" in expected:
        missing = [text for text in expected["contains"] if not isinstance(actual, str) or text not in actual]
        return [f"{path} lacks {text!r}: {actual!r}" for text in missing]
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [d for k, v in expected.items() for d in differences(v, actual.get(k, "nothing"), f"{path}.{k}")]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [d for i, v in enumerate(expected) for d in differences(v, actual[i], f"{path}[{i}]")]
    same = expected == actual and isinstance(expected, bool) == isinstance(actual, bool)
    return [] if same else [f"{path} is {actual!r}, not {expected!r}"]


def try_step(mocks, step):
    refused = step.get("refused")
    try:
        result = run(mocks[step.get("in", "shared")], step["do"], step.get("with"))
        if step["do"] == "start":
            if "started" in mocks:
                mocks.pop("started").stop()
            mocks["started"] = result
            result = {"url": result.url, "ca": result.ca, "differences": result.differences}
    except (penknife_mock.MockError, AssertionError) as error:
        if refused is None:
            return [f"was refused: {error}"]
        kind = AssertionError if step["do"] == "verify" and not step.get("invalid") else penknife_mock.MockError
        if not isinstance(error, kind):
            return [f"raised {type(error).__name__}, not {kind.__name__}"]
        return differences({"contains": refused}, str(error), "message")
    if refused is not None:
        return ["was not refused"]
    return differences(step["gives"], result) if "gives" in step else []


def main():
    with open(os.path.join(os.path.dirname(__file__), "../behaviours.json"), encoding="utf-8") as file:
        table = json.load(file)
    failed = 0
    with penknife_mock.start(**table["start"], webhook=os.environ["RECEIVER"]) as shared:
        for behaviour in table["behaviours"]:
            shared.reset()
            mocks = {"shared": shared}
            problems = []
            for number, step in enumerate(behaviour["steps"], 1):
                if step.get("in") == "session" and "session" not in mocks:
                    mocks["session"] = penknife_mock.start(shared=shared.url)
                problems += [f"   step {number}, {step['do']}: {p}" for p in try_step(mocks, step)]
            del mocks["shared"]
            for mock in mocks.values():
                mock.stop()
            failed += bool(problems)
            print("\n".join([f"{'not ok' if problems else 'ok'} {behaviour['name']}", *problems]))
    print(f"{len(table['behaviours']) - failed} of {len(table['behaviours'])} behaviours are the same in Python")
    sys.exit(1 if failed else 0)


main()
