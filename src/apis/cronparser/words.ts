/** The languages of cronstrue, by their BCP 47 tags. */
export const languages: readonly [string, ...string[]] = [
  "en",
  ..."af ar az be bg ca cs da de es fa fi fr he hr hu id it ja ko ms nb nl nn pl pt-BR pt-PT ro ru sk sl sr sv sw tg th tr".split(
    " ",
  ),
  ...["uk", "vi", "zh-CN", "zh-TW"],
]

/** A cron expression in words; null for the few forms that cronstrue does not know. */
export async function describe(expression: string, language: string): Promise<string | null> {
  const { default: cronstrue } = await (language === "en" ? import("cronstrue") : import("cronstrue/i18n"))
  const { text, isBoth } = toItsForm(expression)
  // cronstrue names Malay by the country, Malaysia.
  const locale = language === "ms" ? "my" : language.replace("-", "_")
  try {
    return cronstrue.toString(text, { use24HourTimeFormat: true, logicalAndDayFields: isBoth, locale })
  } catch {
    // It throws a string or an error for a form that it cannot describe.
    return null
  }
}

/** Writes an expression of croner for cronstrue, and says whether day of the month and day of the week must both fit. */
function toItsForm(expression: string): { text: string; isBoth: boolean } {
  const trimmed = expression.trim()
  if (trimmed.startsWith("@")) return { text: trimmed.toLowerCase(), isBoth: false }
  const fields = trimmed.toUpperCase().split(/\s+/)
  // cronstrue would read the last of six fields as a year if it has four digits.
  if (fields.length === 6) fields.push("*")
  const place = fields.length === 5 ? 4 : 5
  const weekday = fields[place] ?? ""
  fields[place] = weekday.replace("+", "").replaceAll("#L", "L")
  return { text: fields.join(" "), isBoth: weekday.startsWith("+") }
}
