import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { defineApi, defineFormat, nullable, premium, reject } from "../contract.ts"
import { londonExample, quitoExample, tromsoExample } from "./examples.ts"
import { computeSunTimes, type SunEvent } from "./sun-times.ts"

/** The years for which suncalc is accurate enough: its rotation of the earth (ΔT) is minutes off a century earlier. */
const firstYear = 1900
const lastYear = 2500

const dateFormat = "month-day-year"
const dateRequirement = `must be a real date in the form MM-DD-YYYY, from ${firstYear} to ${lastYear}`

defineFormat(dateFormat, (text) => parseCalendarDate(text) !== null)

export const sunrisesunset = defineApi({
  id: "sunrisesunset",
  title: "Sunrise and sunset",
  category: "time and place",
  keywords: ["sun", "dawn", "dusk", "twilight", "daylight", "day length", "solar noon", "golden hour"],
  description: `Computes the times of sunrise, sunset, twilight, golden hours and solar noon at a place. The date is that of the place's local mean solar time, so that its sunset may be on the next day in UTC. It may be from ${firstYear} to ${lastYear}, the years for which the times are accurate.`,
  method: "GET",
  credits: 1,
  input: Type.Object({
    lat: Type.Number({ minimum: -90, maximum: 90, description: "Latitude in degrees, north positive." }),
    lon: Type.Number({ minimum: -180, maximum: 180, description: "Longitude in degrees, east positive." }),
    date: Type.Optional(
      premium(
        Type.String({
          format: dateFormat,
          "x-requirement": dateRequirement,
          description: `The date as MM-DD-YYYY, from ${firstYear} to ${lastYear}. Default: today in UTC.`,
        }),
      ),
    ),
  }),
  output: Type.Object({
    solarNoon: premium(Type.String({ description: "Solar noon, when the sun is highest." })),
    sunrise: event("Sunrise: the sun's upper edge appears on the horizon."),
    sunset: event("Sunset: the sun's upper edge disappears below the horizon."),
    sunriseEnd: event("The sun's disc has fully cleared the horizon."),
    sunsetStart: event("The sun's disc first touches the horizon at sunset."),
    dawn: event("Start of civil twilight in the morning: the sun is 6 degrees below the horizon."),
    dusk: event("End of civil twilight in the evening: the sun is 6 degrees below the horizon."),
    nauticalDawn: event(
      "Start of nautical twilight in the morning: the sun is 12 degrees below the horizon.",
    ),
    nauticalDusk: event("End of nautical twilight in the evening: the sun is 12 degrees below the horizon."),
    nightEnd: event("End of the astronomical night: the sun is 18 degrees below the horizon."),
    night: event("Start of the astronomical night: the sun is 18 degrees below the horizon."),
    goldenHourEnd: event("End of the morning golden hour: the sun is 6 degrees above the horizon."),
    goldenHour: event("Start of the evening golden hour: the sun is 6 degrees above the horizon."),
  }),
  examples: [londonExample, quitoExample, tromsoExample],
  run: ({ lat, lon, date }, { ports }) => {
    const noonUtcMs =
      date === undefined
        ? noonOfUtcDay(ports.clock.now())
        : (parseCalendarDate(date) ?? reject("date", dateRequirement))
    const { solarNoon, ...events } = computeSunTimes(noonUtcMs, lat, lon)
    const times = Object.entries(events).map(([name, ms]) => [name, ms === null ? null : toIso(ms)])
    return { solarNoon: toIso(solarNoon), ...(Object.fromEntries(times) as Record<SunEvent, string | null>) }
  },
})

function event(description: string) {
  return nullable(Type.String(), { description: `${description} Null when it does not happen that day.` })
}

/** Noon UTC of a MM-DD-YYYY date, in milliseconds since the Unix epoch; null for a date that does not exist. */
export function parseCalendarDate(text: string): number | null {
  const [, month, day, year] = /^(\d\d)-(\d\d)-(\d{4})$/.exec(text)?.map(Number) ?? []
  if (month === undefined || day === undefined || year === undefined) return null
  if (year < firstYear || year > lastYear) return null
  const noon = new Date(Date.UTC(year, month - 1, day, 12))
  return noon.getUTCMonth() === month - 1 && noon.getUTCDate() === day ? noon.getTime() : null
}

/** Noon of the UTC day of an instant; both in milliseconds since the Unix epoch. */
export function noonOfUtcDay(instantMs: number): number {
  return new Date(instantMs).setUTCHours(12, 0, 0, 0)
}
