"""The test double of penknife, from a test in Python 3.8 or newer. It needs the standard library alone.

    import penknife_mock

    with penknife_mock.start(plan="free") as mock:
        mock.fault(api="hmac", status=503, times=1)
        ...  # call mock.url with the header x-api-key: mock.key
        mock.verify(api="hmac", count=2)

With pytest, `pytest_plugins = ["penknife_mock"]` in conftest.py gives the fixture `penknife`, which is reset for each test.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import ssl
import subprocess
import threading
import time
from typing import Any, Dict, List, Optional
from urllib.parse import quote, urlencode, urlsplit

try:
    import pytest
except ImportError:
    pytest = None  # type: ignore[assignment]

_START_SECONDS = 30
_LOG_CHARACTERS = 16_384
# The flag of each option.
_FLAGS = {
    "port": "--port",
    "seed_time": "--seed-time",
    "clock": "--clock",
    "dns": "--dns",
    "web": "--web",
    "seed": "--seed",
    "plan": "--plan",
    "tls": "--tls-self-signed",
    "apis": "--apis",
    "like": "--like",
    "strict_like": "--strict-like",
    "smtp": "--smtp",
    "webhook": "--webhook",
    "webhook_time": "--webhook-time",
    "graphql": "--no-graphql",
}


class MockError(Exception):
    """The mock did not start, or refused what a test asked of it. The message says what to change."""


def start(*, shared: Optional[str] = None, command: Optional[List[str]] = None, **options: Any) -> "Mock":
    """Starts a mock and returns it when it answers. It ends with `stop()`, with its `with` block, and with this process.

    :param shared: the URL of a running mock: a session of it is used, and no process started
    :param command: the program and its first arguments; by default PENKNIFE_BIN, else penknife on the PATH
    :param options: each may be left out, or None

        - port: by default a free one
        - seed_time: the clock at the start, by default "2025-01-01T00:00:00Z"
        - clock: "stopped", the default, or "real"
        - dns, web: paths of YAML files with DNS records, and with what other hosts answer over HTTPS
        - seed: the state at the start: the path of a file, or its content as a dict
        - plan: of `Mock.key`, by default "pro"
        - tls: a list of host names to serve TLS for; clients must trust `Mock.ca`
        - apis: a folder with APIs of your own, which the mock serves too
        - like: the URL of a running service to compare with at the start; see `Mock.differences`
        - strict_like: True does not start if something differs from that service, or that could not be found out
        - smtp: the URL of a mail catcher on this machine, which gets the mails
        - webhook: the URL of a receiver of webhooks on this machine
        - webhook_time: whose time signs webhooks: "machine", the default, or "mock"
        - graphql: False turns GraphQL off
    :raises MockError: if an option is unknown, or penknife is not found or does not start
    """
    unknown = [name for name in options if name not in _FLAGS]
    if unknown:
        known = ", ".join(_FLAGS)
        raise MockError(f"penknife mock: there is no option '{unknown[0]}'; there are {known}, shared, command")
    if shared is None:
        return _start_process(command or _find_command(), options)
    for name in [*options, *(["command"] if command else [])]:
        raise MockError(f"penknife mock: 'shared' uses a mock that runs already: start that with '{name}'")
    base = shared.rstrip("/")
    session = _control(base, "POST", "/_mock/sessions")
    path = f"/_mock/sessions/{session['id']}"
    # It is reached below the address that was given, also if the mock sees another.
    url = f"{base}/s/{session['id']}"
    return Mock(url, session["key"], lambda: _control(base, "DELETE", path), session["webhook"])


class Mock:
    """A running mock: `url` is where it listens, `key` a valid API key on the plan of the option `plan`.

    `ca` is the certificate of its authority (PEM) with the option `tls`, else None: `ssl.create_default_context(cadata=mock.ca)`.
    `webhook` has `url` and `secret` of the webhook that the option `webhook` sets, and the `reason` why nothing is sent there, or
    None; without the option it is None. `differences` say how the mock differs from the service of the option `like`.
    """

    def __init__(
        self,
        url: str,
        key: str,
        end: Any,
        webhook: Optional[Dict[str, str]] = None,
        differences: Optional[List[str]] = None,
        ca: Optional[str] = None,
    ) -> None:
        self.url = url
        self.key = key
        self.webhook = webhook
        self.differences = differences or []
        self.ca = ca
        self._end = end

    def fault(self, **fault: Any) -> None:
        """Makes calls fail: `fault(api="hmac", status=503, times=2)`. docs/mock.md lists the fields."""
        self.control("PUT", "/_mock/faults", fault)

    def stub(self, **stub: Any) -> None:
        """Sets a fixed answer: `stub(api="hmac", input={"message": "a"}, data={"hmac": "b"})`."""
        self.control("PUT", "/_mock/stubs", stub)

    def clear(self) -> None:
        """Removes all faults and stubs."""
        self.control("DELETE", "/_mock/faults")
        self.control("DELETE", "/_mock/stubs")

    def profile(self, name: str) -> None:
        """Sets a named set of faults, such as "flaky" or "outage"; "ok" removes it."""
        self.control("PUT", "/_mock/profile", {"name": name})

    def advance(self, time: str) -> str:
        """Moves the clock forward by a time such as "90s", "15m", "24h" or "31d"; returns the new time (ISO 8601)."""
        return self.control("PUT", "/_mock/clock", {"advance": time})["now"]

    def set_time(self, now: str) -> str:
        """Sets the clock to an instant such as "2025-03-01T12:00:00Z"; returns the new time."""
        return self.control("PUT", "/_mock/clock", {"now": now})["now"]

    def dns(self, zone: Dict[str, Any]) -> None:
        """Replaces all DNS records: `{"example.com": [{"TXT": "v=spf1 -all"}]}`."""
        self.control("PUT", "/_mock/dns", zone)

    def web(self, replies: Dict[str, Any]) -> None:
        """Replaces all that other hosts answer over HTTPS: `{"https://a.example/": {"body": "text"}}`."""
        self.control("PUT", "/_mock/web", replies)

    def requests(self, **conditions: Any) -> List[Dict[str, Any]]:
        """The requests with their answers, oldest first. Conditions: `api`, `status`, `key`.

        :raises MockError: if the mock no longer keeps the oldest ones
        """
        journal = self.control("GET", "/_mock/requests?" + urlencode(conditions))
        if journal["dropped"] > 0:
            dropped, total = journal["dropped"], journal["total"]
            raise MockError(
                f"penknife mock: the {dropped} oldest of {total} requests are no longer kept; call reset() between tests"
            )
        return journal["requests"]

    def verify(self, **expected: Any) -> str:
        """Checks what was called: `verify(api="hmac", status=200, count=2)`. Returns it as text. docs/mock.md lists the fields.

        :raises AssertionError: if it was not called so; the message says what came instead
        """
        __tracebackhide__ = True  # pytest then shows the line of the test.
        return self.control("POST", "/_mock/verify", expected)["text"]

    def notices(self) -> List[Dict[str, Any]]:
        """The webhook messages, oldest first, with the attempts to deliver them."""
        return self.control("GET", "/_mock/notices")["notices"]

    def webhooks(self, type: Optional[str] = None, count: int = 1, timeout: float = 5) -> List[Dict[str, Any]]:
        """Waits until `count` webhook messages of a type, or of any type, are delivered, and returns all that are.

        :param timeout: in seconds of real time
        :raises MockError: if there are fewer by then
        """
        until = time.monotonic() + timeout
        while True:
            notices = self.notices()
            wanted = [notice for notice in notices if type is None or notice["type"] == type]
            delivered = [notice for notice in wanted if notice["state"] == "delivered"]
            if len(delivered) >= count:
                return delivered
            if time.monotonic() >= until:
                kind = "" if type is None else f" of the type '{type}'"
                lines = [f"penknife mock: {len(delivered)} of {count} webhooks{kind} were delivered in {timeout} s"]
                others = [notice for notice in wanted if notice not in delivered]
                lines += [f"  {n['type']} {n['id']} is {n['state']}: {n['reason'] or 'no answer so far'}" for n in others]
                if not wanted:
                    lines += [f"  types that were raised: {', '.join(dict.fromkeys(n['type'] for n in notices)) or 'none'}"]
                raise MockError("\n".join(lines))
            time.sleep(0.02)

    def resend(self, id: str) -> Dict[str, Any]:
        """Sends a webhook message or a mail again, with the same id; returns it."""
        kind = "mails" if id.startswith("mail_") else "notices"
        return self.control("PUT", f"/_mock/{kind}/{quote(id, safe='')}/resend")

    def mails(self) -> List[Dict[str, Any]]:
        """The mails, oldest first, with text, HTML, link and the attempts to send them."""
        return self.control("GET", "/_mock/mails")["mails"]

    def reset(self) -> None:
        """Restores the state at the start."""
        self.control("POST", "/_mock/reset")

    def stop(self) -> None:
        """Ends the mock, or the session of a shared one."""
        self._end()

    def control(self, method: str, path: str, body: Optional[Dict[str, Any]] = None) -> Any:
        """Sends a request to a control path, and returns the `data` of the answer.

        :raises MockError: if the mock refuses it
        """
        __tracebackhide__ = True
        return _control(self.url, method, path, body, self.ca)

    def __enter__(self) -> "Mock":
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def _find_command() -> List[str]:
    named = os.environ.get("PENKNIFE_BIN") or shutil.which("penknife")
    if named:
        return [named]
    raise MockError(
        "penknife was not found: build it with 'bun run build' in its repository, and set PENKNIFE_BIN to the path of "
        "dist/penknife, or put it on the PATH."
    )


def _start_process(command: List[str], options: Dict[str, Any]) -> Mock:
    arguments = ["mock", "--json", "--stop-with-stdin", *_arguments_of({**options, "port": options.get("port") or 0})]
    # The settings of the shell are meant for services that are started there.
    settings = [name for name in os.environ if name.upper().startswith("PENKNIFE_")]
    env = {name: value for name, value in os.environ.items() if name not in settings}
    try:
        # Its standard input closes when this process ends, so that the mock ends too when a test run is killed.
        pipe = subprocess.PIPE
        process = subprocess.Popen([*command, *arguments], stdin=pipe, stdout=pipe, stderr=pipe, env=env)
    except OSError as error:
        raise MockError(f"{command[0]} cannot be run: {error.strerror}. Look at PENKNIFE_BIN.") from error
    log = bytearray()
    reader = threading.Thread(target=_read_log, args=(process, log), daemon=True)
    reader.start()
    killer = threading.Timer(_START_SECONDS, process.kill)
    killer.start()
    line = process.stdout.readline().decode(errors="replace")  # type: ignore[union-attr]
    killer.cancel()
    try:
        event = json.loads(line)
        rest = (event.get("webhook"), event.get("differences"), event.get("ca"))
        return Mock(event["url"], event["key"], lambda: _stop(process, reader), *rest)
    except (ValueError, KeyError, TypeError):
        if line:
            process.kill()
        code = process.wait()
        reader.join()
        _stop(process, reader)
        if line:
            raise MockError(f"{command[0]} is not penknife: it printed '{line.strip()[:200]}'") from None
        text = log.decode(errors="replace").strip()
        raise MockError(f"{command[0]} mock ended with {code}: {text}") from None


def _arguments_of(options: Dict[str, Any]) -> List[str]:
    arguments = []
    for name, value in options.items():
        if name == "graphql":
            # Its flag turns it off.
            value = value is False
        if value is None or value is False:
            continue
        arguments.append(_FLAGS[name])
        if isinstance(value, dict):
            arguments.append(json.dumps(value))
        elif isinstance(value, (list, tuple)):
            arguments.append(",".join(value))
        elif value is not True:
            arguments.append(str(value))
    return arguments


def _read_log(process: Any, log: bytearray) -> None:
    for line in process.stderr:
        log += line
        del log[:-_LOG_CHARACTERS]


def _stop(process: Any, reader: threading.Thread) -> None:
    process.terminate()
    process.wait()
    reader.join()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()


def _control(
    base: str, method: str, path: str, body: Optional[Dict[str, Any]] = None, ca: Optional[str] = None
) -> Any:
    __tracebackhide__ = True
    url = urlsplit(base)
    # A proxy of the environment is not meant for a mock, so this does not use urllib.
    if url.scheme == "https":
        context = ssl.create_default_context(cadata=ca)
        connection: Any = http.client.HTTPSConnection(url.hostname or "", url.port or 443, timeout=600, context=context)
    else:
        connection = http.client.HTTPConnection(url.hostname or "", url.port or 80, timeout=600)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, url.path + path, text, {"content-type": "application/json"})
        answer = connection.getresponse()
        content = answer.read().decode()
        envelope = json.loads(content)
        status, error, data = answer.status, envelope["error"], envelope["data"]
    except OSError as cause:
        raise MockError(f"penknife mock: {base} does not answer: {cause}") from cause
    except (ValueError, KeyError, TypeError):
        raise MockError(f"penknife mock: {base} is not penknife: it answered '{content[:200]}'") from None
    finally:
        connection.close()
    if status == 417:
        raise AssertionError(error)
    if error is not None:
        raise MockError(f"penknife mock: {error}")
    return data


if pytest is not None:

    @pytest.fixture(scope="session")
    def penknife_process() -> Any:
        """The mock of all tests of a run; each process of pytest-xdist has its own."""
        with start() as mock:
            yield mock

    @pytest.fixture
    def penknife(penknife_process: Mock) -> Mock:
        """The mock in the state at its start."""
        penknife_process.reset()
        return penknife_process
