import { shorten } from "../../values/text.ts"

/** Unix: crontab and programs that put the second before it; Quartz, of Java; and the schedules of Amazon EventBridge. */
export const dialects = ["unix", "quartz", "aws"] as const
export type Dialect = (typeof dialects)[number]

/** An expression in the form that croner reads, with numbers for names. */
export interface CronExpression {
  readonly dialect: Dialect
  readonly text: string
}

/** A mistake in an expression; the message is a sentence without a beginning capital and a full stop. */
export class CronMistake extends Error {
  override readonly name = "CronMistake"
}

interface Field {
  readonly name: string
  readonly least: number
  readonly most: number
  /** Names of the values from `least`. */
  readonly names?: readonly string[]
}

const second = { name: "second", least: 0, most: 59 }
const minute = { name: "minute", least: 0, most: 59 }
const hour = { name: "hour", least: 0, most: 23 }
const day = { name: "day of the month", least: 1, most: 31 }
const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ")
const month = { name: "month", least: 1, most: 12, names: months }
const names = "SUN MON TUE WED THU FRI SAT".split(" ")
const weekday = { name: "day of the week", least: 0, most: 7, names }
/** In Quartz and AWS, 1 is Sunday. */
const weekdayFrom1 = { name: "day of the week", least: 1, most: 7, names }
const yearTo = (least: number, most: number) => ({ name: "year", least, most })

/** The fields of each dialect, by how many there are. */
const fieldsOf: Readonly<Record<Dialect, readonly (readonly Field[])[]>> = {
  unix: [
    [minute, hour, day, month, weekday],
    [second, minute, hour, day, month, weekday],
    [second, minute, hour, day, month, weekday, yearTo(1, 9_999)],
  ],
  quartz: [
    [second, minute, hour, day, month, weekdayFrom1],
    [second, minute, hour, day, month, weekdayFrom1, yearTo(1_970, 2_099)],
  ],
  aws: [[minute, hour, day, month, weekdayFrom1, yearTo(1_970, 2_199)]],
}
const words = "@yearly @annually @monthly @weekly @daily @midnight @hourly".split(" ")

/**
 * Reads a cron expression.
 * @param asked its dialect; without it, the place of `?` and the number of fields tell it
 * @throws CronMistake
 */
export function readExpression(written: string, asked?: Dialect): CronExpression {
  const [, wrapped] = /^\s*cron\((.*)\)\s*$/i.exec(written) ?? []
  const parts = (wrapped ?? written).trim().split(/\s+/)
  const [first = ""] = parts
  const dialect = asked ?? (wrapped === undefined ? dialectOf(parts) : "aws")
  if (dialect === "unix" && first.startsWith("@")) {
    if (parts.length === 1 && words.includes(first.toLowerCase()))
      return { dialect, text: first.toLowerCase() }
    throw new CronMistake(`words that stand for a schedule are ${words.join(", ")}`)
  }
  if (/^rate\(/i.test(first))
    throw new CronMistake("rate() is no cron expression: write */5 * * * * for each 5 minutes")
  const counts = fieldsOf[dialect].map((fields) => fields.length)
  const fields = fieldsOf[dialect].find(({ length }) => length === parts.length)
  if (!fields)
    throw new CronMistake(
      `it has ${parts.length} field${parts.length === 1 ? "" : "s"}; ${dialect} has ${counts.join(" or ")}`,
    )
  const marks = parts.filter((part) => part === "?").length
  if (dialect !== "unix" && marks !== 1)
    throw new CronMistake(`in ${dialect}, either the day of the month or the day of the week is ?`)
  const read = fields.map((field, index) => readField(parts[index] ?? "", field, dialect))
  if (dialect === "unix" && needsBothDays(read, fields))
    read[fields.indexOf(weekday)] = `+${read[fields.indexOf(weekday)]}`
  return { dialect, text: (dialect === "aws" ? ["0", ...read] : read).join(" ") }
}

/** Whether days must fit both fields, since one begins with `*`: DOM_STAR and DOW_STAR in entry.c of cron and cronie. */
function needsBothDays(read: readonly string[], fields: readonly Field[]): boolean {
  const days = read.filter((_, index) => fields[index] === day || fields[index] === weekday)
  return (
    days.some((text) => text.startsWith("*")) &&
    !days.includes("*") &&
    !days.some((text) => text.startsWith("+"))
  )
}

/** The dialect that an expression fits. Only Quartz and AWS have six fields or more and `?`, each in other places. */
function dialectOf(parts: readonly string[]): Dialect {
  const place = parts.indexOf("?")
  if (parts.length < 6 || place === -1) return "unix"
  return parts.length === 6 && (place === 2 || place === 4) ? "aws" : "quartz"
}

function readField(text: string, field: Field, dialect: Dialect): string {
  const isDay = field === day || field.names === names
  if (text === "?") {
    if (isDay) return "*"
    throw new CronMistake(`the ${field.name} is ?, which stands only for a day of the month or of the week`)
  }
  const plus = dialect === "unix" && field.names === names && text.startsWith("+") ? "+" : ""
  const items = text.slice(plus.length).split(",")
  return plus + items.map((item) => readItem(item.toUpperCase(), items.length, field, dialect)).join(",")
}

function readItem(item: string, count: number, field: Field, dialect: Dialect): string {
  if (field === day && (item === "L" || (item === "LW" && count === 1))) return item
  if (field === day && item.startsWith("L-"))
    throw new CronMistake(`days counted back from the last, such as '${shorten(item, 20)}', cannot be read`)
  const [, nearest] = /^(\d+)W$/.exec(item) ?? []
  if (field === day && nearest !== undefined) return `${toNumber(nearest, field)}W`
  if (field.names === names) {
    // In Quartz and AWS, L alone is the last day of the week.
    if (item === "L" && dialect !== "unix") return "6"
    const [, named, which] = /^(\w+?)(?:#([1-5L])|L)$/.exec(item) ?? []
    if (named !== undefined) return `${toNumber(named, field)}#${which ?? "L"}`
  }
  const [, from = "", to, step] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d{1,4}))?$/.exec(item) ?? []
  const isAny = from === "*"
  if (from === "" || (isAny && to !== undefined))
    throw new CronMistake(`'${shorten(item, 20)}' cannot be the ${field.name}`)
  const by = step === undefined ? "" : `/${toStep(step, field)}`
  if (isAny) return `*${by}`
  const first = toNumber(from, field)
  const isFrom = to === undefined && by !== ""
  if (isFrom && dialect === "unix")
    throw new CronMistake(
      `a step needs a range: write ${from}-${field.most}${by} for the ${field.name} '${item}'`,
    )
  const highest = field === weekdayFrom1 ? 6 : field.most
  if (to === undefined) return isFrom ? `${first}-${highest}${by}` : String(first)
  const last = toNumber(to, field)
  if (first <= last) return `${first}-${last}${by}`
  // Sunday is also 7.
  if (last === 0 && field === weekday) return `${first}-7${by}`
  if (dialect === "unix")
    throw new CronMistake(`the range '${item}' of the ${field.name} ends before it begins`)
  return wrapped(first, last, Number(step ?? 1), field === weekdayFrom1 ? 0 : field.least, highest).join(",")
}

/** The values of a range that goes on at the least after the highest. */
function wrapped(first: number, last: number, step: number, least: number, highest: number): number[] {
  const size = highest - least + 1
  const length = Math.floor((last - first + size) / step) + 1
  return Array.from({ length }, (_, index) => least + ((first - least + index * step) % size))
}

/** A value as croner counts it: Sunday is 0. */
function toNumber(text: string, field: Field): number {
  const shift = field === weekdayFrom1 ? 1 : 0
  const named = field.names?.indexOf(text) ?? -1
  if (named !== -1) return named + field.least - shift
  if (/^\d{1,4}$/.test(text) && Number(text) >= field.least && Number(text) <= field.most)
    return Number(text) - shift
  throw new CronMistake(
    `the ${field.name} '${shorten(text, 20)}' is not from ${field.least} to ${field.most}${field.names ? ` or from ${field.names[0]} to ${field.names.at(-1)}` : ""}`,
  )
}

function toStep(text: string, { name, least, most }: Field): number {
  const step = Number(text)
  const size = most - least + 1
  if (step >= 1 && step <= size) return step
  throw new CronMistake(`the step ${text} of the ${name} is not from 1 to ${size}`)
}
