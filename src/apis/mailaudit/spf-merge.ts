import type { SpfResult } from "./parts.ts"

/** One record that says what several of a domain say; null for one, or where it takes a person: with `redirect`. */
export function mergedText({ spf_records_list }: SpfResult, domain: string): string | null {
  const records = spf_records_list.filter(({ origin }) => origin === domain).map(({ record }) => record)
  if (records.length < 2) return null
  const terms = records.flatMap((record) => record.trim().split(/ +/).slice(1))
  if (terms.some((term) => /^redirect=/i.test(term))) return null
  const isAll = (term: string) => /^[+?~-]?all$/i.test(term)
  const senders = [...Map.groupBy(terms, (term) => term.toLowerCase()).values()].flatMap(
    ([first = ""]) => first,
  )
  const isStrict = terms.filter(isAll).every((term) => term.startsWith("-"))
  return ["v=spf1", ...senders.filter((term) => !isAll(term)), isStrict ? "-all" : "~all"].join(" ")
}
