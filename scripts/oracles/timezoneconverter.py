"""Local times, offsets and changes of offsets from Python's zoneinfo with the time zones of Debian."""
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAY = timedelta(days=1)


def iso(time):
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def local(time):
    return time.replace(tzinfo=None).isoformat()


def next_change(time, zone):
    """The first change of the offset in the next 200 days; None if there is none."""
    low = time.astimezone(timezone.utc)
    offset = low.astimezone(zone).utcoffset()
    for _ in range(200):
        high = low + DAY
        if high.astimezone(zone).utcoffset() != offset:
            while high - low > timedelta(seconds=1):
                middle = (low + (high - low) / 2).replace(microsecond=0)
                if middle.astimezone(zone).utcoffset() == offset:
                    low = middle
                else:
                    high = middle
            return iso(high)
        low = high
    return None


def answer(case):
    try:
        source, target = ZoneInfo(case["from"]), ZoneInfo(case["to"])
    except ZoneInfoNotFoundError:
        return None
    time = datetime.fromisoformat(case["time"]).replace(tzinfo=source)
    later = time.replace(fold=1)
    there_and_back = time.astimezone(timezone.utc).astimezone(source).replace(tzinfo=None)
    if time.utcoffset() == later.utcoffset():
        kind = None
    elif there_and_back == time.replace(tzinfo=None):
        kind = "repeated"
    else:
        kind = "left_out"
    converted = time.astimezone(timezone.utc).astimezone(target)
    return {
        "utc": iso(time),
        "kind": kind,
        "local": local(converted),
        "offset": converted.utcoffset().total_seconds(),
        "next": next_change(converted, target),
    }


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
