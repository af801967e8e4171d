/** Working days, clock changes, and a date that does not exist. */
export const examplesFor = (data_version: string) => [
  {
    name: "Every working day at nine in Berlin",
    input: { expression: "0 9 * * 1-5", timezone: "Europe/Berlin", after: "2026-11-20T12:00:00Z", count: 2 },
    output: {
      is_valid: true,
      problems: [],
      description: "At 09:00, Monday through Friday",
      dialect: "unix" as const,
      timezone: "Europe/Berlin",
      runs: [
        { local: "2026-11-23T09:00:00+01:00", utc: "2026-11-23T08:00:00.000Z" },
        { local: "2026-11-24T09:00:00+01:00", utc: "2026-11-24T08:00:00.000Z" },
      ],
      data_version,
    },
  },
  {
    name: "A time that the change to summer time skips",
    input: { expression: "30 2 * * *", timezone: "Europe/Berlin", after: "2027-03-27T12:00:00Z", count: 2 },
    output: {
      is_valid: true,
      problems: [
        {
          code: "left_out" as const,
          severity: "warning" as const,
          message:
            "On 2027-03-28, clocks in Europe/Berlin go from 02:00 to 03:00: the run of 02:30 takes place at 03:00.",
          where: "2027-03-28",
        },
        {
          code: "repeated" as const,
          severity: "info" as const,
          message:
            "On 2027-10-31, clocks in Europe/Berlin go from 03:00 to 02:00. 02:30 comes twice: it runs only the first time.",
          where: "2027-10-31",
        },
      ],
      description: "At 02:30",
      dialect: "unix" as const,
      timezone: "Europe/Berlin",
      runs: [
        { local: "2027-03-28T03:00:00+02:00", utc: "2027-03-28T01:00:00.000Z" },
        { local: "2027-03-29T02:30:00+02:00", utc: "2027-03-29T00:30:00.000Z" },
      ],
      data_version,
    },
  },
  {
    name: "The 30th of February",
    input: { expression: "0 0 30 2 *", after: "2026-11-20" },
    output: {
      is_valid: false,
      problems: [
        {
          code: "no_run" as const,
          severity: "error" as const,
          message: "No time after 2026-11-20T00:00:00.000Z fits the expression until the year 2999.",
          where: "expression",
        },
      ],
      description: "At 00:00, on day 30 of the month, only in February",
      dialect: "unix" as const,
      timezone: "UTC",
      runs: [],
      data_version,
    },
  },
]
