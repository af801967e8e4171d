/** Mark certificates (VMC and CMC), and what they must say. */
import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import "reflect-metadata"
import * as x509 from "@peculiar/x509"
import { domain, logo, logoUrl, markUrl, validate } from "../../../test/support/bimi-domains.ts"
import { checkMark } from "../mail/mark-certificate.ts"

/** Certificates of an authority of its own: a mark with this logo, for these names. */
async function makeMark({
  names = ["a.example"],
  purpose = "1.3.6.1.5.5.7.3.31",
  svg = logo,
  wrongDigest = false,
} = {}) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
  const make = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const [authority, holder] = [await make(), await make()]
  const common = {
    notBefore: new Date("2021-06-01"),
    notAfter: new Date("2022-06-01"),
    issuer: "CN=Test Root",
    signingKey: authority.privateKey,
    signingAlgorithm: algorithm,
  }
  const root = await x509.X509CertificateGenerator.create({
    ...common,
    subject: "CN=Test Root",
    publicKey: authority.publicKey,
    extensions: [new x509.BasicConstraintsExtension(true)],
  })
  const der = (tag: number, ...parts: Uint8Array[]) => {
    const body = Buffer.concat(parts)
    const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255]
    return Buffer.concat([Buffer.from([tag, ...length]), body])
  }
  const digest = createHash("sha256")
    .update(wrongDigest ? "x" : svg)
    .digest()
  const hash = der(0x30, der(0x30, Buffer.from("0609608648016503040201", "hex")), der(0x04, digest))
  const url = `data:image/svg+xml;base64,${Buffer.from(Bun.gzipSync(svg)).toString("base64")}`
  const details = der(
    0x30,
    der(0x16, Buffer.from("image/svg+xml")),
    der(0x30, hash),
    der(0x30, der(0x16, Buffer.from(url))),
  )
  const logotype = der(0x30, der(0xa2, der(0xa0, der(0x30, der(0x30, details)))))
  const mark = await x509.X509CertificateGenerator.create({
    ...common,
    subject: "CN=A, O=A Limited, 1.3.6.1.4.1.53087.1.13=Registered Mark",
    publicKey: holder.publicKey,
    extensions: [
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns", value }))),
      new x509.ExtendedKeyUsageExtension([purpose]),
      new x509.Extension("1.3.6.1.5.5.7.1.12", false, logotype),
    ],
  })
  return { mark: mark.toString("pem"), root: root.toString("pem") }
}

const nowMs = Date.UTC(2022, 0)
const conditions = { url: markUrl, domains: ["a.example"], logo: Buffer.from(logo), nowMs }
const codes = (found: Awaited<ReturnType<typeof checkMark>>) => found.problems.map(({ code }): string => code)

test("mark certificates that fit have no problem", async () => {
  const { mark, root } = await makeMark()
  for (const pem of [mark, `${mark}\n${root}`]) {
    const found = await checkMark(pem, { ...conditions, roots: [root] })
    expect(codes(found)).toEqual([])
    expect(found.vmc).toMatchObject({
      ...{
        is_valid: true,
        kind: "VMC",
        organization: "A Limited",
        mark_type: "Registered Mark",
        has_same_logo: true,
      },
      ...{ names: ["a.example"], valid_until: "2022-06-01T00:00:00.000Z" },
    })
  }
})

test.each<[string, Parameters<typeof makeMark>[0], object, string[]]>([
  ["for another domain", { names: ["b.example"] }, {}, ["mark_domain"]],
  ["for another purpose", { purpose: "1.3.6.1.5.5.7.3.1" }, {}, ["mark_untrusted"]],
  ["of an unknown root", {}, { roots: [] }, ["mark_untrusted"]],
  ["with another logo", { svg: logo.replace(">A<", ">B<") }, {}, ["mark_logo"]],
  ["with another digest", { wrongDigest: true }, {}, ["mark_unreadable"]],
  ["with a logo of over 65,536 bytes", { svg: " ".repeat(70_000) }, {}, ["mark_unreadable"]],
  ["that has expired", {}, { nowMs: Date.parse("2023-01-01") }, ["mark_expired"]],
  ["that ends soon", {}, { nowMs: Date.parse("2022-05-15") }, ["mark_ends_soon"]],
])("mark certificates: %s have their problem", async (_, made, other, expected) => {
  const { mark, root } = await makeMark(made)
  expect(codes(await checkMark(mark, { ...conditions, roots: [root], ...other }))).toEqual(expected)
})

test("mark certificates whose names fit a root, but whose signature does not, are not trusted", async () => {
  const [{ mark }, { root }] = [await makeMark(), await makeMark()]
  expect(codes(await checkMark(mark, { ...conditions, roots: [root] }))).toEqual(["mark_untrusted"])
  const checked = await checkMark(`${mark}\n${root}`, { ...conditions, roots: [root] })
  expect(codes(checked)).toEqual(["mark_untrusted"])
})

test.each(["", "x", "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----"])(
  "mark certificates: %j is none",
  async (pem) => {
    const found = await checkMark(pem, conditions)
    expect(codes(found)).toEqual(["mark_unreadable"])
    expect(found.chain).toEqual([])
  },
)

test.each([
  ["vmc.pem", "cnn.com", "2022-01-01", "VMC", "Cable News Network, Inc."],
  ["cmc.pem", "xometry.com", "2025-06-01", "CMC", "XOMETRY, INC."],
])("mark certificates of an authority are read: %s", async (file, name, now, kind, organization) => {
  const pem = readFileSync(join(import.meta.dir, "../../../test/data/mark-certificates", file), "utf8")
  const found = await checkMark(pem, { ...conditions, domains: [name], logo: null, nowMs: Date.parse(now) })
  expect(codes(found)).toEqual([])
  expect(found.vmc).toMatchObject({ is_valid: true, kind, organization, has_same_logo: null })
  expect(found.chain).toHaveLength(3)
})

test("mark certificates are read from their host, and compared with the logo", async () => {
  const body = readFileSync(join(import.meta.dir, "../../../test/data/mark-certificates/vmc.pem"), "utf8")
  const texts = [{ TXT: `v=BIMI1; l=${logoUrl}; a=${markUrl}` }]
  const answer = await validate({ domain }, { texts, web: { [markUrl]: { body } } })
  expect(answer.problems.map(({ code }): string => code)).toEqual(["mark_domain", "mark_logo"])
  expect(answer).toMatchObject({ is_valid: false, is_svg_valid: true })
  expect(answer.vmc).toMatchObject({ kind: "VMC", has_same_logo: false })
  expect(answer.certificate_chain).toHaveLength(3)
})
