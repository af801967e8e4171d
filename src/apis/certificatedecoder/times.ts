import type { Element } from "../../values/der.ts"

const utcTime = 0x17
const forms = {
  // The last two parts are left out by some programs, which X.680 §47 allows and RFC 5280 does not.
  short: /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?()(Z|[+-]\d{4})$/,
  long: /^(\d{4})(\d\d)(\d\d)(\d\d)(?:(\d\d)(\d\d)?)?(?:[.,](\d{1,9}))?(Z|[+-]\d{4})?$/,
}

/**
 * Reads a UTCTime or a GeneralizedTime. It keeps to the text: libraries turn days that do not exist, missing seconds and zones
 * into other moments.
 * @returns the time in UTC, null if the text is no time or does not say its zone; and how its form differs from RFC 5280
 * §4.1.2.5, which continues a sentence, null if it does not
 */
export function readTime({ tag, content }: Element) {
  const text = Buffer.from(content).toString("latin1")
  const isShort = tag === utcTime
  const found = (isShort ? forms.short : forms.long).exec(text)
  if (found === null) return { at: null, mistake: "is not a time of ASN.1" }
  const [, years = "", month, day, hour, minute = "00", second, fraction = "", zone] = found
  if (zone === undefined) return { at: null, mistake: "does not say its zone, so it could be any" }
  // 50 to 99 are years of the twentieth century (RFC 5280 §4.1.2.5.1).
  const year = isShort ? (Number(years) < 50 ? 20 : 19) + years : years
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second ?? "00"}.${fraction.slice(0, 3).padEnd(3, "0")}Z`
  const asUtc = new Date(local)
  if (Number.isNaN(asUtc.getTime()) || asUtc.toISOString() !== local)
    return { at: null, mistake: "is a day or a time of day that does not exist" }
  const [sign = "+", ...digits] = zone === "Z" ? "+0000" : zone
  const minutes = Number(digits.slice(0, 2).join("")) * 60 + Number(digits.slice(2).join(""))
  const moment = new Date(asUtc.getTime() - Number(`${sign}1`) * minutes * 60_000)
  // Times of RFC 5280 have four digits for the year; a zone can move the last one beyond.
  const at = /^\d{4}-/.test(moment.toISOString()) ? moment.toISOString() : null
  const isLate = Number(year) >= 2050
  if (zone !== "Z") return { at, mistake: "has a zone other than Z" }
  if (second === undefined) return { at, mistake: "has no seconds" }
  if (fraction !== "") return { at, mistake: "has fractions of a second" }
  if (!isShort && !isLate) return { at, mistake: "is before 2050 and has four digits for the year, not two" }
  return { at, mistake: null }
}
