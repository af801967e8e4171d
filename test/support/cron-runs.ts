/** The runs of schedules, as cronparser finds them at a fixed time. */
import type { RunContext } from "../../src/apis/contract.ts"
import { type CronInput, cronparser } from "../../src/apis/cronparser/index.ts"
import { run } from "../../src/apis/cronparser/run.ts"
import { builtInZones, type TimeZone } from "../../src/values/time-zones/zone-data.ts"

export const now = Date.UTC(2026, 10, 23, 12)
const context = {
  ports: { clock: { now: () => now } },
  giveWay() {},
  premium: true,
} as unknown as RunContext
export type More = Omit<Parameters<typeof cronparser.run>[0], "expression">
export const parse = async (expression: string, more: More = {}, premium = true, api = cronparser) =>
  run((await api.isolated?.prepare?.({ expression, ...more })) as CronInput, { ...context, premium })
export const zoneOf = async (name: string): Promise<TimeZone> => {
  const zone = await builtInZones.find(name)
  if (!zone) throw new Error(`no zone ${name}`)
  return zone
}
export const locals = async (expression: string, more: More = {}) =>
  (await parse(expression, more)).runs.map(({ local }) => local.slice(0, 16))
