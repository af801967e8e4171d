import type { WorstInputs } from "../support/worst-inputs.ts"

/** The slowest inputs: days that no year has, and times that clock changes skip each year. */
export const worst: WorstInputs = {
  "each second of an hour that clocks leave out": {
    expression: "* * 2 25-31 3 +SUN#L",
    timezone: "Europe/Berlin",
  },
  "a 31st that is a first Monday, in any year": { expression: "0 0 0 31 * +1#1 1-9999" },
  "a first working day that is a last Monday": { expression: "*/7 * * 1W * +MON#L *", after: "1970-01-01" },
  "a 29th of February that is a fifth Monday": {
    expression: "0 0 29 2 +1#5",
    timezone: "Africa/Casablanca",
    count: 100,
  },
}

/** The two that take longest. */
export const inCheck = [
  "each second of an hour that clocks leave out",
  "a 31st that is a first Monday, in any year",
]
