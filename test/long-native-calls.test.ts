/**
 * Texts that an expression might try from each of their places, in time by their square. Nothing can end such a call: on the main
 * thread it holds up everybody, and the thread of an isolated API computes on after its call was refused.
 */
import { expect, test } from "bun:test"
import "reflect-metadata"
import { type DnsZone, InputRejected } from "../src/apis/contract.ts"
import { isolatedRuns } from "../src/apis/isolated-runs.ts"
import { catalog } from "../src/app/prepare.ts"
import { createSecretFilter } from "../src/mock/without-secrets.ts"
import { requireOneOfEach } from "../src/surfaces/http/request.ts"
import { logo } from "./support/bimi-domains.ts"
import { expectWithinProcessorMs } from "./support/processor-time.ts"
import { portsFor } from "./support/zone-ports.ts"

const key = (p: string): DnsZone => ({ "s._domainkey.a.example": [{ TXT: `v=DKIM1; p=${p}` }] })
const bimi = (host: string): DnsZone => ({
  "default._bimi.a.example": [{ TXT: `v=BIMI1; l=https://a${host}.test/a.svg` }],
})
const caa = (host: string): DnsZone => ({ "a.example": [{ CAA: `0 iodef "https://a${host}.test"` }] })
const dkim = { domain: "a.example", selector: "s" }

/** Normalization sorts them by their classes. */
const marks = "\u0301\u0316".repeat(20_000)
const signed = (tag: string) =>
  `From: a@a.test\r\nDKIM-Signature: v=1; a=rsa-sha256; d=a.test; s=s; h=from; bh=AAAA; b=AAAA; ${tag}\r\n\r\n`

test.each<readonly [id: string, what: string, input: Record<string, unknown>, dns?: DnsZone]>([
  ["linesorter", "zeros in a fraction", { lines: [`1.${"0".repeat(99_000)}1`], sort_by: "numeric" }],
  [
    "bimivalidator",
    "blanks in an attribute",
    {
      domain: "a.example",
      svg: logo.replace("<svg", `<svg preserveAspectRatio="none${" ".repeat(65_000)}x"`),
    },
  ],
  ["dkimvalidator", "hyphens", dkim, key("-".repeat(8_100))],
  ["dkimvalidator", "equals signs", dkim, key(`A${"=".repeat(8_100)}`)],
  [
    "bimivalidator",
    "marks in the host of a URL",
    { domain: "a.example" },
    bimi("%CC%81%CC%96".repeat(5_400)),
  ],
  ["caavalidator", "marks in the host of a URL", { domain: "a.example" }, caa("%CC%81%CC%96".repeat(5_400))],
  [
    "dataconverter",
    "quotations without an end",
    { text: `a = "${'\\"'.repeat(99_000)}`, from: "toml", to: "json" },
  ],
  [
    "jsonschemavalidator",
    "letters of an address that may be read in two ways",
    { schema: { format: "idn-email" }, document: "é".repeat(40), assert_formats: true },
  ],
  [
    "jsonschemavalidator",
    "an address with a wrong domain",
    { schema: { format: "idn-email" }, document: `${"é".repeat(900)}@a..b`, assert_formats: true },
  ],
  [
    "jsonschemavalidator",
    "signs that normalization sorts",
    { schema: { format: "idn-hostname" }, document: marks, assert_formats: true },
  ],
  ["messageauth", "blanks in a signature", { message: signed(`b=${" ".repeat(50_000)}A`) }],
  ["messageauth", "dots in a signature", { message: signed(`d=a${".".repeat(50_000)}test`) }],
  ["messageauth", "marks in a signature", { message: signed(`d=a${marks}.test`) }],
  ["messageauth", "marks in an author", { message: `From: a@b${marks}.test\r\n\r\n` }],
  [
    "messageauth",
    "marks in a sender",
    { message: `Return-Path: <a@b${marks}.test>\r\nFrom: a@b.test\r\n\r\n`, ip: "192.0.2.1" },
  ],
  ["messageauth", "carriage returns", { message: `From: a@b.test\r\nX: ${"\r".repeat(50_000)}y\r\n\r\n` }],
  [
    "hmac",
    "a million hexadecimal digits",
    { message: "a", secret: "ab".repeat(500_000), secret_encoding: "hex", algorithm: "sha256" },
  ],
])("%s reads %s in linear time", async (id, _what, input, dns = {}) => {
  const api = catalog.find((one) => one.id === id)
  if (!api) throw new Error(`the catalog lacks ${id}`)
  const { run } = (await isolatedRuns[id]?.()) ?? api
  await expectWithinProcessorMs(api.isolated ? 200 : 50, async () => {
    try {
      await run(input, { ports: portsFor({ given: { dns } }), giveWay: () => undefined, premium: true })
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(InputRejected)
    }
  })
})

test("quotations without an end in a header are read in linear time", async () => {
  const requestWith = (authorization: string) =>
    new Request("http://a.example", { headers: { authorization } })
  const request = requestWith(`Digest a, b="${'\\"'.repeat(8_000)}`)
  await expectWithinProcessorMs(50, () => requireOneOfEach(request))
  const refused = 'Digest a="\\", Basic b'
  expect(() => requireOneOfEach(requestWith(refused))).toThrow("must be sent once")
  expect(() => requireOneOfEach(requestWith(`${refused}"`))).not.toThrow()
})

test("texts without an end in a query are left out in linear time", async () => {
  const without = createSecretFilter(catalog)
  const shown = (text: string) =>
    JSON.parse(without({ path: "/v1/graphql", body: JSON.stringify({ query: `hmac ${text}` }) }).body).query
  await expectWithinProcessorMs(100, () => shown(`"${'\\"'.repeat(50_000)}\n`))
  expect(shown('"a\\" b 1\n 2 "c" """d')).toBe('hmac "(secret)"\n "(secret)" "(secret)" "(secret)"')
})
