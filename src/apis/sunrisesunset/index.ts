import { Type } from "@sinclair/typebox"
import { toIso } from "../../values/time-text.ts"
import { timeZoneForm, toLocalText } from "../../values/time-zone.ts"
import { builtInZones, type TimeZone, type TimeZones } from "../../values/time-zones/zone-data.ts"
import { choice, defineApi, defineFormat, nullableText, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"
import { absences, computeSunDay, type SunDay, type SunEvent } from "./sun-times.ts"

/** The years for which suncalc is accurate enough: its rotation of the earth (ΔT) is minutes off a century earlier. */
const firstYear = 1900
const lastYear = 2500

const dateFormat = "month-day-year"
const dateRequirement = `must be a real date in the form MM-DD-YYYY, from ${firstYear} to ${lastYear}`

defineFormat(dateFormat, (text) => parseCalendarDate(text) !== null)

const eventFields = {
  solarNoon: premium(field.text("Solar noon, when the sun is highest.")),
  sunrise: event("Sunrise: the sun's upper edge appears on the horizon."),
  sunset: event("Sunset: the sun's upper edge disappears below the horizon."),
  sunriseEnd: event("The sun's disc has fully cleared the horizon."),
  sunsetStart: event("The sun's disc first touches the horizon at sunset."),
  dawn: event("Start of civil twilight in the morning: the sun is 6 degrees below the horizon."),
  dusk: event("End of civil twilight in the evening: the sun is 6 degrees below the horizon."),
  nauticalDawn: event("Start of nautical twilight in the morning: the sun is 12 degrees below the horizon."),
  nauticalDusk: event("End of nautical twilight in the evening: the sun is 12 degrees below the horizon."),
  nightEnd: event("End of the astronomical night: the sun is 18 degrees below the horizon."),
  night: event("Start of the astronomical night: the sun is 18 degrees below the horizon."),
  goldenHourEnd: event("End of the morning golden hour: the sun is 6 degrees above the horizon."),
  goldenHour: event("Start of the evening golden hour: the sun is 6 degrees above the horizon."),
}

/** The API with the zones of a version of the IANA database, for local times. */
export function createSunrisesunset(zones: TimeZones) {
  return defineApi({
    id: "sunrisesunset",
    title: "Sunrise and sunset",
    category: "time and place",
    keywords: ["sun", "dawn", "dusk", "twilight", "daylight", "day length", "solar noon", "golden hour"],
    description: `Computes the times of sunrise, sunset, twilight, golden hours and solar noon at a place. The date is that of the place's local mean solar time, so that its sunset may be on the next day in UTC. It may be from ${firstYear} to ${lastYear}, the years for which the times are accurate.`,
    method: "GET",
    credits: 1,
    input: Type.Object({
      lat: field.number("Latitude in degrees, north positive.", { minimum: -90, maximum: 90 }),
      lon: field.number("Longitude in degrees, east positive.", { minimum: -180, maximum: 180 }),
      date: Type.Optional(
        premium(
          field.text(`The date as MM-DD-YYYY, from ${firstYear} to ${lastYear}. Default: today in UTC.`, {
            format: dateFormat,
            "x-requirement": dateRequirement,
          }),
        ),
      ),
      timezone: field.optional.text(
        "The time zone of `local`, such as `Europe/Oslo` or `+01:00`. With it, the answer also has `day_length_seconds`, `local` and `missing`.",
        { maxLength: 64 },
      ),
    }),
    output: Type.Object({
      ...eventFields,
      day_length_seconds: field.optional.integer(
        "How long the sun is above the horizon that day. Only with `timezone`.",
      ),
      local: Type.Optional(
        field.group(
          "The same times in the time zone, such as `2025-01-01T08:06:10+00:00`. Only with `timezone`.",
          eventFields,
        ),
      ),
      missing: Type.Optional(
        field.rows("Why fields are null. Only with `timezone`.", {
          name: field.text("The field that is null."),
          kind: choice(absences, {
            description:
              "The sun is always above or below the altitude of the event, or passes it only the other way.",
          }),
        }),
      ),
    }),
    examples: storedExamples(stored, answers),
    run({ lat, lon, date, timezone }, { ports }) {
      const noonUtcMs =
        date === undefined
          ? noonOfUtcDay(ports.clock.now())
          : (parseCalendarDate(date) ?? reject("date", dateRequirement))
      const day = computeSunDay(noonUtcMs, lat, lon)
      return timezone === undefined ? writeTimes(day, toIso) : explain(day, zones.find(timezone))
    },
  })
}

/** The API with the built-in time zones. */
export const sunrisesunset = createSunrisesunset(builtInZones)

async function explain(day: SunDay, found: Promise<TimeZone | null>) {
  const zone = (await found) ?? reject("timezone", timeZoneForm)
  return {
    ...writeTimes(day, toIso),
    day_length_seconds: Math.round(day.lengthMs / 1_000),
    local: writeTimes(day, (ms) => toLocalText(zone, ms)),
    missing: [...day.missing],
  }
}

function writeTimes({ times: { solarNoon, ...events } }: SunDay, write: (ms: number) => string) {
  const all = Object.entries(events).map(([name, ms]) => [name, ms === null ? null : write(ms)])
  return { solarNoon: write(solarNoon), ...(Object.fromEntries(all) as Record<SunEvent, string | null>) }
}

function event(description: string) {
  return nullableText(`${description} Null when it does not happen that day.`)
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
