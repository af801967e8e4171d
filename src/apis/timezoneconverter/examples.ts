const berlinSpring = {
  utc: "2027-03-28T01:00:00.000Z",
  local_before: "2027-03-28T02:00:00+01:00",
  local_after: "2027-03-28T03:00:00+02:00",
}
const berlinAutumn = {
  utc: "2027-10-31T01:00:00.000Z",
  local_before: "2027-10-31T03:00:00+02:00",
  local_after: "2027-10-31T02:00:00+01:00",
}
const newYorkAutumn = {
  utc: "2027-11-07T06:00:00.000Z",
  local_before: "2027-11-07T02:00:00-04:00",
  local_after: "2027-11-07T01:00:00-05:00",
}
const berlinIn2027 = [
  { timezone: "Europe/Berlin", ...berlinSpring },
  { timezone: "Europe/Berlin", ...berlinAutumn },
]

/** A meeting between two clock changes, a time that does not exist, and one that comes twice. */
export const examplesFor = (data_version: string) => [
  {
    name: "A meeting in Berlin for New York and Kolkata",
    input: {
      time: "2027-03-16T15:00",
      from: "Europe/Berlin",
      to: ["America/New_York", "Asia/Kolkata"],
    },
    output: {
      is_valid: true,
      problems: [],
      utc: "2027-03-16T14:00:00.000Z",
      unix_seconds: 1805205600,
      from: {
        timezone: "Europe/Berlin",
        local: "2027-03-16T15:00:00+01:00",
        offset: "+01:00",
        next_change: berlinSpring,
      },
      times: [
        {
          timezone: "America/New_York",
          local: "2027-03-16T10:00:00-04:00",
          offset: "-04:00",
          next_change: newYorkAutumn,
        },
        {
          timezone: "Asia/Kolkata",
          local: "2027-03-16T19:30:00+05:30",
          offset: "+05:30",
          next_change: null,
        },
      ],
      data_version,
      year_changes: [
        ...berlinIn2027,
        {
          timezone: "America/New_York",
          utc: "2027-03-14T07:00:00.000Z",
          local_before: "2027-03-14T02:00:00-05:00",
          local_after: "2027-03-14T03:00:00-04:00",
        },
        { timezone: "America/New_York", ...newYorkAutumn },
      ],
    },
  },
  {
    name: "A time that clocks skip",
    input: {
      time: "2027-03-28T02:30",
      from: "Europe/Berlin",
      to: ["UTC"],
    },
    output: {
      is_valid: false,
      problems: [
        {
          code: "left_out" as const,
          severity: "error" as const,
          message:
            "On 2027-03-28, clocks in Europe/Berlin go from 02:00 to 03:00: there is no 02:30. The answer is for 2027-03-28T03:30:00+02:00.",
          where: "time",
        },
      ],
      utc: "2027-03-28T01:30:00.000Z",
      unix_seconds: 1806197400,
      from: {
        timezone: "Europe/Berlin",
        local: "2027-03-28T03:30:00+02:00",
        offset: "+02:00",
        next_change: berlinAutumn,
      },
      times: [{ timezone: "UTC", local: "2027-03-28T01:30:00+00:00", offset: "+00:00", next_change: null }],
      data_version,
      year_changes: berlinIn2027,
    },
  },
  {
    name: "The later of two times that look the same on clocks",
    input: {
      time: "2027-10-31T02:30",
      from: "Europe/Berlin",
      to: ["UTC"],
      disambiguation: "later" as const,
    },
    output: {
      is_valid: true,
      problems: [
        {
          code: "repeated" as const,
          severity: "warning" as const,
          message:
            "On 2027-10-31, clocks in Europe/Berlin go from 03:00 to 02:00: 02:30 comes twice. The answer is for 2027-10-31T02:30:00+01:00.",
          where: "time",
        },
      ],
      utc: "2027-10-31T01:30:00.000Z",
      unix_seconds: 1824946200,
      from: {
        timezone: "Europe/Berlin",
        local: "2027-10-31T02:30:00+01:00",
        offset: "+01:00",
        next_change: {
          utc: "2028-03-26T01:00:00.000Z",
          local_before: "2028-03-26T02:00:00+01:00",
          local_after: "2028-03-26T03:00:00+02:00",
        },
      },
      times: [{ timezone: "UTC", local: "2027-10-31T01:30:00+00:00", offset: "+00:00", next_change: null }],
      data_version,
      year_changes: berlinIn2027,
    },
  },
]
