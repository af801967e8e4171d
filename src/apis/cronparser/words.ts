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
  if (expression.startsWith("@")) return { text: expression, isBoth: false }
  const fields = expression.split(" ")
  // cronstrue would read the last of six fields as a year if it has four digits.
  if (fields.length === 6) fields.push("*")
  const start = fields.length === 5 ? 1 : 0
  const evened = fields.map((field, index) => withoutUnevenSteps(field, sizes[start + index]))
  const place = fields.length === 5 ? 4 : 5
  const weekday = evened[place] ?? ""
  evened[place] = weekday.replace("+", "").replaceAll("#L", "L")
  return { text: evened.join(" "), isBoth: weekday.startsWith("+") }
}

/** The least value and the number of values of each field. Months have no fixed number of days. */
const sizes: readonly (readonly [least: number, size: number])[] = [
  ...([
    [0, 60],
    [0, 60],
    [0, 24],
    [1, 31],
  ] as const),
  ...([
    [1, 12],
    [0, 7],
  ] as const),
]

/** Writes steps as a list where they begin anew too soon: cronstrue says "every 50 minutes" for minutes 0 and 50. */
function withoutUnevenSteps(field: string, [least, size]: readonly [number, number] = [0, 1]): string {
  return field.replaceAll(/\*\/(\d+)/g, (all, text) => {
    const step = Number(text)
    if (step === 1) return "*"
    if (size % step === 0 && step < size) return all
    return Array.from({ length: Math.ceil(size / step) }, (_, index) => least + index * step).join(",")
  })
}
