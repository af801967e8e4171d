import fc from "fast-check"
import geodesic from "geographiclib-geodesic"
import { geodistance } from "../../src/apis/geodistance/index.ts"
import { ask, debianVersion, defineOracle, MissingTool, run } from "./oracle.ts"

type Point = readonly [lat: number, lon: number]
interface Answer {
  readonly metres: number
  readonly initial: number
  readonly final: number
  readonly middle: Point
  readonly perimeter: number
  readonly area: number
}

const origin: Point = [0, 0]
const near = fc.integer({ min: -500_000, max: 500_000 }).map((millionths) => millionths / 1e6)
const point = fc
  .tuple(
    fc.integer({ min: -90_000_000, max: 90_000_000 }),
    fc.integer({ min: -180_000_000, max: 180_000_000 }),
  )
  .map(([lat, lon]): Point => [lat / 1e6, lon / 1e6])
const polygon = fc.array(point, { minLength: 3, maxLength: 8 })
/** The second point within half a degree of the other side of the earth, where methods such as Vincenty's fail. */
const antipodal = fc
  .tuple(polygon, near, near)
  .map(([[first = origin, , ...rest], byLat, byLon]): Point[] => {
    const lat = Math.max(-90, Math.min(90, -first[0] + byLat))
    const lon = first[1] + 180 + byLon
    return [first, [Number(lat.toFixed(6)), Number((lon > 180 ? lon - 360 : lon).toFixed(6))], ...rest]
  })
/** Two points within half a degree. */
const close = fc.tuple(polygon, near, near).map(([[first = origin, , ...rest], byLat, byLon]): Point[] => {
  const within = (value: number, most: number) => Number(Math.max(-most, Math.min(most, value)).toFixed(6))
  const other: Point = [within(first[0] + byLat, 90), within(first[1] + byLon, 180)]
  return [first, other, ...rest]
})

async function tool(command: string[], input: string) {
  if (Bun.which(command[0] ?? "") === null)
    throw new MissingTool(command[0] ?? "", "apt-get install geographiclib-tools")
  const { code, out, err } = await run(command, input)
  if (code !== 0) throw new Error(err)
  return out
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number))
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits)) + 0
const turned = (bearing: number) => rounded((bearing + 360) % 360, 9) % 360

async function theirs(cases: readonly (readonly Point[])[]): Promise<Answer[]> {
  const pairs = cases.map(([a, b]) => [a, b].flat().join(" "))
  const inverse = await tool(["GeodSolve", "-i", "-p", "9"], pairs.join("\n"))
  const halves = cases.map(([a = origin], index) => {
    const [azimuth = 0, , length = 0] = inverse[index] ?? []
    // GeodSolve takes the E of an exponent for east.
    return [...a, azimuth, length / 2].map((value) => value.toFixed(14)).join(" ")
  })
  const middles = await tool(["GeodSolve", "-p", "9"], halves.join("\n"))
  const rings = cases.map((points) => points.map((one) => one.join(" ")).join("\n"))
  const areas = await tool(["Planimeter", "-p", "9"], `${rings.join("\n\n")}\n\n`)
  return cases.map((_, index) => {
    const [initial = 0, final = 0, metres = 0] = inverse[index] ?? []
    const [lat = 0, lon = 0] = middles[index] ?? []
    const [, perimeter = 0, area = 0] = areas[index] ?? []
    return {
      metres: rounded(metres, 6),
      initial: turned(initial),
      final: turned(final),
      middle: [rounded(lat, 9), rounded(lon, 9)],
      perimeter: rounded(perimeter, 6),
      area: rounded(area, 3),
    }
  })
}

/** The distance of two points that are close, in metres. */
function apart([lat, lon]: Point, [otherLat, otherLon]: Point): number {
  const degree = 111_320
  const turn = Math.abs(((lon - otherLon + 540) % 360) - 180)
  return Math.hypot((lat - otherLat) * degree, turn * degree * Math.cos((lat * Math.PI) / 180))
}

/** How far a line misses its end for a difference of its bearing; near the other side of the earth all lines meet again. */
function missed(metres: number, bearing: number, other: number): number {
  const turn = Math.abs(((bearing - other + 540) % 360) - 180)
  return ((turn * Math.PI) / 180) * 6.4e6 * Math.sin(Math.min(metres / 6.4e6, Math.PI))
}

/**
 * How far two areas may be apart, in square metres, since their lines to the other side of the earth miss the end by
 * 5 nanometres. The methods are accurate to 15 (documentation of GeographicLib, class Geodesic). There all lines meet again, so
 * that one whose reduced length is 200 metres turns by 5e-9 / 200. A turned line of half the earth sweeps 2 r² times the turn.
 */
function sweptArea(points: readonly Point[]): number {
  const { ALL, WGS84 } = geodesic.Geodesic
  return points.reduce((sum, [lat, lon], index) => {
    const [nextLat, nextLon] = points[(index + 1) % points.length] ?? origin
    const { s12: metres = 0, m12: reduced = 0 } = WGS84.Inverse(lat, lon, nextLat, nextLon, ALL)
    if (metres < 1.9e7) return sum
    return sum + (2 * 6.4e6 ** 2 * 5e-9) / Math.max(Math.abs(reduced), 1)
  }, 0)
}

export const oracle = defineOracle<readonly Point[], Answer>({
  api: "geodistance",
  against: "GeodSolve and Planimeter",
  cases: 5_000,
  generate: fc.oneof(
    { weight: 8, arbitrary: polygon },
    { weight: 1, arbitrary: antipodal },
    { weight: 1, arbitrary: close },
  ),
  version: () => debianVersion("geographiclib-tools"),
  async ours(points) {
    const texts = points.map((one) => one.map((value) => value.toFixed(6)).join(","))
    const line = await ask(geodistance, { points: texts.slice(0, 2) })
    const ring = await ask(geodistance, { points: texts })
    const { metres = -1, initial_bearing_degrees, final_bearing_degrees, midpoint } = line ?? {}
    const { perimeter_metres = -1, area_square_metres = -1, is_clockwise } = ring?.polygon ?? {}
    return {
      metres,
      initial: initial_bearing_degrees ?? -1,
      final: final_bearing_degrees ?? -1,
      middle: [midpoint?.lat ?? 100, midpoint?.lon ?? 0],
      perimeter: perimeter_metres,
      area: is_clockwise ? -area_square_metres : area_square_metres,
    }
  },
  theirs,
  known: [
    {
      reason:
        "equal but for rounding: lengths by 2 micrometres at most, bearings by what misses the end by 0.1 millimetres, midpoints by 0.2 millimetres, areas by 1 part in 10^12 or 0.2 square metres; beside a line to nearly the other side of the earth also by what such a line sweeps that misses its end by 5 nanometres",
      fits: (points, ours, theirs) =>
        Math.abs(ours.metres - theirs.metres) < 2e-6 &&
        Math.abs(ours.perimeter - theirs.perimeter) < 2e-6 &&
        missed(ours.metres, ours.initial, theirs.initial) < 1e-4 &&
        missed(ours.metres, ours.final, theirs.final) < 1e-4 &&
        apart(ours.middle, theirs.middle) < 2e-4 &&
        Math.abs(ours.area - theirs.area) < Math.max(0.2 + sweptArea(points), Math.abs(theirs.area) * 1e-12),
    },
  ],
})
