/** Runs of small inputs that take place in the service: none holds it up for long, whatever the input asks of its library. */
import { expect, test } from "bun:test"
import { createPublicKey } from "node:crypto"
import fc from "fast-check"
import { ports } from "../../test/support/held-pool.ts"
import { inTurn } from "../../test/support/turns.ts"
import {
  type ApiDefinition,
  type Dns,
  type DnsAnswer,
  type DnsType,
  InputRejected,
} from "../apis/contract.ts"
import { cronparser } from "../apis/cronparser/index.ts"
import { dataconverter } from "../apis/dataconverter/index.ts"
import { isolatedRuns } from "../apis/isolated-runs.ts"
import { jsonschemavalidator } from "../apis/jsonschemavalidator/index.ts"
import { mailreportparser } from "../apis/mailreportparser/index.ts"
import { markdownconverter } from "../apis/markdownconverter/index.ts"
import { messageauth } from "../apis/messageauth/index.ts"
import { qrcodegenerator } from "../apis/qrcodegenerator/index.ts"

const marks = [
  ..."*_`[]()<>!&~|#=-.:@/\\\"' \n\ta1é{},?%$",
  ..."![ ]( <!-- </b> http:// www. a@ **a [a]:".split(" "),
  "<a ",
]
const forms = [
  ..."\n ",
  ..."<![CDATA[ <? &a; *a [[ a.b= 1e1".split(" "),
  ...["<!ENTITY ", "&a ", "- ", "? ", "|-\n ", "a: ", "    ", "1. "],
]
const shortTexts = fc
  .array(
    fc.tuple(
      fc.array(fc.constantFrom(...marks, ...forms), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 150 }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) =>
    parts
      .map(([part, times]) => part.join("").repeat(times))
      .join("")
      .slice(0, 270),
  )
const formats = fc.constantFrom("json", "yaml", "xml", "csv", "toml")

/** Fields of schedules, of a kind that lies in the service. */
const fieldOf = (least: number, most: number) => {
  const one = fc.integer({ min: least, max: most })
  const item = fc.oneof(
    one,
    one.map((step) => `*/${Math.max(1, step)}`),
    fc.tuple(one, one).map((ends) => ends.sort((a, b) => a - b).join("-")),
  )
  return fc.oneof(
    fc.constant("*"),
    fc.array(item, { minLength: 1, maxLength: 9 }).map((items) => items.join(",")),
  )
}
const [seconds, hours, days, months, weekdays] = [
  fieldOf(0, 59),
  fieldOf(0, 23),
  fc.oneof(fieldOf(1, 31), fc.constantFrom("29", "30", "31", "25-31")),
  fc.oneof(fieldOf(1, 12), fc.constantFrom("2", "3", "2,4,6,9,11")),
  fieldOf(1, 7),
]
const schedules = fc.record({
  expression: fc
    .oneof(
      fc.tuple(seconds, hours, days, months, weekdays),
      fc.tuple(seconds, seconds, hours, days, months, weekdays),
      fc.tuple(seconds, seconds, hours, days, months, fc.constant("?")),
      fc.tuple(seconds, seconds, hours, fc.constant("?"), months, weekdays, fc.constant("*")),
    )
    .map((fields) => fields.join(" ")),
  timezone: fc.constantFrom("UTC", "Europe/Berlin", "Africa/Casablanca", "America/Nuuk", "Antarctica/Troll"),
  after: fc.constantFrom("1970-01-01", "2026-03-28", "2096-03-01", "2199-12-30"),
  count: fc.constant(100),
})

const leaves = ["a", "record", "dkim", "spf", "row", "auth_results", "error", "version", "extension"]
const elements = fc.constantFrom(
  ...leaves.map((name) => `<${name}/>`),
  ...["&#49;", "<!---->", "<?a?>", "<![CDATA[]]>", " ", "é", "<a b=''/>", "<a xmlns:b='c'/>"],
  ...[
    "<record><row><source_ip>::1</source_ip></row></record>",
    "<record><auth_results><dkim/></auth_results></record>",
  ],
)
const policies = fc.constantFrom(
  ...["{}", "[]", "1", '""', '{"summary":{}}', '{"policy":{"policy-string":["a","a"]}}'],
  '{"failure-details":[{},1,{"sending-mta-ip":"::1"}]}',
)
const reports = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("", ' xmlns="urn:ietf:params:xml:ns:dmarc-2.0"'),
      filled(elements),
      fc.constantFrom(...leaves),
    )
    .map(([namespace, text, name]) => `<feedback${namespace}><${name}>${text}</${name}></feedback>`),
  filled(policies, ",").map((text) => `{"policies":[${text}]}`),
)

/** Texts of nearly 4,000 characters, of a few pieces that are repeated. */
function filled(pieces: fc.Arbitrary<string>, separator = "") {
  return fc.array(pieces, { minLength: 1, maxLength: 4 }).map((some) => {
    const text = some.join(separator)
    return Array(Math.floor(3_800 / (text.length + separator.length)))
      .fill(text)
      .join(separator)
  })
}

/** The largest keys that can be verified, which take 2 ms for each signature of their length, and records of 60 kB. */
const modulus = Buffer.alloc(2_048, 0xff)
const numbers = {
  n: modulus.toString("base64url"),
  e: Buffer.from("01ffffffff", "hex").toString("base64url"),
}
const largest = createPublicKey({ key: { kty: "RSA", ...numbers }, format: "jwk" })
const records: Readonly<Record<string, string>> = {
  key: `v=DKIM1; p=${largest.export({ type: "spki", format: "der" }).toString("base64")}`,
  tags: `v=DKIM1; ${Array.from({ length: 7_000 }, (_, index) => `a${index}=b; `).join("")}`,
  text: "x".repeat(60_000),
  hashes: `v=DKIM1; p=AAAA; h=${"a:".repeat(30_000)}`,
}
const hostileDns: Dns = {
  ...ports.dns,
  async resolve<T extends DnsType>(name: string, type: T): Promise<DnsAnswer<T>> {
    const record = records[name.split(/[\d.]/)[0] ?? ""]
    return type === "TXT" && record
      ? ({ kind: "records", records: [record], messageBytes: 0 } as unknown as DnsAnswer<T>)
      : { kind: "nodata" }
  },
}
const author = "From: ann@a.test\r\n"
const signature = (selector: string, names = "from", value = "AAAA") =>
  `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=a.test; s=${selector}; h=${names}; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=${value}\r\n`
const selectors = fc
  .tuple(fc.constantFrom(...Object.keys(records)), fc.integer({ min: 0, max: 9 }))
  .map(([name, index]) => `${name}${index}`)
const signatures = fc
  .tuple(
    selectors,
    fc.constantFrom("from", `from${":x".repeat(500)}`, `${"x:".repeat(200)}from`),
    fc.constantFrom("AAAA", modulus.fill(1, 0, 1).toString("base64")),
  )
  .map((parts) => signature(...parts))
const lines = fc
  .tuple(
    fc.constantFrom(
      ..."From: a@b.test\r\n|x:\r\n|X: a\r\n b\r\n|To: \t \t\r\n|DKIM-Signature: v=1\r\n|a".split("|"),
      ..." \r\n|\r\n".split("|"),
    ),
    fc.integer({ min: 1, max: 1_000 }),
  )
  .map(([line, times]) => line.repeat(times))
const authors = fc
  .constantFrom("a@b.test, ", "(", '"a" <', "a:b@c.test;", "a\r\n ", "@", "=?utf-8?q?a?= ")
  .map((piece) => `From: ${piece.repeat(300)}\r\n`)
const messages = fc
  .tuple(
    fc.constantFrom("", author),
    fc.array(fc.oneof(signatures, lines, authors), { minLength: 1, maxLength: 6 }),
  )
  .map(([first, parts]) => (first + parts.join("")).slice(0, 3_900))

/** Schemas and documents whose sizes are 280 together, and each part of a schema meets each value. */
const parts = fc.constantFrom<unknown>(
  ...[{}, true, false, { not: {} }, { const: 1 }, { minLength: 2 }, { uniqueItems: true }, { items: false }],
)
const values = fc.constantFrom<unknown>(0, "", [], {}, null)
const meetings = fc
  .tuple(
    fc.integer({ min: 1, max: 250 }),
    parts,
    values,
    fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems"),
    fc.array(fc.constantFrom("allOf", "anyOf", "not", "items", "unevaluatedItems"), { maxLength: 4 }),
    fc.constantFrom("items", "contains", "unevaluatedItems"),
  )
  .map(([count, part, value, keyword, around, each]) => {
    const inner: unknown = { [each]: { [keyword]: Array(count).fill(part) } }
    const schema = around.reduce<unknown>(
      (all, name) => ({ [name]: name.endsWith("Of") ? [all] : all }),
      inner,
    )
    return { schema, document: Array(250 - count).fill(value) }
  })

/** Half of what a turn of the service may take: far more than the 5 ms that the slowest input takes here. */
const maxMs = 25

/** The check of a commit tries some of them: each compiles its library, and takes seconds. */
const kinds: readonly (readonly [string, ApiDefinition, fc.Arbitrary<Record<string, unknown>>])[] = [
  [
    "markdownconverter",
    markdownconverter,
    fc.record({ text: shortTexts, dialect: fc.constantFrom("gfm", "commonmark") }),
  ],
  ["dataconverter", dataconverter, fc.record({ text: shortTexts, from: formats, to: formats })],
  [
    "qrcodegenerator",
    qrcodegenerator,
    fc.record({ text: shortTexts, border: fc.constant(16), scale: fc.constant(16) }),
  ],
  ["cronparser", cronparser, schedules],
  ["jsonschemavalidator", jsonschemavalidator, meetings],
  ["mailreportparser", mailreportparser, fc.record({ report: reports })],
  ["messageauth", messageauth, fc.record({ message: messages })],
]

test.each(inTurn(kinds, 6))("no small input takes %s long", async (id, api, inputs) => {
  const { run } = (await isolatedRuns[id]?.()) ?? {}
  if (!run) throw new Error(`'${id}' has no code`)
  const take = async (input: Record<string, unknown>) => {
    let [before, longestMs] = [process.threadCpuUsage(), 0]
    const giveWay = () => {
      const { user, system } = process.threadCpuUsage(before)
      longestMs = Math.max(longestMs, (user + system) / 1_000)
      before = process.threadCpuUsage()
      return undefined
    }
    try {
      await run(input, { premium: true, ports: { ...ports, dns: hostileDns }, giveWay })
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(InputRejected)
    }
    giveWay()
    return longestMs
  }
  await fc.assert(
    fc.asyncProperty(inputs, async (given) => {
      if (!api.isolated?.isBounded?.(given)) return
      const input = (await api.isolated.prepare?.(given)) ?? given
      let ms = await take(input)
      // A run may have compiled code, collected garbage, or met a busy processor: no input is slow each time for that.
      for (let again = 0; again < 9 && ms >= maxMs; again++) ms = Math.min(ms, await take(input))
      expect(ms).toBeLessThan(maxMs)
    }),
    { numRuns: 1_000 },
  )
})
