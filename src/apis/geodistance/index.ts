import { Type } from "@sinclair/typebox"
import { defineApi, type GiveWay, nullable, premium, reject } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import stored from "./examples.json"

const pointForm =
  "must be points as latitude and longitude in degrees, such as 48.8584,2.2945, from -90 to 90 and from -180 to 180"

const bearing = (description: string) =>
  nullable(Type.Number(), {
    description: `${description}, in degrees clockwise from north; null if the two points are the same.`,
  })
const metres = (description: string) => field.number(`${description}, in metres.`)

export const geodistance = defineApi({
  id: "geodistance",
  title: "Distance on the earth",
  category: "time and place",
  keywords: [
    ...[
      "geodesic",
      "WGS84",
      "how far",
      "great circle",
      "miles",
      "haversine",
      "Vincenty",
      "bearing",
      "azimuth",
      "midpoint",
    ],
    ...["polygon", "area", "coordinates", "latitude", "longitude"],
  ],
  description:
    "Computes the shortest distance between two points on the earth, or the length of a line of points, with bearings and the midpoint (WGS84 ellipsoid, Karney's method).",
  method: "GET",
  credits: 1,
  input: Type.Object({
    points: Type.Array(Type.String({ maxLength: 50 }), {
      minItems: 2,
      maxItems: 200,
      "x-requirement": `${pointForm}, at least 2 and at most 200 of them`,
      description:
        "The points in order, each as latitude and longitude in degrees: `48.8584,2.2945`. North and east are positive.",
    }),
  }),
  output: Type.Object({
    metres: metres("The length of the line"),
    miles: field.number("The same in miles of 1,609.344 metres."),
    nautical_miles: field.number("The same in nautical miles of 1,852 metres."),
    initial_bearing_degrees: bearing("The direction of travel at the first point"),
    final_bearing_degrees: bearing("The direction of travel at the last point"),
    midpoint: field.group("The point halfway along the line.", {
      lat: field.number("Its latitude in degrees."),
      lon: field.number("Its longitude in degrees."),
    }),
    legs: field.rows("The parts of the line, from each point to the next.", {
      metres: metres("Its length"),
      initial_bearing_degrees: bearing("The direction of travel at its first point"),
      final_bearing_degrees: bearing("The direction of travel at its second point"),
    }),
    polygon: premium(
      field.nullableGroup("The polygon that the points make; null for fewer than 3 points.", {
        perimeter_metres: metres("Its length, including the way from the last point back to the first"),
        area_square_metres: field.number(
          "The smaller of the areas inside and outside, in square metres. It means nothing if the line crosses itself.",
        ),
        is_clockwise: field.flag("Whether this area is to the right of the line."),
      }),
    ),
  }),
  examples: storedExamples(stored, answers),
  async run({ points: texts }, { premium: isPremium, giveWay }) {
    const { default: library } = await import("geographiclib-geodesic")
    const earth = library.Geodesic.WGS84
    const points = texts.map(toPoint)
    const legs: Leg[] = []
    for (const [index, to] of points.slice(1).entries()) {
      const pause = giveWay()
      if (pause) await pause
      const from = points[index] ?? to
      const { s12 = 0, azi1, azi2 } = earth.Inverse(from.lat, from.lon, to.lat, to.lon)
      legs.push({ from, to, length: s12, initial: toBearing(s12, azi1), final: toBearing(s12, azi2) })
    }
    const length = legs.reduce((total, leg) => total + leg.length, 0)
    const moving = legs.filter((leg) => leg.length > 0)
    return {
      metres: rounded(length, 6),
      miles: rounded(length / 1609.344, 6),
      nautical_miles: rounded(length / 1852, 6),
      initial_bearing_degrees: moving[0]?.initial ?? null,
      final_bearing_degrees: moving.at(-1)?.final ?? null,
      midpoint: alongLegs(earth, legs, length / 2),
      legs: legs.map(({ length, initial, final }) => ({
        metres: rounded(length, 6),
        initial_bearing_degrees: initial,
        final_bearing_degrees: final,
      })),
      polygon: isPremium && points.length > 2 ? await toPolygon(earth, points, giveWay) : null,
    }
  },
})

interface Point {
  readonly lat: number
  readonly lon: number
}
type Earth = typeof import("geographiclib-geodesic")["Geodesic"]["WGS84"]

/** A part of the line, from one point to the next: its length in metres and its bearings. */
interface Leg {
  readonly from: Point
  readonly to: Point
  readonly length: number
  readonly initial: number | null
  readonly final: number | null
}

function toPoint(text: string): Point {
  const number = "([+-]?\\d{1,3}(?:\\.\\d{1,20})?)"
  const [, lat, lon] = new RegExp(`^\\s*${number}\\s*,\\s*${number}\\s*$`).exec(text) ?? []
  const point = { lat: Number(lat), lon: Number(lon) }
  // Comparisons with NaN are false.
  if (!(Math.abs(point.lat) <= 90 && Math.abs(point.lon) <= 180)) reject("points", pointForm)
  return point
}

/** The point at a distance in metres along a line. */
function alongLegs(earth: Earth, legs: readonly Leg[], distance: number): Point {
  let before = 0
  for (const { from, to, length } of legs) {
    if (length > 0 && distance <= before + length) {
      const line = earth.InverseLine(from.lat, from.lon, to.lat, to.lon)
      const { lat2 = from.lat, lon2 = from.lon } = line.Position(distance - before)
      return { lat: rounded(lat2, 9), lon: rounded(lon2, 9) }
    }
    before += length
  }
  // All points are the same.
  return legs[0]?.from ?? { lat: 0, lon: 0 }
}

async function toPolygon(earth: Earth, points: readonly Point[], giveWay: GiveWay) {
  const polygon = earth.Polygon()
  for (const { lat, lon } of points) {
    const pause = giveWay()
    if (pause) await pause
    polygon.AddPoint(lat, lon)
  }
  // The area is positive if it is to the left of the line.
  const { perimeter, area = 0 } = polygon.Compute(false, true)
  return {
    perimeter_metres: rounded(perimeter, 6),
    area_square_metres: rounded(Math.abs(area), 3),
    is_clockwise: area < 0,
  }
}

/** A bearing from 0 to under 360; null for a length of 0. */
function toBearing(length: number, azimuth = 0): number | null {
  return length === 0 ? null : rounded((azimuth + 360) % 360, 9) % 360
}

/** Rounds to the accuracy of the method. Returns 0 for -0. */
function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0
}
