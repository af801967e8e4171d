import { parse as parseCsv } from "csv-parse/sync"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { load } from "js-yaml"

/** Reads the `error` of an envelope in each format, with readers that refuse what is malformed. */
export const errorReaders: Readonly<Record<string, (text: string) => string | null>> = {
  json: (text) => JSON.parse(text).error,
  yaml: (text) => (load(text) as { error: string | null }).error,
  xml: (text) => {
    const valid = XMLValidator.validate(text)
    if (valid !== true) throw new Error(valid.err.msg)
    const { error } = new XMLParser().parse(text).response
    return error === "" ? null : error
  },
  csv: (text) => {
    const rows: string[][] = parseCsv(text)
    return rows.find(([key]) => key === "error")?.[1] ?? null
  },
}
