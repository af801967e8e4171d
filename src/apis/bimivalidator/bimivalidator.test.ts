import { describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import "reflect-metadata"
import * as x509 from "@peculiar/x509"
import fc from "fast-check"
import { leastProcessorMs } from "../../../test/support/processor-time.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { WebFixture, ZoneEntry } from "../contract.ts"
import { readRecord } from "../mail/bimi-record.ts"
import { checkMark } from "../mail/mark-certificate.ts"
import { checkSvg } from "../mail/svg-check.ts"
import { elements } from "../mail/svg-profile.ts"
import { isRecordOf } from "../mail/text-records.ts"
import { bimivalidator } from "./index.ts"

const logoUrl = "https://a.example/logo.svg"
const markUrl = "https://a.example/mark.pem"
const logo = `<svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"><title>A</title></svg>`
const reject = [{ TXT: "v=DMARC1; p=reject" }]

interface Conditions {
  readonly texts?: readonly ZoneEntry[]
  readonly dmarc?: readonly ZoneEntry[]
  readonly web?: WebFixture
  readonly more?: Readonly<Record<string, readonly ZoneEntry[]>>
}

async function validate(
  input: { readonly domain?: string; readonly selector?: string; readonly svg?: string },
  { texts = [{ TXT: `v=BIMI1; l=${logoUrl}; a=` }], dmarc = reject, web, more = {} }: Conditions = {},
) {
  const dns = { "default._bimi.a.example": texts, "_dmarc.a.example": dmarc, ...more }
  const given = {
    now: "2022-01-01T00:00:00Z",
    dns,
    web: { [logoUrl]: { type: "image/svg+xml", body: logo }, ...web },
  }
  return bimivalidator.run(input, { ports: portsFor({ given }), giveWay: () => undefined, premium: true })
}
const domain = "a.example"
const codesOf = async (conditions: Conditions) =>
  (await validate({ domain }, conditions)).problems.map(({ code }): string => code)
const withRecord = (TXT: string) => codesOf({ texts: [{ TXT }] })
const unmarked = "no_mark_certificate"

describe("records", () => {
  test.each([
    [`v=BIMI1; l=${logoUrl}; a=`, [unmarked]],
    [`v=BIMI1;l=${logoUrl};`, [unmarked]],
    [`V = bimi1 ;\tL = ${logoUrl}`, [unmarked]],
    ["v=BIMI1; l=; a=;", ["declined"]],
    ["v=BIMI1; l=", ["declined"]],
    ["v=BIMI1", ["location", unmarked]],
    ["v=BIMI1; a=", ["location", unmarked]],
    [`v=BIMI1; l=http://a.example/x`, ["location", unmarked]],
    [`v=BIMI1; l=https://`, ["location", unmarked]],
    [`v=BIMI1; l=${logoUrl}; a=ftp://a.example/`, ["authority"]],
    [`v=BIMI1; l=${logoUrl}; l=${logoUrl}`, ["repeated_tag", unmarked]],
    [`v=BIMI1; l=${logoUrl};; a=`, ["syntax", unmarked]],
    [`v=BIMI1; l=${logoUrl}; x`, ["syntax", unmarked]],
    [`v=BIMI1; l=${logoUrl}; zz=1`, ["unknown_tag", unmarked]],
    [`v=BIMI1; l=${logoUrl}; avp=brand`, [unmarked]],
    [`v=BIMI1; l=${logoUrl}; avp=logo`, ["tag_value", unmarked]],
    ["v=BIMI2; l=", ["not_a_record", "no_record"]],
    ["x", ["no_record"]],
  ])("%s has %j", async (record, codes) => {
    expect(await withRecord(record)).toEqual(codes)
  })

  test("may be several, which is none", async () => {
    const TXT = `v=BIMI1; l=${logoUrl}`
    expect(await codesOf({ texts: [{ TXT }, { TXT }] })).toEqual(["multiple_records"])
  })

  test("of the organizational domain count for a name below it, by the same selector", async () => {
    const answer = await validate({ domain: "mail.a.example" })
    expect(answer.problems.map(({ code }): string => code)).toEqual(["organizational_domain", unmarked])
    expect(answer.record_name).toBe("default._bimi.a.example")
    expect((await validate({ domain: "mail.a.example", selector: "other" })).record).toBeNull()
  })

  test.each<[readonly ZoneEntry[], string[]]>([
    [reject, []],
    [[{ TXT: "v=DMARC1; p=quarantine" }], []],
    [[{ TXT: "v=DMARC1; p=none" }], ["dmarc"]],
    [[{ TXT: "v=DMARC1; p=reject; sp=none" }], ["dmarc"]],
    [[], ["dmarc"]],
  ])("with the policy %j have %j", async (dmarc, codes) => {
    expect(await codesOf({ dmarc })).toEqual([unmarked, ...codes])
  })

  test("that the DNS does not give refuse the call", async () => {
    await expect(validate({ domain }, { texts: ["TIMEOUT"] })).rejects.toThrow(
      "no answer for default._bimi.a.example",
    )
    await expect(validate({ domain }, { dmarc: ["SERVFAIL"] })).rejects.toThrow(
      "no answer for _dmarc.a.example",
    )
  })

  test("of any text are read without an error only if they follow the grammar of tag lists", () => {
    const piece = fc.oneof(
      fc.constantFrom(";", " ", "=", "l=", "a=", logoUrl, "avp=brand", "lps=x", "x1", "\t"),
      fc.string({ maxLength: 3 }),
    )
    let without = 0
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const record = `v=BIMI1; l=${logoUrl};${pieces.join("")}`
        expect(isRecordOf("bimi", record)).toBe(true)
        const { problems } = readRecord(record)
        if (problems.some(({ severity }) => severity === "error")) return
        without++
        expect(record).toMatch(
          /^v=BIMI1;(?:[ \t]*[A-Za-z]\w*[ \t]*=[^;]*;)*(?:[ \t]*[A-Za-z]\w*[ \t]*=[^;]*|[ \t]*)$/,
        )
      }),
      { numRuns: 4_000, seed: 20_26 },
    )
    expect(without).toBeGreaterThan(300)
  })
})

describe("documents", () => {
  test.each([
    [{ status: 302 }, "document_redirect"],
    [{ status: 404 }, "document_status"],
    [{ failure: "timeout" as const }, "document_timeout"],
    [{ failure: "private-address" as const }, "document_private_address"],
    [{ failure: "url" as const }, "document_unreachable"],
    [{ failure: "wrong-certificate" as const }, "document_certificate"],
    [{ failure: "too-large" as const }, "document_too_large"],
  ])("answered %j give no logo", async (reply, code) => {
    const answer = await validate({ domain }, { web: { [logoUrl]: reply } })
    expect(answer.problems.map((one): string => one.code)).toEqual([unmarked, code])
    expect(answer).toMatchObject({ is_valid: false, is_svg_valid: null })
  })

  test("of another type are told, and none is asked for a logo that is given", async () => {
    expect(await codesOf({ web: { [logoUrl]: { body: logo } } })).toEqual([unmarked, "document_type"])
    const given = await validate({ domain, svg: logo }, { web: { [logoUrl]: { failure: "timeout" } } })
    expect(given).toMatchObject({ is_valid: true, is_svg_valid: true, svg_title: "A" })
    await expect(validate({ domain }, { web: { [logoUrl]: { failure: "off" } } })).rejects.toThrow(
      "The 'svg' parameter must be given, since this service sends no HTTPS requests.",
    )
  })

  test("may be compressed, up to 65,536 bytes", async () => {
    const reply = (text: string) => ({
      get: async () => ({
        ...({ kind: "reply", status: 200, contentType: "image/svg+xml", certificates: [] } as const),
        body: new Uint8Array(Bun.gzipSync(text)),
      }),
    })
    const dns = { "default._bimi.a.example": [{ TXT: `v=BIMI1; l=${logoUrl}` }], "_dmarc.a.example": reject }
    const run = (text: string) => {
      const ports = { ...portsFor({ given: { dns } }), web: reply(text) }
      return bimivalidator.run({ domain }, { ports, giveWay: () => undefined, premium: true })
    }
    expect(await run(logo)).toMatchObject({ is_valid: true, is_svg_valid: true })
    const bomb = await run(" ".repeat(20_000_000))
    expect(bomb.problems.map(({ code }): string => code)).toEqual([unmarked, "document_too_large"])
  })
})

const svgCodes = async (text: string) => (await checkSvg(text)).problems.map(({ code }): string => code)
const inside = (text: string) => logo.replace("</svg>", `${text}</svg>`)

describe("logos", () => {
  test.each([
    [logo, []],
    [inside("<script/>"), ["svg_script"]],
    [inside('<x:script xmlns:x="http://www.w3.org/2000/svg"/>'), ["svg_script"]],
    [inside("<animate/>"), ["svg_script"]],
    [inside("<foreignObject/>"), ["svg_script"]],
    [logo.replace("<svg", '<svg onload="x()"'), ["svg_script"]],
    [inside('<path d="M0 0" fill="url(https://b.example/x)"/>'), ["svg_reference"]],
    [inside('<path d="M0 0" fill="url(#x)"/>'), []],
    [inside('<use href="#x"/>'), []],
    [inside('<use href="b.svg#x"/>'), ["svg_reference"]],
    [inside('<use href="javascript:x()"/>'), ["svg_script"]],
    [`<?xml version="1.0" encoding="UTF-8"?>${logo}`, []],
    [`<?xml-stylesheet href="https://b.example/x.css"?>${logo}`, ["svg_reference"]],
    [inside("<style>a{}</style>"), ["svg_element"]],
    [inside("<image/>"), ["svg_element"]],
    [inside("<a/>"), ["svg_element"]],
    [inside("<g><title>x</title></g>"), ["svg_element"]],
    [inside("<stop/>"), ["svg_element"]],
    [inside("text"), ["svg_element"]],
    [inside("<![CDATA[text]]>"), ["svg_element"]],
    [inside('<path style="x"/>'), ["svg_attribute"]],
    [inside('<path x="1"/>'), ["svg_attribute"]],
    [inside('<path fill-rule="x"/>'), ["svg_value"]],
    [logo.replace("1.2", "1.1"), ["svg_value"]],
    [logo.replace("<svg", '<svg preserveAspectRatio="xMidYMid meet"'), []],
    [logo.replace("<svg", '<svg preserveAspectRatio="xMinYMin slice"'), ["svg_value"]],
    [logo.replace("tiny-ps", "tiny"), ["svg_value"]],
    [logo.replace(' version="1.2"', ""), ["svg_root"]],
    [logo.replace(' baseProfile="tiny-ps"', ""), ["svg_root"]],
    [logo.replace("http://www.w3.org/2000/svg", "x"), ["svg_root", "svg_element"]],
    ["<x/>", ["svg_root", "svg_title"]],
    [logo.replace("<title>A</title>", ""), ["svg_title"]],
    [logo.replace(">A<", "> <"), ["svg_title"]],
    [inside("<title>B</title>"), ["svg_title"]],
    [logo.replace("<title>A</title>", "<desc>x</desc><title>A</title>"), ["svg_title"]],
    [logo.replace("0 0 9 9", "0 0 9 8"), ["svg_view_box"]],
    [logo.replace(' viewBox="0 0 9 9"', ""), ["svg_view_box"]],
    [logo.replace("<svg", '<svg width="100%"'), ["svg_relative_size"]],
    [inside(`<!--${"x".repeat(33_000)}-->`), ["svg_size"]],
    [`<!DOCTYPE svg>${logo}`, ["svg_doctype"]],
    [`<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>${inside("&a;")}`, ["svg_doctype"]],
    [logo.replace(">A<", ">&a;<"), ["svg_xml"]],
    [logo.slice(0, -3), ["svg_xml"]],
    [`${logo}<svg/>`, ["svg_xml"]],
    ["not XML", ["svg_xml"]],
    ["\u0000", ["svg_xml"]],
  ])("%s has %j", async (text, codes) => {
    expect(await svgCodes(text)).toEqual(codes)
  })

  test("that expand, nest or repeat are read within 100 ms, with 51 problems at most", async () => {
    const entities = Array.from(
      { length: 9 },
      (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`,
    ).join("")
    const fill = (part: string) => part.repeat(Math.floor(65_000 / part.length))
    for (const text of [
      `<!DOCTYPE svg [<!ENTITY a0 "x">${entities}]><svg>&a9;</svg>`,
      inside(fill("<g>")),
      inside(fill("<x/>")),
      inside(fill("<script/>")),
      inside(fill('<path onx="" on="" y=""/>')),
      logo.replace("<svg", `<svg ${Array.from({ length: 5_000 }, (_, n) => `a${n}=""`).join(" ")}`),
      inside(`<path fill="${fill("url(")}"/>`),
      inside(`<path fill="url(${fill(" ")}"/>`),
      fill("<"),
      fill("&#x61;"),
      fill("]]>"),
    ]) {
      let problems: readonly unknown[] = []
      const ms = await leastProcessorMs(async () => {
        problems = (await validate({ svg: text })).problems
      })
      expect(ms).toBeLessThan(100)
      expect(problems.length).toBeGreaterThan(0)
      expect(problems.length).toBeLessThanOrEqual(51)
    }
  })

  test("of any elements of the profile have no error if each is where it may be", async () => {
    const tree: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(...["path", "rect", "circle", "line", "ellipse", "use"]).map((name) => `<${name}/>`),
        fc.array(tie("node"), { maxLength: 3 }).map((all) => `<g>${all.join("")}</g>`),
        fc.array(tie("node"), { maxLength: 2 }).map((all) => `<defs>${all.join("")}</defs>`),
        fc.constant('<linearGradient id="a"><stop offset="0"/></linearGradient>'),
        fc.constant("<text>ä</text>"),
      ),
    })).node
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { maxLength: 4 }), async (all) => {
        expect(await svgCodes(inside(all.join("")))).toEqual([])
      }),
      { numRuns: 300, seed: 12 },
    )
    expect(elements.size).toBe(20)
  })
})

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

describe("mark certificates", () => {
  const conditions = {
    url: markUrl,
    domains: ["a.example"],
    logo: Buffer.from(logo),
    nowMs: Date.parse("2022-01-01"),
  }
  const codes = (found: Awaited<ReturnType<typeof checkMark>>) =>
    found.problems.map(({ code }): string => code)

  test("that fit have no problem", async () => {
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
  ])("%s have their problem", async (_, made, other, expected) => {
    const { mark, root } = await makeMark(made)
    expect(codes(await checkMark(mark, { ...conditions, roots: [root], ...other }))).toEqual(expected)
  })

  test("whose names fit a root, but whose signature does not, are not trusted", async () => {
    const [{ mark }, { root }] = [await makeMark(), await makeMark()]
    expect(codes(await checkMark(mark, { ...conditions, roots: [root] }))).toEqual(["mark_untrusted"])
    expect(codes(await checkMark(`${mark}\n${root}`, { ...conditions, roots: [root] }))).toEqual([
      "mark_untrusted",
    ])
  })

  test.each(["", "x", "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----"])(
    "%j is none",
    async (pem) => {
      const found = await checkMark(pem, conditions)
      expect(codes(found)).toEqual(["mark_unreadable"])
      expect(found.chain).toEqual([])
    },
  )

  test.each([
    ["vmc.pem", "cnn.com", "2022-01-01", "VMC", "Cable News Network, Inc."],
    ["cmc.pem", "xometry.com", "2025-06-01", "CMC", "XOMETRY, INC."],
  ])("of an authority are read: %s", async (file, name, now, kind, organization) => {
    const pem = readFileSync(join(import.meta.dir, "../../../test/data/mark-certificates", file), "utf8")
    const found = await checkMark(pem, { ...conditions, domains: [name], logo: null, nowMs: Date.parse(now) })
    expect(codes(found)).toEqual([])
    expect(found.vmc).toMatchObject({ is_valid: true, kind, organization, has_same_logo: null })
    expect(found.chain).toHaveLength(3)
  })

  test("are read from their host, and compared with the logo", async () => {
    const body = readFileSync(join(import.meta.dir, "../../../test/data/mark-certificates/vmc.pem"), "utf8")
    const texts = [{ TXT: `v=BIMI1; l=${logoUrl}; a=${markUrl}` }]
    const answer = await validate({ domain }, { texts, web: { [markUrl]: { body } } })
    expect(answer.problems.map(({ code }): string => code)).toEqual(["mark_domain", "mark_logo"])
    expect(answer).toMatchObject({
      is_valid: false,
      is_svg_valid: true,
      vmc: { kind: "VMC", has_same_logo: false },
    })
    expect(answer.certificate_chain).toHaveLength(3)
  })
})

describe("the domain", () => {
  test("may be an internationalized name in both forms", async () => {
    for (const name of ["bücher.example", "xn--bcher-kva.example"])
      expect(await validate({ domain: name })).toMatchObject({ domain: "xn--bcher-kva.example" })
  })

  test.each([
    [{}, "must be given, or 'svg'"],
    [{ domain: "a" }, "must be a full domain name"],
    [{ domain: `${"a.".repeat(120)}example` }, "must be at most 239 bytes long"],
  ])("%j is refused", (input, message) =>
    expect(validate(input)).rejects.toThrow(new RegExp(`^The 'domain' parameter .*${message}`)),
  )
})
