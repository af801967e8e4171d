/** The languages of cronstrue, as BCP 47 writes them. */
export const languages = [
  ...([
    "en",
    "af",
    "ar",
    "az",
    "be",
    "bg",
    "ca",
    "cs",
    "da",
    "de",
    "es",
    "fa",
    "fi",
    "fr",
    "he",
    "hr",
  ] as const),
  ...([
    "hu",
    "id",
    "it",
    "ja",
    "ko",
    "ms",
    "nb",
    "nl",
    "nn",
    "pl",
    "pt-BR",
    "pt-PT",
    "ro",
    "ru",
    "sk",
  ] as const),
  ...(["sl", "sr", "sv", "sw", "tg", "th", "tr", "uk", "vi", "zh-CN", "zh-TW"] as const),
] as const

export type Language = (typeof languages)[number]

/** An expression in words; null for the few forms that cronstrue does not know. */
export async function describe(expression: string, language: Language): Promise<string | null> {
  const { default: cronstrue } = await (language === "en" ? import("cronstrue") : import("cronstrue/i18n"))
  const { text, isBoth } = toItsForm(expression)
  // cronstrue calls Malay by the country's letters.
  const locale = language === "ms" ? "my" : language.replace("-", "_")
  try {
    return cronstrue.toString(text, { use24HourTimeFormat: true, logicalAndDayFields: isBoth, locale })
  } catch {
    // It throws a text or an error for any form that it has no words for.
    return null
  }
}

/** An expression of croner in the forms of cronstrue, and whether day of the month and day of the week must both fit. */
function toItsForm(expression: string): { text: string; isBoth: boolean } {
  const trimmed = expression.trim()
  if (trimmed.startsWith("@")) return { text: trimmed.toLowerCase(), isBoth: false }
  const fields = trimmed.toUpperCase().split(/\s+/)
  // cronstrue would take the last of six fields for a year if it has four digits.
  if (fields.length === 6) fields.push("*")
  const place = fields.length === 5 ? 4 : 5
  const weekday = fields[place] ?? ""
  fields[place] = weekday.replace("+", "").replaceAll("#L", "L")
  return { text: fields.join(" "), isBoth: weekday.startsWith("+") }
}
