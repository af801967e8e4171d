export const londonExample = {
  name: "London on New Year's Day",
  input: { lat: 51.5074, lon: -0.1278, date: "01-01-2025" },
  output: {
    solarNoon: "2025-01-01T12:04:12.145Z",
    sunrise: "2025-01-01T08:06:10.058Z",
    sunset: "2025-01-01T16:02:25.960Z",
    sunriseEnd: "2025-01-01T08:10:30.590Z",
    sunsetStart: "2025-01-01T15:58:05.401Z",
    dawn: "2025-01-01T07:26:14.270Z",
    dusk: "2025-01-01T16:42:22.047Z",
    nauticalDawn: "2025-01-01T06:43:20.122Z",
    nauticalDusk: "2025-01-01T17:25:16.642Z",
    nightEnd: "2025-01-01T06:02:42.339Z",
    night: "2025-01-01T18:05:55.018Z",
    goldenHourEnd: "2025-01-01T09:06:50.374Z",
    goldenHour: "2025-01-01T15:01:45.338Z",
  },
}

export const quitoExample = {
  name: "Quito, today",
  input: { lat: -0.1807, lon: -78.4678 },
  given: { now: "2025-03-20T23:30:00Z" },
  output: {
    solarNoon: "2025-03-20T17:21:11.727Z",
    sunrise: "2025-03-20T11:17:56.908Z",
    sunset: "2025-03-20T23:24:26.392Z",
    sunriseEnd: "2025-03-20T11:20:04.803Z",
    sunsetStart: "2025-03-20T23:22:18.497Z",
    dawn: "2025-03-20T10:57:17.069Z",
    dusk: "2025-03-20T23:45:06.232Z",
    nauticalDawn: "2025-03-20T10:33:17.343Z",
    nauticalDusk: "2025-03-21T00:09:05.959Z",
    nightEnd: "2025-03-20T10:09:17.611Z",
    night: "2025-03-21T00:33:05.692Z",
    goldenHourEnd: "2025-03-20T11:45:16.503Z",
    goldenHour: "2025-03-20T22:57:06.796Z",
  },
}

/** The sun does not set; there is neither twilight nor night. */
export const tromsoExample = {
  name: "Tromsø at midsummer",
  input: { lat: 69.6492, lon: 18.9553, date: "06-21-2025" },
  output: {
    solarNoon: "2025-06-21T10:46:03.079Z",
    sunrise: null,
    sunset: null,
    sunriseEnd: null,
    sunsetStart: null,
    dawn: null,
    dusk: null,
    nauticalDawn: null,
    nauticalDusk: null,
    nightEnd: null,
    night: null,
    goldenHourEnd: "2025-06-21T00:56:56.633Z",
    goldenHour: "2025-06-21T20:35:06.903Z",
  },
}

const neitherDay = {
  ...{ sunrise: null, sunset: null, sunriseEnd: null, sunsetStart: null, dawn: null, dusk: null },
  ...{ goldenHourEnd: null, goldenHour: null },
}

/** The polar night of Svalbard, where the sun does not even reach the altitude of civil twilight. */
export const longyearbyenExample = {
  name: "The polar night of Longyearbyen, explained",
  input: { lat: 78.2232, lon: 15.6267, date: "12-21-2026", timezone: "Europe/Oslo" },
  output: {
    solarNoon: "2026-12-21T10:55:33.119Z",
    ...neitherDay,
    nauticalDawn: "2026-12-21T09:58:31.548Z",
    nauticalDusk: "2026-12-21T11:52:33.392Z",
    nightEnd: "2026-12-21T06:37:08.500Z",
    night: "2026-12-21T15:13:56.208Z",
    day_length_seconds: 0,
    local: {
      solarNoon: "2026-12-21T11:55:33+01:00",
      ...neitherDay,
      nauticalDawn: "2026-12-21T10:58:31+01:00",
      nauticalDusk: "2026-12-21T12:52:33+01:00",
      nightEnd: "2026-12-21T07:37:08+01:00",
      night: "2026-12-21T16:13:56+01:00",
    },
    missing: Object.keys(neitherDay).map((name) => ({ name, kind: "always_below" as const })),
  },
}
