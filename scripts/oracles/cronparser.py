"""The next five runs of cron expressions from croniter, in UTC."""
import json
import sys
from datetime import datetime, timezone

from croniter import CroniterBadDateError, croniter
from zoneinfo import ZoneInfo


def answer(case):
    after = datetime.fromisoformat(case["after"].replace("Z", "+00:00")).astimezone(ZoneInfo(case["timezone"]))
    runs = croniter(case["expression"], after, max_years_between_matches=50)
    times = []
    try:
        while len(times) < 5:
            times.append(runs.get_next(datetime).astimezone(timezone.utc))
    except CroniterBadDateError:
        pass
    return [time.strftime("%Y-%m-%dT%H:%M:%S.000Z") for time in times]


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
