import { getPosition, getTimes, type Position } from "suncalc"

/** The sun's altitude in degrees, and the events when the rising and the setting sun pass it. */
const events = [
  // The upper edge is on the horizon: 34′ of refraction and the sun's radius of 16′ below it.
  [-0.833, "sunrise", "sunset"],
  [-0.3, "sunriseEnd", "sunsetStart"],
  [-6, "dawn", "dusk"],
  [-12, "nauticalDawn", "nauticalDusk"],
  [-18, "nightEnd", "night"],
  [6, "goldenHourEnd", "goldenHour"],
] as const

/** Why an event does not happen on a day: the sun passes its altitude not at all, or only the other way. */
export const absences = ["always_above", "always_below", "other_way_only"] as const

export type SunEvent = (typeof events)[number][1 | 2]

/** Instants in milliseconds since the Unix epoch; null for an event that does not happen on the day. */
export type SunTimes = { readonly solarNoon: number } & Readonly<Record<SunEvent, number | null>>

/** The sun's events of a day, and what explains them. */
export interface SunDay {
  readonly times: SunTimes
  /** From one solar midnight to the next, how long the sun's upper edge is above the horizon. */
  readonly lengthMs: number
  readonly missing: readonly { readonly name: SunEvent; readonly kind: (typeof absences)[number] }[]
}

const dayMs = 86_400_000
const radian = Math.PI / 180

/**
 * The sun's events at a place on a calendar date, given as noon UTC of that date. Latitude and longitude are in degrees,
 * north and east positive.
 *
 * The day is the date in the place's local mean time (UTC + longitude / 15°), from one solar midnight to the next. So
 * times change by 4 minutes per degree of longitude, with no jump except at the date line, and each crossing of an
 * altitude belongs to exactly one date.
 *
 * suncalc computes the position of the sun, but not the events: its event times ignore parallax (up to 6 seconds at 65°), are
 * minutes off where the sun barely reaches an altitude, and depend on the declination at noon alone.
 */
export function computeSunDay(noonUtcMs: number, latitude: number, longitude: number): SunDay {
  const solarNoon = toSolarNoon(noonUtcMs, longitude)
  const midnightBefore = midpoint(toSolarNoon(noonUtcMs - dayMs, longitude), solarNoon)
  const midnightAfter = midpoint(solarNoon, toSolarNoon(noonUtcMs + dayMs, longitude))

  // suncalc is asked for local mean noon: for noon UTC it would return the day before at the far western edge.
  const near = getTimes(new Date(toMeanNoon(noonUtcMs, longitude)), latitude, longitude)
  const sunAt = (ms: number) => getPosition(new Date(ms), latitude, longitude)
  const altitudeAt = (ms: number) => sunAt(ms).altitude
  const [before, noon, after] = [altitudeAt(midnightBefore), altitudeAt(solarNoon), altitudeAt(midnightAfter)]

  const times = events.flatMap(([degrees, rising, setting]): [SunEvent, number | null][] => {
    const wanted = toSuncalcAltitude(degrees)
    const crossing = (start: number, from: number, to: number) =>
      stepToCrossing(sunAt, latitude, wanted, start, from, to) ??
      findCrossing((ms) => altitudeAt(ms) - wanted, from, to)
    const morning = () => crossing(Number(near[rising]), midnightBefore, solarNoon)
    const evening = () => crossing(Number(near[setting]), solarNoon, midnightAfter)
    const [upBefore, upAtNoon, upAfter] = [before > wanted, noon > wanted, after > wanted]
    // Near the poles the sun may also rise after noon or set before it.
    return [
      [rising, !upBefore && upAtNoon ? morning() : !upAtNoon && upAfter ? evening() : null],
      [setting, upAtNoon && !upAfter ? evening() : upBefore && !upAtNoon ? morning() : null],
    ]
  })
  const named = Object.fromEntries(times) as Record<SunEvent, number | null>
  const missing = events.flatMap(([degrees, ...names]) => {
    const wanted = toSuncalcAltitude(degrees)
    const isAbove = noon > wanted
    const passes = before > wanted !== isAbove || after > wanted !== isAbove
    const kind = passes ? "other_way_only" : isAbove ? "always_above" : "always_below"
    return names.filter((name) => named[name] === null).map((name) => ({ name, kind }) as const)
  })
  const { sunrise, sunset } = named
  const isNight = missing.some(({ name, kind }) => name === "sunrise" && kind === "always_below")
  const upMs = isNight ? 0 : (sunset ?? midnightAfter) - (sunrise ?? midnightBefore)
  // Near the poles the sun may set before it rises.
  const lengthMs = upMs < 0 ? upMs + midnightAfter - midnightBefore : upMs
  return { times: { solarNoon, ...named }, missing, lengthMs }
}

/** Noon of the date in local mean time, for noon UTC of the date. */
function toMeanNoon(noonUtcMs: number, longitude: number): number {
  return noonUtcMs - (longitude / 360) * dayMs
}

/**
 * The solar noon of a date. At the pole the sun's azimuth is its hour angle, which is 180° at noon: these are the steps by
 * which suncalc finds the noon, which it returns with all events of the day alone, at eight times the cost.
 */
function toSolarNoon(noonUtcMs: number, longitude: number): number {
  let noon = toMeanNoon(noonUtcMs, longitude)
  for (let step = 0; step < 3; step++) {
    const instant = new Date(noon)
    noon = instant.getTime() - ((getPosition(instant, 90, longitude).azimuth - 180) / 360) * dayMs
  }
  return Math.trunc(noon)
}

function midpoint(a: number, b: number): number {
  return Math.round((a + b) / 2)
}

/**
 * The altitude that suncalc returns when an observer on the ground sees the sun at `degrees`, without refraction. The
 * observer sees the sun lower than from the centre of the earth, by the parallax of 8.794″ at the horizon. suncalc also
 * adds refraction (Meeus, Astronomical Algorithms, 16.4), below the horizon as much as on it.
 */
export function toSuncalcAltitude(degrees: number): number {
  const geocentric = degrees + (8.794 / 3600) * Math.cos(degrees * radian)
  const h = Math.max(geocentric, 0) * radian
  return geocentric + 0.0002967 / Math.tan(h + 0.00312536 / (h + 0.08901179)) / radian
}

/**
 * The first millisecond after the sun passes an altitude, give or take one, by two steps from suncalc's time: the first by
 * how fast the sky turns, the second along the line through both points. Null where the steps are too long for that, because
 * the sun barely reaches the altitude.
 */
function stepToCrossing(
  sunAt: (ms: number) => Position,
  latitude: number,
  wanted: number,
  start: number,
  from: number,
  to: number,
): number | null {
  if (!(start > from && start < to)) return null
  const first = sunAt(start)
  const degreesPerMs = (360 / dayMs) * Math.cos(latitude * radian) * Math.sin(first.azimuth * radian)
  const next = Math.round(start + (wanted - first.altitude) / degreesPerMs)
  if (next === start) return start
  if (!(Math.abs(next - start) < 20_000)) return null
  const { altitude } = sunAt(next)
  const step = ((wanted - altitude) * (next - start)) / (altitude - first.altitude)
  return Math.abs(step) < 50 ? Math.ceil(next + step) : null
}

/**
 * The first millisecond after `height` changes its sign between two instants. False position with the Illinois rule;
 * every third step is a bisection, which bounds the number of steps for any curve.
 */
function findCrossing(height: (ms: number) => number, from: number, to: number): number {
  let [a, b, heightA, heightB] = [from, to, height(from), height(to)]
  const isUpAtEnd = heightB > 0
  let side = 0
  for (let step = 1; b - a > 1; step++) {
    const guess = step % 3 === 0 ? midpoint(a, b) : Math.round(b - (heightB * (b - a)) / (heightB - heightA))
    const middle = Math.min(Math.max(guess, a + 1), b - 1)
    const heightMiddle = height(middle)
    if (heightMiddle > 0 === isUpAtEnd) {
      b = middle
      heightB = heightMiddle
      if (side === 1) heightA /= 2
      side = 1
    } else {
      a = middle
      heightA = heightMiddle
      if (side === -1) heightB /= 2
      side = -1
    }
  }
  return b
}
