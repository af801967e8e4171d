"""The offset at the beginning of a year in a zone, and its changes in the year, from Python's zoneinfo."""
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

UTC = timezone.utc
STEP = timedelta(days=2)
SECOND = timedelta(seconds=1)


def offset(zone, time):
    return time.astimezone(zone).utcoffset()


def seconds(delta):
    return int(delta.total_seconds())


def answer(case):
    try:
        zone = ZoneInfo(case["zone"])
    except ZoneInfoNotFoundError:
        return None
    year = case["year"]
    start, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    found = [seconds(offset(zone, start))]
    low = start - SECOND
    before = offset(zone, low)
    while low < end - SECOND:
        high = min(low + STEP, end - SECOND)
        after = offset(zone, high)
        if after != before:
            there = high
            while there - low > SECOND:
                middle = low + timedelta(seconds=(there - low) // SECOND // 2)
                if offset(zone, middle) == before:
                    low = middle
                else:
                    there = middle
            before = offset(zone, there)
            found.append([there.strftime("%Y-%m-%dT%H:%M:%S.000Z"), seconds(before)])
            low = there
            continue
        low = high
    return found


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
