import { expect, test } from "bun:test"
import { type RiskInput, toRiskLevel, toRiskScore } from "./validate.ts"

const calm: RiskInput = {
  ...{ hasRecord: true, effectiveAll: "-", lookupTerms: 0 },
  ...{ hasPermerror: false, hasTemperror: false },
}

test.each([
  ["-all", {}, 0],
  ["~all", { effectiveAll: "~" }, 40],
  ["?all", { effectiveAll: "?" }, 70],
  ["no all", { effectiveAll: null }, 75],
  ["+all", { effectiveAll: "+" }, 95],
  ["no record", { hasRecord: false, effectiveAll: null }, 100],
  ["8 look-ups", { lookupTerms: 8 }, 0],
  ["9 look-ups", { lookupTerms: 9 }, 5],
  ["10 look-ups", { lookupTerms: 10 }, 5],
  ["11 look-ups, a permerror", { lookupTerms: 11, hasPermerror: true }, 75],
  ["a permerror at 10 look-ups", { effectiveAll: "~", lookupTerms: 10, hasPermerror: true }, 75],
  ["a permerror without all at 9 look-ups", { effectiveAll: null, lookupTerms: 9, hasPermerror: true }, 80],
  ["+all with a permerror", { effectiveAll: "+", hasPermerror: true }, 95],
  ["a temperror", { hasTemperror: true }, 40],
  ["no record that could be read, by a temperror", { hasRecord: false, hasTemperror: true }, 40],
  ["a temperror at 10 look-ups", { lookupTerms: 10, hasTemperror: true }, 40],
  ["?all with a temperror", { effectiveAll: "?", hasTemperror: true }, 70],
  ["a redirect without an answer", { effectiveAll: null, isAllUnknown: true, hasTemperror: true }, 40],
  ["a permerror and a temperror", { hasPermerror: true, hasTemperror: true }, 75],
  ["no record, with a permerror", { hasRecord: false, hasPermerror: true }, 100],
  ["+all at 9 look-ups, never over 100", { effectiveAll: "+", lookupTerms: 9 }, 100],
] as const)("the risk score: %s", (_title, input, score) =>
  expect(toRiskScore({ ...calm, ...input })).toBe(score),
)

test("the risk score has three bands", () =>
  expect([0, 33, 34, 66, 67, 100].map(toRiskLevel).join(" ")).toBe("low low medium medium high high"))
