import { Type } from "@sinclair/typebox"
import type { DataList } from "../data-list.ts"
import { readTime, toOffsetText } from "../time-text.ts"
import facts from "./list-facts.json"
import path from "./time-zones.zst" with { type: "file" }

/** The clocks of a time zone. They show UTC plus the offset of the last change, and before all changes plus `first`. */
export interface TimeZone {
  /** The name in the IANA database, or an offset such as `+05:30`. */
  readonly name: string
  /** The version of the data, such as `2026f`. */
  readonly version: string
  /** Offsets are in milliseconds, positive east of Greenwich. */
  readonly first: number
  /** When the offset changes, in milliseconds since the Unix epoch, ascending; and the offset from then on. */
  readonly ats: readonly number[]
  readonly offsets: readonly number[]
}

/** A version of the IANA database. */
export interface TimeZones {
  readonly version: string
  /** The day on which it was packed, `YYYY-MM-DD`; null when it is not known. */
  readonly date: string | null
  /** The zone of a name in any case, or of an offset `±hh:mm`; null if there is none. */
  find(name: string): Promise<TimeZone | null>
}

/** The output field `data_version` of an API with time zones. */
export const zoneDataVersion = Type.String({
  description: "The version of the IANA database of time zones, such as `2026f`.",
})

/** The zones as one of the `lists` of an API. */
export function zoneList({ version, date }: TimeZones): DataList {
  return { name: "time-zones", date, version }
}

let unpacked: Promise<Finder> | null = null

/** The built-in zones, unpacked for the first name. */
export const builtInZones = defineZones(facts.version, facts.date, () => {
  unpacked ??= unpack()
  return unpacked
})

/**
 * Reads zones in the form of moment-timezone's `data/packed/latest.json`.
 * @throws Error that says what is wrong
 */
export function readTimeZones(text: string): TimeZones {
  const { version, finder } = toFinder(text)
  if (!/^20\d\d[a-z]{1,2}$/.test(version)) throw new Error("'version' must be one such as 2026f")
  // Older files end in 2037: clocks would seem to stand still after it.
  if ((finder("Europe/Berlin")?.ats.at(-1) ?? 0) < lastYearMs)
    throw new Error(
      "the changes must be written out until 2499; take latest.json of moment-timezone 0.6 or later",
    )
  return defineZones(version, null, () => finder)
}

/** The first moment of the last year that moment-timezone writes out. */
export const lastYearMs = Date.UTC(2499, 0)

type Finder = (name: string) => Omit<TimeZone, "version"> | null

function defineZones(version: string, date: string | null, load: () => Finder | Promise<Finder>): TimeZones {
  return {
    ...{ version, date },
    async find(name) {
      // Most calls ask for UTC, which needs no data.
      if (name.toLowerCase() === "utc") return { name: "UTC", version, first: 0, ats: [], offsets: [] }
      if (/^[+-]\d\d:\d\d$/.test(name)) {
        const first = readTime(`1970-01-01T00:00${name}`)?.offsetMs ?? null
        return first === null ? null : { name: toOffsetText(first), version, first, ats: [], offsets: [] }
      }
      const zone = (await load())(name)
      return zone && { ...zone, version }
    },
  }
}

async function unpack(): Promise<Finder> {
  const { resolve } = await import("node:path")
  // In the package for Bun the path is relative to this module; elsewhere it is absolute.
  const bytes = await Bun.file(resolve(import.meta.dir, path)).bytes()
  return toFinder((await Bun.zstdDecompress(bytes)).toString()).finder
}

function toFinder(text: string): { version: string; finder: Finder } {
  const { version, zones, links }: Partial<Record<string, unknown>> = JSON.parse(text) ?? {}
  if (typeof version !== "string" || !isTexts(zones) || !isTexts(links))
    throw new Error("expected an object with version, zones and links")
  const lines = new Map(zones.map((line) => [line.slice(0, line.indexOf("|")), line]))
  const names = new Map([...lines].map(([name, line]) => [name.toLowerCase(), { name, line }]))
  for (const link of links) {
    const [to = "", name = ""] = link.split("|")
    const line = lines.get(to)
    if (line === undefined) throw new Error(`the link '${link.slice(0, 60)}' names no zone`)
    names.set(name.toLowerCase(), { name, line })
  }
  const read = new Map<string, ReturnType<typeof readLine>>()
  return {
    version,
    finder(asked) {
      const found = names.get(asked.toLowerCase())
      if (!found) return null
      const { name, line } = found
      return { name, ...read.getOrInsertComputed(line, readLine) }
    },
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string")
}

/** `NAME|abbreviations|offsets|indices|times between changes|population`, in base 60; offsets are in minutes west. */
function readLine(line: string): Pick<TimeZone, "first" | "ats" | "offsets"> {
  const [, , offsetTexts = "", indices = "", times = ""] = line.split("|")
  const all = offsetTexts.split(" ").map((text) => -toMs(text))
  const offsetOf = (index: number) => all[digits.indexOf(indices[index] ?? "")] ?? 0
  const ats: number[] = []
  const offsets: number[] = []
  let at = 0
  for (const [index, time] of (times === "" ? [] : times.split(" ")).entries()) {
    at += toMs(time)
    // Some changes are only of the abbreviation.
    if (offsetOf(index + 1) === offsetOf(index)) continue
    ats.push(at)
    offsets.push(offsetOf(index + 1))
  }
  return { first: offsetOf(0), ats, offsets }
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"

/** Minutes in base 60, of whose fraction one digit, the seconds, counts. */
function toMs(text: string): number {
  const [, sign, whole = "", seconds = "0"] = /^(-?)(\w*)(?:\.(\w))?/.exec(text) ?? []
  const minutes = [...whole].reduce((sum, digit) => sum * 60 + digits.indexOf(digit), 0)
  return (sign === "" ? 1 : -1) * (minutes * 60 + digits.indexOf(seconds)) * 1_000
}
