import "reflect-metadata"
import { describe, expect, test } from "bun:test"
import * as x509 from "@peculiar/x509"
import fc from "fast-check"
import { createManualClock } from "../../../test/support/clock.ts"
import { processorMs } from "../../../test/support/processor-time.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { InputRejected } from "../contract.ts"
import { certificatedecoder } from "./index.ts"
import { run } from "./run.ts"

const { examples } = certificatedecoder
const [chainExample, expiredExample, requestExample] = examples
const pemOf = (example: (typeof examples)[number] | undefined) => example?.input.certificate ?? ""
const [leaf = "", root = ""] = pemOf(chainExample).match(/-----BEGIN[\s\S]*?-----END [A-Z]+-----\n/g) ?? []

async function decode(certificate: string, now = "2026-11-23T12:00:00Z", host?: string) {
  const ports = { ...portsFor({}), clock: createManualClock(now) }
  const answer = await run(
    { certificate, ...(host !== undefined && { host }) },
    { ports, giveWay: () => undefined, premium: true },
  )
  return { ...answer, codes: answer.problems.map(({ code }): string => code) }
}

const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
const keys = await crypto.subtle.generateKey(ecdsa, true, ["sign", "verify"])
type Parameters = Partial<x509.X509CertificateCreateSelfSignedParams>

/** A self-signed certificate that is right but for what `changes` say. */
async function make(changes: Parameters = {}, extensions: x509.Extension[] = []) {
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=x.example",
    serialNumber: "0102030405060708",
    notBefore: new Date("2026-01-01"),
    notAfter: new Date("2027-01-01"),
    signingAlgorithm: ecdsa,
    keys,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "x.example" }]),
      ...extensions,
    ],
    ...changes,
  })
  return certificate.toString("pem")
}

describe("problems", () => {
  const ofKey = { publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 1024 }
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", ...ofKey }
  const weakKeys = crypto.subtle.generateKey(rsa, true, ["sign", "verify"])
  const unknown = (isCritical: boolean) => new x509.Extension("1.2.3", isCritical, new Uint8Array([5, 0]))
  const signing = new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign)

  test.each<[string, Parameters, x509.Extension[], string[]]>([
    ["none", {}, [], []],
    ["no names", { extensions: [] }, [], ["no_names"]],
    ["an authority needs none", { extensions: [new x509.BasicConstraintsExtension(true)] }, [], []],
    ["no length", { notBefore: new Date("2027-01-02") }, [], ["validity"]],
    ["a long serial number", { serialNumber: "01".repeat(21) }, [], ["serial_number"]],
    ["keyCertSign", {}, [signing], ["ca"]],
    ["a critical one", {}, [unknown(true)], ["unknown_critical"]],
    ["an unknown one", {}, [unknown(false)], []],
    ["one twice", {}, [unknown(false), unknown(false)], ["duplicate_extension"]],
  ])("%s", async (_name, changes, extensions, codes) =>
    expect((await decode(await make(changes, extensions))).codes).toEqual(codes),
  )

  test("a short key", async () => {
    const pem = await make({ keys: await weakKeys, signingAlgorithm: rsa })
    expect((await decode(pem)).codes).toEqual(["weak_key"])
  })

  test.each<[string, string, string[]]>([
    ["positive", "0102030405060708", []],
    ["with a byte for the sign", "00ff030405060708", []],
    ["zero", "0000000000000000", ["zero_serial_number"]],
    ["negative", "ff02030405060708", ["serial_number"]],
  ])("a serial number: %s", async (_name, digits, codes) => {
    const der = Buffer.from((await make()).replace(/-----[^-]*-----/g, ""), "base64")
    const text = der.toString("hex").replace("02080102030405060708", `0208${digits}`)
    const { codes: found } = await decode(Buffer.from(text, "hex").toString("base64"))
    // The signature is of the number before the change.
    expect(found.filter((code) => code !== "signature")).toEqual(codes)
  })

  test("a serial number of 20 bytes, and of 20 and one for the sign", async () => {
    expect((await decode(await make({ serialNumber: "7f".repeat(20) }))).codes).toEqual([])
    expect((await decode(await make({ serialNumber: "ff".repeat(20) }))).codes).toEqual(["serial_number"])
  })

  test("of time begin and end to the second", async () => {
    const pem = await make()
    const at = async (now: string) => (await decode(pem, now)).codes
    expect(await at("2025-12-31T23:59:59Z")).toEqual(["not_yet_valid"])
    expect(await at("2026-01-01T00:00:00Z")).toEqual([])
    expect(await at("2027-01-01T00:00:00Z")).toEqual([])
    expect(await at("2027-01-01T00:00:01Z")).toEqual(["expired"])
  })

  test.each([
    ["2025-12-31T23:59:59.999Z", 365],
    ["2026-12-30T23:59:59Z", 1],
    ["2026-12-31T00:00:00Z", 1],
    ["2026-12-31T00:00:01Z", 0],
    ["2027-01-01T00:00:00Z", 0],
    ["2027-01-01T00:00:01Z", -1],
    ["2027-01-02T00:00:00Z", -1],
  ])("the days left at %s are whole ones, rounded down: %p", async (now, days) =>
    expect((await decode(await make(), now)).days_left).toBe(days),
  )

  test("a changed signature of a self-signed certificate and of a request is found", async () => {
    for (const pem of [pemOf(expiredExample), pemOf(requestExample)]) {
      const body = Buffer.from(pem.replace(/-----[^-]*-----/g, ""), "base64")
      expect((await decode(pem)).codes).not.toContain("signature")
      body[body.length - 1] = (body[body.length - 1] ?? 0) ^ 1
      const label = pem.includes("REQUEST") ? "CERTIFICATE REQUEST" : "CERTIFICATE"
      const changed = `-----BEGIN ${label}-----\n${body.toString("base64")}\n-----END ${label}-----`
      const { is_valid, codes } = await decode(changed)
      expect([is_valid, codes]).toEqual([false, expect.arrayContaining(["signature"])])
    }
  })
})

test("the chain in its order, in the wrong one, and with a stranger", async () => {
  expect((await decode(leaf + root)).codes).toEqual([])
  expect(await decode(root + leaf)).toMatchObject({ codes: ["chain_order"], is_ca: true, is_valid: true })
  const strange = await decode(leaf + (await make()))
  expect(strange).toMatchObject({ codes: ["chain_order"], chain: [{ is_issuer_of_previous: false }] })
})

type Issuing = Partial<x509.X509CertificateCreateWithKeyParams> & { readonly name: string }
/** A certificate that the key of all of them signed, in the name of `issuer`. */
async function issue({ name, issuer, extensions = [], ...rest }: Issuing & { readonly issuer: string }) {
  const validity = { notBefore: new Date("2026-01-01"), notAfter: new Date("2027-01-01") }
  const made = await x509.X509CertificateGenerator.create({
    ...{
      subject: `CN=${name}`,
      issuer: `CN=${issuer}`,
      publicKey: keys.publicKey,
      signingKey: keys.privateKey,
    },
    ...{ serialNumber: "01", signingAlgorithm: ecdsa, extensions, ...validity, ...rest },
  })
  return `${made.toString("pem")}\n`
}
const ca = (isCa: boolean, pathLength?: number) => new x509.BasicConstraintsExtension(isCa, pathLength, true)
const usage = (flags: x509.KeyUsageFlags) => new x509.KeyUsagesExtension(flags, true)
const first = issue({
  ...{ name: "a.example", issuer: "A" },
  extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "a.example" }])],
})
const middle = (extensions: x509.Extension[], more = {}) =>
  issue({ name: "A", issuer: "B", extensions, ...more })
const top = (extensions: x509.Extension[], more = {}) =>
  issue({ name: "B", issuer: "B", extensions, ...more })
const past = { notBefore: new Date("2020-01-01"), notAfter: new Date("2021-01-01") }
const future = { notBefore: new Date("2026-12-01") }

test.each<[string, Promise<string>, Promise<string>, string[]]>([
  ["authorities", middle([ca(true, 0)]), top([ca(true, 1)]), []],
  ["no authority", middle([ca(false)]), top([ca(true)]), ["chain_ca chain[0]"]],
  ["no constraints", middle([]), top([ca(true)]), ["chain_ca chain[0]"]],
  [
    "a key for other uses",
    middle([ca(true), usage(x509.KeyUsageFlags.digitalSignature)]),
    top([ca(true)]),
    ["chain_ca chain[0]"],
  ],
  ["a key for certificates", middle([ca(true), usage(x509.KeyUsageFlags.keyCertSign)]), top([ca(true)]), []],
  ["too many below", middle([ca(true)]), top([ca(true, 0)]), ["chain_ca chain[1]"]],
  ["a root without constraints", middle([ca(true)]), top([]), []],
  ["a root that is no authority", middle([ca(true)]), top([ca(false)]), ["chain_ca chain[1]"]],
  ["an expired one", middle([ca(true)], past), top([ca(true)]), ["chain_time chain[0]"]],
  ["a root of the future", middle([ca(true)]), top([ca(true)], future), ["chain_time chain[1]"]],
])("the certificates after the first: %s", async (_name, below, above, wanted) => {
  const { is_valid, problems, chain } = await decode((await first) + (await below) + (await above))
  expect(problems.map(({ code, where }) => `${code} ${where}`)).toEqual(wanted)
  expect(is_valid).toBe(!wanted.some((one) => one.startsWith("chain_ca")))
  expect(chain.map((one) => one.is_issuer_of_previous)).toEqual([true, true])
})

const server = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth])
const rulesOf = async (changes: Parameters, extensions = [server]) =>
  (await decode(await make(changes, extensions))).lint?.map(({ rule }) => rule) ?? null

test("lint is only for certificates of servers", async () => {
  expect([await rulesOf({}, []), (await decode(root)).lint]).toEqual([null, null])
  expect((await decode(pemOf(requestExample))).lint).toBeNull()
})

test.each([
  ["2026-03-14", "2027-04-16", false],
  ["2026-03-14", "2027-04-17", true],
  ["2026-03-15", "2026-10-01", false],
  ["2026-03-15", "2026-10-02", true],
  ["2029-03-15", "2029-05-02", true],
])("lint from %s to %s is too long: %p", async (from, to, isTooLong) => {
  const rules = await rulesOf({ notBefore: new Date(from), notAfter: new Date(to) })
  expect(rules?.includes("6.3.2")).toBe(isTooLong)
})

test("lint: names", async () => {
  const named = (...values: string[]) =>
    rulesOf({
      extensions: [
        server,
        new x509.SubjectAlternativeNameExtension(values.map((value) => ({ type: "dns", value }))),
      ],
    })
  expect(await named("*.x.example", "x.example")).not.toContain("7.1.2.7.12")
  for (const bad of ["localhost", "a_b.example", "x.*.example", "*", ".x.example"])
    expect(await named("x.example", bad)).toContain("7.1.2.7.12")
  expect(await named("y.example")).toContain("7.1.4.3")
})

test("what can be read: PEM in any text, and DER in base64", async () => {
  const expected = await decode(leaf)
  const der = leaf.replace(/-----[^-]*-----|\s/g, "")
  for (const text of [`Subject: x\n${leaf}\nmore`, leaf.replaceAll("\n", "\r\n"), der, `\n${der}\n`])
    expect(await decode(text)).toEqual(expected)
})

const der = leaf.replace(/-----[^-]*-----|\s/g, "")
const nested = (start: string) => Buffer.from(start.repeat(22_000), "hex").toString("base64").slice(0, 60_000)
const unreadable = "must have a certificate (RFC 5280 §4.1) in each block"
const blockOf = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----`

test.each([
  ["a private key", leaf + blockOf("EC PRIVATE KEY"), "must not have a private key"],
  ["another block", blockOf("PUBLIC KEY"), "must be a certificate or a request"],
  ["no base64", "hello, world", "must be a certificate or a request"],
  ["base64 of nothing", "AAAA", unreadable],
  ["half of it", der.slice(0, 200), unreadable],
  ["a request under another label", pemOf(requestExample).replaceAll(" REQUEST", ""), unreadable],
  ["eleven", leaf.repeat(11), "must have at most 10 certificates"],
  ["a block without an end", leaf.replace(/-----END.*/, ""), "must be a certificate or a request"],
  ["45 kB of nested sequences", nested("3082"), "must have a certificate"],
  ["45 kB of nested sequences without length", nested("3080"), "must have a certificate"],
])("what can be read: %s is refused", async (_name, text, message) => {
  const taken = processorMs(() =>
    expect(decode(text)).rejects.toThrow(`The 'certificate' parameter ${message}`),
  )
  expect(await taken).toBeLessThan(500)
})

test("what can be read: 2,000 names in one certificate", async () => {
  const type = "dns" as const
  const names = Array.from({ length: 2_000 }, (_, index) => ({ type, value: `${index}.example` }))
  const pem = await make({ extensions: [new x509.SubjectAlternativeNameExtension(names)] })
  expect((await decode(pem)).names).toHaveLength(2_000)
})

test("what can be read: any changed byte is an answer or a refusal", async () => {
  const bytes = Buffer.from(leaf.replace(/-----[^-]*-----/g, ""), "base64")
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, value) => {
      const changed = Buffer.from(bytes)
      changed[at] = value
      const answer = await decode(changed.toString("base64")).catch((error: unknown) => error)
      if (answer instanceof Error) expect(answer).toBeInstanceOf(InputRejected)
      else expect(answer).toMatchObject({ kind: "certificate" })
    }),
    { numRuns: 150, seed: 26 },
  )
})
