import { getPosition, getTimes } from "suncalc"

/** The sun's altitude in degrees, then the events when it is passed on the way up and on the way down. */
const events = [
  // 34′ of refraction and the sun's radius of 16′, above and below its centre.
  [-0.833, "sunrise", "sunset"],
  [-0.3, "sunriseEnd", "sunsetStart"],
  [-6, "dawn", "dusk"],
  [-12, "nauticalDawn", "nauticalDusk"],
  [-18, "nightEnd", "night"],
  [6, "goldenHourEnd", "goldenHour"],
] as const

export type SunEvent = (typeof events)[number][1 | 2]

/** Instants in milliseconds since the epoch; null for an event that does not happen on that day. */
export type SunTimes = Record<SunEvent, number | null> & { solarNoon: number }

const dayMs = 86_400_000
const radian = Math.PI / 180

/**
 * The sun's events at a place on a calendar date, given as noon UTC of that date. Latitude and longitude are in degrees,
 * north and east positive.
 *
 * The day is the place's own: the date in its local mean time (UTC + longitude / 15°), from one solar midnight to the
 * next. Going around the earth the events come 4 minutes earlier for each degree east, without a jump except across the
 * date line; and each crossing belongs to just one date, so that going through the dates skips none and repeats none.
 *
 * The position of the sun is suncalc's. Its event times are not: it takes no account of parallax, which at 65° moves
 * sunrise by up to 6 seconds; its two steps of Newton's method miss by minutes where the sun just grazes an altitude;
 * and whether there is an event at all depends on the sun's declination at noon.
 */
export function computeSunTimes(noonUtc: number, latitude: number, longitude: number): SunTimes {
  const solarNoon = toSolarNoon(noonUtc, latitude, longitude)
  const midnightBefore = midpoint(toSolarNoon(noonUtc - dayMs, latitude, longitude), solarNoon)
  const midnightAfter = midpoint(solarNoon, toSolarNoon(noonUtc + dayMs, latitude, longitude))

  const altitudeAt = (ms: number) => getPosition(new Date(ms), latitude, longitude).altitude
  const [before, noon, after] = [altitudeAt(midnightBefore), altitudeAt(solarNoon), altitudeAt(midnightAfter)]

  const times = noEvents(solarNoon)
  for (const [degrees, rising, setting] of events) {
    const wanted = toShownAltitude(degrees)
    const height = (ms: number) => altitudeAt(ms) - wanted
    const morning = () => findCrossing(height, midnightBefore, solarNoon)
    const evening = () => findCrossing(height, solarNoon, midnightAfter)
    const [upBefore, upAtNoon, upAfter] = [before > wanted, noon > wanted, after > wanted]
    // Beside the poles the sun's drift outweighs its daily circle: it may rise after noon, or set before.
    times[rising] = !upBefore && upAtNoon ? morning() : !upAtNoon && upAfter ? evening() : null
    times[setting] = upAtNoon && !upAfter ? evening() : upBefore && !upAtNoon ? morning() : null
  }
  return times
}

function noEvents(solarNoon: number): SunTimes {
  return {
    solarNoon,
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
    goldenHourEnd: null,
    goldenHour: null,
  }
}

/**
 * Asking suncalc for the instant of local mean noon, and not of noon in UTC, keeps it from taking the day before at the
 * far western edge.
 */
function toSolarNoon(noonUtc: number, latitude: number, longitude: number): number {
  return getTimes(new Date(noonUtc - (longitude / 360) * dayMs), latitude, longitude).solarNoon.getTime()
}

function midpoint(a: number, b: number): number {
  return Math.round((a + b) / 2)
}

/**
 * The altitude that suncalc shows while the sun stands `degrees` over the horizon of somebody on the ground, refraction
 * not counted. The sun's parallax of 8.794″ is what he sees less of than the centre of the earth would, and suncalc adds
 * refraction by Meeus, Astronomical Algorithms, 16.4, as much below the horizon as on it.
 */
function toShownAltitude(degrees: number): number {
  const geocentric = degrees + (8.794 / 3600) * Math.cos(degrees * radian)
  const h = Math.max(geocentric, 0) * radian
  return geocentric + 0.0002967 / Math.tan(h + 0.00312536 / (h + 0.08901179)) / radian
}

/**
 * The first millisecond past the change of sign between two instants: false position with the Illinois rule, and each
 * third step a bisection, so that no shape of curve makes it slow.
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
