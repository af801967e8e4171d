import { expect, test } from "bun:test"
import fc from "fast-check"
import type { RunContext } from "../contract.ts"
import { geodistance } from "./index.ts"

const measure = (points: string[], premium = true) =>
  Promise.resolve(geodistance.run({ points }, { giveWay() {}, premium } as unknown as RunContext))

// From Karney, Algorithms for geodesics (2013), tables 2 and 3, and the half meridian of WGS84.
test.each([
  [["40,0", "41.79331020506,137.84490004377"], 10_000_000, 30, 149.090169],
  [["-30,0", "29.9,179.8"], 19_989_832.82761, 161.890525, 18.090737],
  [["90,0", "-90,0"], 20_003_931.458625, 180, 180],
] as const)("%p", async (points, metres, initial, final) => {
  const answer = await measure([...points])
  expect(answer.metres).toBeCloseTo(metres, 4)
  expect(answer.initial_bearing_degrees).toBeCloseTo(initial, 5)
  expect(answer.final_bearing_degrees).toBeCloseTo(final, 5)
})

test("the midpoint of a line of several legs is halfway along it, also when legs have no length", async () => {
  const { midpoint, metres, legs } = await measure(["0,0", "0,0", "0,1", "0,1", "0,3"])
  expect(midpoint).toEqual({ lat: 0, lon: 1.5 })
  expect(legs.map(({ metres }) => metres)).toEqual([0, 111_319.490793, 0, 222_638.981587])
  expect(metres).toBe(333_958.47238)
})

test("miles are 1,609.344 metres, and nautical miles 1,852", async () => {
  // A minute of the equator of WGS84, 6,378,137 m × 2π / 21,600.
  expect(await measure(["0,0", "0,0.016666666666666666"])).toMatchObject({
    metres: 1855.324847,
    miles: 1.152845,
    nautical_miles: 1.001795,
  })
})

test("between equal points there is no direction", async () => {
  const nowhere = { metres: 0, initial_bearing_degrees: null, final_bearing_degrees: null }
  expect(await measure(["1,2", "1,2"])).toEqual({
    ...{
      ...nowhere,
      miles: 0,
      nautical_miles: 0,
      legs: [nowhere],
      midpoint: { lat: 1, lon: 2 },
      polygon: null,
    },
  })
})

test("a polygon has the same area in both directions, and is only shown on plans with premium fields", async () => {
  const ring = ["0,0", "0,1", "1,1", "1,0"]
  const there = (await measure(ring)).polygon
  const back = (await measure(ring.toReversed())).polygon
  expect(there).toMatchObject({ is_clockwise: false, area_square_metres: expect.any(Number) })
  expect(back).toEqual({ ...there, is_clockwise: true } as typeof back)
  expect((await measure(ring, false)).polygon).toBeNull()
})

test.each([
  ["1"],
  ["1,2,3"],
  ["90.1,0"],
  ["0,180.1"],
  ["0,-181"],
  ["a,b"],
  ["1e1,0"],
  ["NaN,0"],
  ["Infinity,0"],
  ["١,٢"],
  ["1;2"],
  [""],
  ["\u0000"],
  ["0x1,0"],
  ["+-1,0"],
])("%p names points", (text) =>
  expect(measure([text, "0,0"])).rejects.toThrow("The 'points' parameter must be points"),
)

const coordinate = (most: number) =>
  fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((millionths) => (millionths / 1e6).toFixed(6))
const point = fc.tuple(coordinate(90), coordinate(180)).map(String)

test("the way back is as long, and both halves are", () =>
  fc.assert(
    fc.asyncProperty(point, point, async (from, to) => {
      const there = await measure([from, to])
      expect(Math.abs((await measure([to, from])).metres - there.metres)).toBeLessThan(2e-6)
      const { lat, lon } = there.midpoint
      const { legs } = await measure([from, `${lat.toFixed(9)},${lon.toFixed(9)}`, to])
      for (const { metres } of legs) expect(Math.abs(metres - there.metres / 2)).toBeLessThan(1e-3)
      for (const one of [there.initial_bearing_degrees, there.final_bearing_degrees])
        expect(one === null || (one >= 0 && one < 360)).toBe(true)
    }),
    { numRuns: 200, seed: 20261123 },
  ))
