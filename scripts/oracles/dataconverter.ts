import fc from "fast-check"
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
import { askPython, defineOracle, run } from "./oracle.ts"

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
    " a",
    "a ",
    "\t",
    "a\n",
    "a\nb\n\n",
    "a\r\nb",
    "\r",
    "",
    "a: b",
    "a #b",
    "\u007f",
    "\u0085",
    "\u009f",
    "\u2028",
    "\ufeff",
    "\ufffe",
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
  toml: [
    "a = 1\n",
    "b = 'x'\n",
    '"c d".e = "\\u00e9"\n',
    "[a]\n",
    "[b]\n",
    "[[t]]\n",
    "x = [1, 2.5, true]\n",
    "y = { p = 1, q = {} }\n",
    "z = 2001-02-03T04:05:06+07:00\n",
    "# c\n",
    "n = 0x1F\n",
    "m = 1_000\n",
    "k = '''\na'''\n",
    "w = 2001-02-30\n",
    "v = 01\n",
    "t.u = 1\n",
    "\r\n",
    "u = 1e3\n",
    "i = [\n 1,\n]\n",
  ],
  yaml: [
    "a: 1\n",
    "b: x y\n",
    "c:\n  - 1\n  - z\n",
    "d: [1, {e: f}]\n",
    "? g\n: h\n",
    "i: |\n  j\n  k\n",
    "l: >\n  m\n  n\n",
    "'o': \"p\\n\"\n",
    "q: &r 1\n",
    "s: *r\n",
    "# c\n",
    "t:\n  u: v\n",
    "w: 'it''s'\n",
    "a: 2\n",
    "x: !!str 1\n",
    "---\n",
    "y\n",
    "- 1\n",
    "\n",
    "z: {a: 1, b: }\n",
    "A: !!int '7'\n",
  ],
}
const pieced = fc
  .constantFrom(...formats)
  .chain((format) =>
    fc
      .array(fc.constantFrom(...pieces[format]), { maxLength: 8 })
      .map((parts): Case => ({ format, text: parts.join("") })),
  )

export { suites } from "./suites/dataconverter.ts"

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
    try {
      const answer = await runIsolated(convert, { text: source, from: format, to: "json" })
      return [toPlain(readJson(answer.text))]
    } catch (error) {
      if (error instanceof InputRejected) return null
      throw error
    }
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

function compareCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

function toExact(number: string): string {
  const [, minus = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const short = digits.replace(/0+$/, "")
  const power = Number(exponent) - fraction.length + digits.length - short.length
  return short === "" ? "0" : `${minus}${short}e${power}`
}
