import { readFileSync } from "node:fs"
import { readTimeZones, type TimeZone } from "../../../src/values/time-zones/zone-data.ts"

const file = "../../../node_modules/moment-timezone/data/packed/latest.json"
const text = readFileSync(new URL(file, import.meta.url), "utf8")
const zones = readTimeZones(text)

/** All names of time zones, links included. */
export const zoneNames: readonly string[] = namesIn(JSON.parse(text))

const found = new Map<string, TimeZone>()
for (const name of [...zoneNames, "UTC"]) {
  const zone = await zones.find(name)
  if (zone) found.set(name, zone)
}

/** The zone of a name, without waiting. */
export function zoneOf(name: string): TimeZone {
  const zone = found.get(name)
  if (!zone) throw new Error(`there is no time zone ${name}`)
  return zone
}

function namesIn({ zones, links }: { zones: string[]; links: string[] }): string[] {
  return [
    ...zones.map((line) => line.split("|")[0] ?? ""),
    ...links.map((link) => link.split("|")[1] ?? ""),
  ].sort()
}
