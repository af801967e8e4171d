import { describe, expect, test } from "bun:test"
import { createHash, createSign, generateKeyPairSync, type KeyObject } from "node:crypto"
import fc from "fast-check"
import { sealMessage } from "mailauth/lib/arc"
import { dkimSign } from "mailauth/lib/dkim/sign.js"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { type DnsZone, InputRejected } from "../contract.ts"
import { dmarcvalidator } from "../dmarcvalidator/index.ts"
import { checkSender } from "../spfvalidator/check-sender.ts"
import { signatureReason } from "./reasons.ts"
import { createRun } from "./run.ts"

const run = createRun(checkSender)
const now = "2026-11-23T12:00:00Z"
const ed25519 = generateKeyPairSync("ed25519")
const rsa = generateKeyPairSync("rsa", { modulusLength: 1_024 })

const pem = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }))
const base64Of = (key: KeyObject) => key.export({ type: "spki", format: "der" }).toString("base64")
const keys: DnsZone = {
  "rsa._domainkey.a.test": [{ TXT: `v=DKIM1; k=rsa; p=${base64Of(rsa.publicKey)}` }],
  "ed._domainkey.a.test": [
    {
      TXT: `v=DKIM1; k=ed25519; p=${Buffer.from(base64Of(ed25519.publicKey), "base64").subarray(-32).toString("base64")}`,
    },
  ],
  "rsa._domainkey.list.test": [{ TXT: `v=DKIM1; p=${base64Of(rsa.publicKey)}` }],
}
const zone: DnsZone = {
  ...keys,
  "_dmarc.a.test": [{ TXT: "v=DMARC1; p=quarantine" }],
  "a.test": [{ TXT: "v=spf1 ip4:192.0.2.0/24 -all" }],
}

async function check(
  message: string,
  more: {
    ip?: string
    sender?: string
    helo?: string
    received_at?: string
    dns?: DnsZone
    premium?: boolean
  } = {},
) {
  const { dns = zone, premium = true, ...input } = more
  return run(
    { message, ...input },
    { ports: portsFor({ given: { now, dns } }), giveWay: () => undefined, premium },
  )
}

const plain = "From: Ann <ann@a.test>\r\nSubject: Lunch\r\n\r\nAt noon?\r\n"

async function sign(
  message: string,
  options: {
    selector?: string
    canonicalization?: string
    maxBodyLength?: number
    expires?: Date
    signTime?: Date
  } = {},
) {
  const {
    selector = "rsa",
    canonicalization = "relaxed/relaxed",
    maxBodyLength,
    expires,
    signTime = new Date(now),
  } = options
  const privateKey = pem(selector === "ed" ? ed25519.privateKey : rsa.privateKey)
  const signature = {
    ...{ signingDomain: "a.test", selector, privateKey, canonicalization },
    ...(maxBodyLength !== undefined && { maxBodyLength }),
  }
  const { signatures } = await dkimSign(message, {
    ...{ ...signature, signTime, signatureData: [signature] },
    ...(expires && { expires }),
  })
  return signatures + message
}

/** A signature whose `l=` says this length, over the whole body: as a signer makes it whose count is wrong. */
function signWithLength(bytes: number): string {
  const body = createHash("sha256").update("At noon?\r\n").digest("base64")
  const field = `v=1; a=rsa-sha256; c=relaxed/relaxed; d=a.test; s=rsa; h=from; l=${bytes}; bh=${body}; b=`
  const signed = `from:Ann <ann@a.test>\r\ndkim-signature:${field}`
  const b = createSign("sha256").update(signed).sign(rsa.privateKey, "base64")
  return `DKIM-Signature: ${field}${b}\r\n${plain}`
}

async function refusal(message: string, more: Parameters<typeof check>[1] = {}): Promise<string> {
  try {
    await check(message, more)
  } catch (error) {
    if (error instanceof InputRejected) return `${error.parameter} ${error.requirement}`
    throw error
  }
  throw new Error("the message was read")
}

const codes = ({ problems }: Awaited<ReturnType<typeof check>>) => problems.map(({ code }) => code)
const resultOf = ({ results }: Awaited<ReturnType<typeof check>>, method: string) =>
  results.find((one) => one.method === method)

describe("DKIM", () => {
  test.each(["simple/simple", "relaxed/simple", "simple/relaxed", "relaxed/relaxed"])(
    "%s holds, and does not for another body or header",
    async (canonicalization) => {
      for (const selector of ["rsa", "ed"]) {
        const signed = await sign(plain, { selector, canonicalization })
        const answer = await check(signed)
        expect(answer).toMatchObject({ is_authentic: true, author: "ann@a.test" })
        expect(resultOf(answer, "dkim")).toMatchObject({ result: "pass", domain: "a.test", is_aligned: true })
        expect(answer.signatures[0]).toMatchObject({
          selector,
          canonicalization,
          signed_at: "2026-11-23T12:00:00.000Z",
          key_bits: selector === "rsa" ? 1_024 : null,
        })
        for (const broken of [signed.replace("noon", "nine"), signed.replace("Lunch", "Money")]) {
          const other = await check(broken)
          expect(resultOf(other, "dkim")?.result).toBe("fail")
          expect(other.is_authentic).toBe(false)
          expect(codes(other)).toContain("not_authentic")
        }
      }
    },
  )

  test("white space may change in relaxed form alone", async () => {
    const fold = (message: string) =>
      message.replace("Subject: Lunch", "Subject:  Lunch").replace("At noon?", "At  noon? ")
    expect(resultOf(await check(fold(await sign(plain))), "dkim")?.result).toBe("pass")
    expect(
      resultOf(await check(fold(await sign(plain, { canonicalization: "simple/simple" }))), "dkim")?.result,
    ).toBe("fail")
  })

  test("bytes in base64 and line feeds alone mean the same message", async () => {
    const signed = await sign(plain.replace("At noon?", "At noön?"))
    expect(codes(await check(Buffer.from(signed).toString("base64")))).toEqual(["no_ip"])
    expect(codes(await check(signed.replaceAll("\r\n", "\n")))).toEqual(["line_ends", "no_ip"])
    const cut = await check(signed.slice(0, -2))
    expect(codes(cut)).toEqual(["last_line", "no_ip"])
    expect(cut.is_authentic).toBe(true)
    const latin = await sign(
      Buffer.from(plain.replace("At noon?", "At no\u00f6n?"), "latin1").toString("latin1"),
    )
    expect((await check(Buffer.from(latin, "latin1").toString("base64"))).signatures.length).toBe(1)
    expect(codes(await check(signed.replace("Lunch", "Lu\rnch")))).toContain("lone_returns")
  })

  test("tells what a signature leaves out, when it has expired, and what its key is", async () => {
    const partial = await check(`${await sign(plain, { maxBodyLength: 4 })}More.\r\n`)
    expect(partial).toMatchObject({
      is_authentic: true,
      signatures: [{ result: "pass", unsigned_body_bytes: 13 }],
    })
    expect(codes(partial)).toContain("partial_body")
    const signedBefore = (hours: number) => new Date(Date.parse(now) - hours * 3_600_000)
    const expires = signedBefore(1)
    const expired = await check(await sign(plain, { signTime: signedBefore(2), expires }))
    expect(expired.signatures[0]).toMatchObject({ result: "neutral", valid_until: expires.toISOString() })
    expect(resultOf(expired, "dkim")?.reason).toBe("`x=`: the signature has expired")
    // Saved mail is judged by the time of its receipt.
    const saved = await check(await sign(plain, { signTime: signedBefore(2), expires }), {
      received_at: String(signedBefore(1.5).getTime() / 1_000),
    })
    expect(saved).toMatchObject({ is_authentic: true, signatures: [{ result: "pass" }] })
    const signed = await sign(plain)
    const record = keys["rsa._domainkey.a.test"]?.[0]
    const text =
      record !== undefined && typeof record === "object" && "TXT" in record ? String(record.TXT) : ""
    const withKey = (TXT: string) => check(signed, { dns: { ...zone, "rsa._domainkey.a.test": [{ TXT }] } })
    expect(codes(await withKey(`${text}; t=y`))).toContain("testing")
    for (const [wrong, reason] of [
      ["v=DKIM1; p=", "the key was revoked: its `p=` is empty"],
      [" v = DKIM1 ; p = ", "revoked"],
      ["v=DKIM1; p=AAA=", "cannot be read"],
      // The pair of the public key: the library would verify with it.
      ...(["pkcs8", "pkcs1"] as const).map((type) => {
        const der = rsa.privateKey.export({ type, format: "der" })
        return [
          `v=DKIM1; p=${der.toString("base64")}`,
          "`p=` is the private key, by which anybody can sign",
        ] as const
      }),
      [text.replace("v=DKIM1", "v=DKIM2"), "version of the key"],
      [text.replace("k=rsa", "k=rsa; h=sha1"), "hash algorithm"],
      [text.replace("k=rsa", "k=rsa; s=tlsrpt"), "not for mail"],
      [text.replace("k=rsa", "k=ed25519"), "key"],
    ] as const) {
      const answer = await withKey(wrong)
      expect(answer.is_authentic).toBe(false)
      expect(resultOf(answer, "dkim")?.result).toBe("neutral")
      expect(resultOf(answer, "dkim")?.reason ?? "").toContain(reason)
    }
  })

  test("checks ten signatures of 300", async () => {
    const signature = (await sign(plain)).slice(0, -plain.length)
    const answer = await check(signature.repeat(300) + plain)
    expect(answer.signatures.length).toBe(10)
    expect(answer.results.filter(({ method }) => method === "dkim").length).toBe(10)
    expect(codes(answer)).toContain("signatures_left_out")
    expect(answer.authentication_results.match(/dkim=/g)?.length).toBe(10)
  })
})

describe("SPF and DMARC", () => {
  test("an aligned sender confirms the author, another one does not", async () => {
    const own = await check(plain, { ip: "192.0.2.1", sender: "x@a.test" })
    expect(own.results).toMatchObject([
      { method: "spf", result: "pass", domain: "a.test", is_aligned: true },
      { method: "dkim", result: "none" },
      { method: "arc", result: "none" },
      { method: "dmarc", result: "pass", domain: "a.test" },
    ])
    expect(own.dmarc).toEqual({
      policy: "quarantine",
      record_domain: "a.test",
      organizational_domain: "a.test",
      is_testing: false,
    })
    const dns = { ...zone, "b.test": [{ TXT: "v=spf1 +all" }] } as const
    const other = await check(plain, { ip: "198.51.100.1", sender: "x@b.test", dns })
    expect(other.is_authentic).toBe(false)
    expect(resultOf(other, "spf")).toMatchObject({ result: "pass", is_aligned: false })
    expect(resultOf(await check(plain, { ip: "198.51.100.1", sender: "x@a.test" }), "spf")?.result).toBe(
      "fail",
    )
  })

  test("takes Return-Path for the sender, and HELO for an empty one", async () => {
    const bounce = await check(`Return-Path: <ann@a.test>\r\n${plain}`, { ip: "192.0.2.1" })
    expect(resultOf(bounce, "spf")).toMatchObject({ result: "pass", domain: "a.test" })
    const empty = await check(plain, { ip: "192.0.2.1", sender: "", helo: "a.test" })
    expect(empty.authentication_results).toContain("spf=pass smtp.helo=a.test")
    expect(codes(await check(plain, { ip: "192.0.2.1" }))).toContain("no_sender")
    expect(codes(await check(plain, {}))).toContain("no_ip")
  })

  test("without an author, with two, or without a policy", async () => {
    expect(codes(await check("Subject: a\r\n\r\n"))).toContain("no_author")
    expect(codes(await check(`From: bob@b.test\r\n${plain}`))).toContain("several_authors")
    const none = await check(plain, { dns: keys })
    expect(codes(none)).toEqual(["no_policy", "no_ip"])
    expect(none.dmarc).toBeNull()
  })

  test("a server that does not answer is a temporary result", async () => {
    const dns = {
      ...zone,
      "_dmarc.a.test": ["SERVFAIL"],
      "rsa._domainkey.a.test": ["TIMEOUT"],
      "a.test": ["SERVFAIL"],
    } as const
    const answer = await check(await sign(plain), { ip: "192.0.2.1", sender: "x@a.test", dns })
    expect(answer.results.map(({ result }) => result)).toEqual([
      "temperror",
      "temperror",
      "none",
      "temperror",
    ])
    expect(codes(answer).filter((code) => code === "no_answer").length).toBe(3)
  })
})

/** RFC 9989 §5.3.6: what failed to answer can neither confirm the author nor refute it. */
describe("DMARC without an answer of the DNS", () => {
  const slowKey = { ...zone, "rsa._domainkey.a.test": ["TIMEOUT"] } as const
  const slowSpf = {
    ...zone,
    "a.test": [{ TXT: "v=spf1 include:b.test -all" }],
    "b.test": ["SERVFAIL"],
  } as const
  const from = { ip: "192.0.2.1", sender: "x@a.test" }

  test.each<[string, "pass" | "fail" | "temperror", Parameters<typeof check>[1]]>([
    ["a key of the author's domain", "temperror", { dns: slowKey }],
    ["SPF of the author's domain", "temperror", { ...from, dns: slowSpf }],
    ["a key, but SPF confirms", "pass", { ...from, dns: slowKey }],
    ["SPF, but the key confirms", "pass", { ...from, dns: { ...slowSpf, ...keys } }],
    [
      "SPF of another domain",
      "fail",
      { ip: "192.0.2.1", sender: "x@b.test", dns: { ...slowSpf, ...slowKey, "rsa._domainkey.a.test": [] } },
    ],
    ["the record of DMARC", "temperror", { dns: { ...zone, "_dmarc.a.test": ["SERVFAIL"] } }],
  ])("%s: %s", async (what, result, more) => {
    const answer = await check(what.startsWith("SPF of") ? plain : await sign(plain), more)
    const dmarc = resultOf(answer, "dmarc")
    expect(dmarc?.result).toBe(result)
    expect(answer.is_authentic).toBe(result === "pass")
    expect(codes(answer).includes("undecided")).toBe(result === "temperror")
    expect(codes(answer).includes("not_authentic")).toBe(result === "fail")
    expect(answer.authentication_results).toContain(`dmarc=${result}`)
    if (result === "temperror") {
      expect(dmarc?.reason).toBe("the DNS gave no answer for what could confirm the author")
      expect(answer.authentication_results).not.toContain("policy.dmarc")
    }
  })

  test("strict alignment lets a subdomain fail, whatever its key would be", async () => {
    const dns = {
      ...slowKey,
      "_dmarc.sub.a.test": [{ TXT: "v=DMARC1; p=reject; adkim=s" }],
    } as const
    const answer = await check(await sign(plain.replace("ann@a.test", "ann@sub.a.test")), { dns })
    expect(resultOf(answer, "dmarc")?.result).toBe("fail")
  })
})

/** RFC 6376 §3.5: "This value MUST NOT be larger than the actual number of octets in the canonicalized message body." */
test("a signature over more of the body than there is does not pass", async () => {
  const { length } = "At noon?\r\n"
  for (const [bytes, result] of [
    [length, "pass"],
    [length + 1, "neutral"],
    [99_999_999, "neutral"],
  ] as const) {
    const answer = await check(signWithLength(bytes))
    expect(resultOf(answer, "dkim")?.result).toBe(result)
    expect(answer.is_authentic).toBe(result === "pass")
    if (result !== "pass") expect(resultOf(answer, "dkim")?.reason).toContain("more bytes than the body has")
  }
})

test("DMARC records are read as dmarcvalidator reads them", async () => {
  for (const [TXT, policy] of [
    [" v=DMARC1; p=reject", null],
    ["v=DMARC1; P=Reject", "reject"],
    ["v=DMARC1; p=quarantine; p=none", "quarantine"],
    ["v=DMARC1; p=x; rua=mailto:r@a.test!10m", "none"],
    ["v=DMARC1; p=x; rua=r@a.test", null],
  ] as const) {
    const dns = { ...keys, "_dmarc.a.test": [{ TXT }] }
    const context = { ports: portsFor({ given: { now, dns } }), giveWay: () => undefined, premium: true }
    const { policy: validated } = await dmarcvalidator.run({ domain: "a.test" }, context)
    expect([TXT, (await check(plain, { dns })).dmarc?.policy ?? null, validated]).toEqual([
      TXT,
      policy,
      policy,
    ])
  }
})

test("a field above a signed mail that it has already is named (RFC 6376 §8.15)", async () => {
  const signed = await sign(
    plain.replace("Subject", "To: Bob <bob@b.test>\r\nDate: Mon, 23 Nov 2026 12:00:00 +0000\r\nSubject"),
  )
  expect(codes(await check(signed))).not.toContain("repeated_field")
  for (const name of ["Subject", "subject", "Date", "To"]) {
    const { problems, results } = await check(`${name}: More\r\n${signed}`)
    expect(results.find(({ method }) => method === "dkim")?.result).toBe("pass")
    expect(problems.filter(({ code }) => code === "repeated_field")).toMatchObject([
      { where: name.charAt(0).toUpperCase() + name.slice(1), severity: "warning" },
    ])
  }
  expect(codes(await check(`Received: a\r\nReceived: b\r\n${signed}`))).not.toContain("repeated_field")
})

test("the author in a nested comment, or beside another address, confirms nothing", async () => {
  const forged = async (from: string) => check(await sign(plain.replace("Ann <ann@a.test>", from)))
  for (const from of ["(a (b) <ann@a.test>) Boss <boss@bank.test>", "(\\) ann@a.test) boss@bank.test"]) {
    const answer = await forged(from)
    expect(answer).toMatchObject({ is_authentic: false, author: "boss@bank.test" })
    expect(answer.results.at(-1)?.domain).toBe("bank.test")
  }
  for (const from of ["boss@bank.test\\@a.test", "boss@bank.test (x) ann@a.test"]) {
    const answer = await forged(from)
    expect(answer).toMatchObject({ is_authentic: false, author: null, dmarc: null })
    expect(answer.problems[0]).toMatchObject({ code: "no_author" })
    expect(answer.problems[0]?.message).toContain(from)
  }
})

test("the topmost Return-Path counts, and one that cannot be read is none", async () => {
  const answer = await check(`Return-Path: <x@a.test>\r\nReturn-Path: <x@b.test>\r\n${plain}`, {
    ip: "192.0.2.1",
  })
  expect(resultOf(answer, "spf")).toMatchObject({ result: "pass", domain: "a.test" })
  const forged = await check(`Return-Path: (a (b) <x@a.test>) <y@b.test>\r\n${plain}`, { ip: "192.0.2.1" })
  expect(resultOf(forged, "spf")?.domain).toBe("b.test")
  expect(codes(await check(`Return-Path: x@a.test y@b.test\r\n${plain}`, { ip: "192.0.2.1" }))).toContain(
    "no_sender",
  )
})

/** Some of what the library says of signatures and chains. */
const libraryTexts =
  /did not verify|bad signature|syntax error|missing required|message not signed|DNS failure|invalid (?:public key|as|ams|cv)|inappropriate|unknown (?:key|alg|canon)|expected=|no valid|E[A-Z]{4}/

/** Each text that the library can give as a comment has a sentence of ours. */
test("no text of the library is missing in the table of reasons", async () => {
  const source = await Bun.file(Bun.resolveSync("mailauth/lib/dkim/dkim-verifier.js", import.meta.dir)).text()
  const tools = await Bun.file(Bun.resolveSync("mailauth/lib/tools.js", import.meta.dir)).text()
  const texts = [
    ...source.matchAll(
      /(?:comment = |comment: |skip = |invalid = |keyError = |violation\()['`]([^'`$]+)['`]/g,
    ),
    ...source.matchAll(/'(domain mismatch)'/g),
    ...tools.matchAll(/^ {4}\['E\w+', '([^']+)'\]/gm),
  ].map(([, text = ""]) => text)
  expect(new Set(texts).size).toBeGreaterThan(18)
  for (const comment of texts) {
    const reason = signatureReason({ result: "neutral", comment }, undefined)
    expect([comment, reason]).toEqual([comment, expect.not.stringContaining("cannot be used")])
    expect(reason).not.toBe(comment)
  }
})

describe("ARC", () => {
  const seal = async (message: string, cv: "none" | "pass") =>
    (
      await sealMessage(message, {
        signingDomain: "list.test",
        selector: "rsa",
        privateKey: pem(rsa.privateKey),
        cv,
        signTime: new Date(now),
        authResults: "list.test; dmarc=pass header.from=a.test",
      })
    ).toString() + message

  test("an intact chain passes, a changed one fails", async () => {
    const listed = (await sign(plain)).replace("noon?", "noon?\r\n-- \r\nThe list")
    const twice = await seal(await seal(listed, "none"), "pass")
    const answer = await check(twice)
    expect(resultOf(answer, "arc")).toMatchObject({ result: "pass", domain: "list.test" })
    expect(codes(answer)).toEqual(["not_authentic", "forwarded", "no_ip"])
    expect(answer.arc_chain).toMatchObject([
      { instance: 1, domain: "list.test", chain_result: "none" },
      { instance: 2, chain_result: "pass" },
    ])
    const broken = await check(twice.replace("The list", "A list"))
    expect(resultOf(broken, "arc")?.result).toBe("fail")
    expect(codes(broken)).not.toContain("forwarded")
    expect(resultOf(await check(twice.replace("i=1;", "i=3;")), "arc")?.result).toBe("fail")
  })

  test("each way to break a chain has its reason", async () => {
    const once = await seal(await sign(plain), "none")
    const twice = await seal(once, "pass")
    const key = "rsa._domainkey.list.test"
    const folded = (name: string) => new RegExp(`^${name}:.*\\r\\n(?:[ \\t].*\\r\\n)*`, "m")
    for (const [message, dns, reason] of [
      [
        once.replace("noon", "nine"),
        zone,
        "ARC-Message-Signature: body hash: the body was changed after it was signed",
      ],
      [
        once.replace("Lunch", "Money"),
        zone,
        "ARC-Message-Signature: signature: a signed header field was changed, or the key is not that of the signer",
      ],
      [
        twice.replace("dmarc=pass", "dmarc=fail"),
        zone,
        "the seal of i=2 does not verify: a sealed field was changed",
      ],
      [twice.replaceAll("i=1;", "i=3;"), zone, "`i=`: the sets are not numbered from 1 on without a gap"],
      [
        once.replace(folded("ARC-Authentication-Results"), ""),
        zone,
        "the field arc-authentication-results of i=1 is missing",
      ],
      [once.replace(folded("ARC-Seal"), "$&$&"), zone, "the field arc-seal of i=1 is there several times"],
      [once.replace("cv=none", "cv=pass"), zone, "the first seal must say `cv=none`"],
      [twice.replace("cv=pass", "cv=fail"), zone, "`cv=fail`: a host on the way found the chain broken"],
      [once.replace("cv=none;", ""), zone, "the tag cv of ARC-Seal i=1 is missing or wrong"],
      [once.replaceAll("a=rsa-sha256", "a=rsa-sha1"), zone, "`a=`: an algorithm of the chain is not known"],
      [once, { ...zone, [key]: [] }, `there is no key at the selector: ${key}`],
      [
        once,
        { ...zone, [key]: [{ TXT: "v=DKIM1; p=" }] },
        `the key was revoked: its \`p=\` is empty: ${key}`,
      ],
      [once, { ...zone, [key]: ["SERVFAIL"] }, "the DNS gave no answer for the key"],
    ] as const) {
      const arc = resultOf(await check(message, { dns }), "arc")
      expect([arc?.result, arc?.reason]).toEqual(["fail", reason])
    }
  })

  test("premium fields are not computed for others", async () => {
    const answer = await check(await seal(plain, "none"), { premium: false })
    expect(answer).toMatchObject({ arc_chain: [], canonical_headers: [] })
  })
})

test("refuses what is no message, and says what to change", async () => {
  expect(await refusal("hello")).toMatch(/^message must begin with its header/)
  expect(await refusal(Buffer.from("hello, world").toString("base64"))).toMatch(/^message must begin/)
  expect(await refusal(Buffer.from("\r\nFrom: a@b.test").toString("base64"))).toMatch(/^message must begin/)
  expect((await check("\r\n \nFrom: a@b.test")).author).toBe("a@b.test")
  expect(await refusal(`${plain}${"a".repeat(1_048_577)}`)).toMatch(/^message must have at most 1 MiB/)
  expect(await refusal(`X: ${"a".repeat(270_000)}\r\n\r\n`)).toMatch(/header of at most 256 KiB/)
  expect(await refusal("X: a\r\n".repeat(5_001))).toMatch(/at most 5,000 lines/)
  expect(await refusal(plain, { ip: "192.0.2.1/24" })).toMatch(/^ip must be/)
  for (const sender of [
    "ann",
    "<ann@a.test",
    "ann@a.test\\@b.test",
    "ann@a.test bob@b.test",
    "ann@a.test,bob@b.test",
  ])
    expect(await refusal(plain, { sender })).toMatch(/^sender must be an address/)
  expect(await refusal(plain, { received_at: "yesterday" })).toMatch(/^received_at must be a time/)
})

test("any message gives a result or a refusal", async () => {
  const piece = fc.constantFrom(
    "From: ",
    "a@b.test",
    "\r\n",
    "\n",
    "\r",
    " ",
    ";",
    "=",
    "DKIM-Signature: v=1; ",
    "h=from",
    "d=a.test",
    "s=rsa",
    "b=AA",
    "bh=AA",
    "a=rsa-sha256",
    "ARC-Seal: i=1; cv=none; ",
    "ARC-Message-Signature: i=1; ",
    "ARC-Authentication-Results: i=1; ",
    "(",
    '"',
    "<",
    "é",
    "\u0000",
    ",",
    "@",
    "c=",
    "l=99999999999",
    "x=1",
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.boolean(), async (pieces, isSigned) => {
      const message = `${isSigned ? "From: a@a.test\r\n" : ""}${pieces.join("")}`
      try {
        const answer = await check(message, { ip: "192.0.2.1", sender: pieces.join("").slice(0, 320) })
        expect(answer.results.at(-1)?.method).toBe("dmarc")
        for (const { method, result, reason } of answer.results) {
          if (method === "dkim") expect(reason === null).toBe(result === "pass")
          if (method === "arc") expect(reason === null).toBe(result === "none")
          if (method !== "dmarc") expect(reason ?? "").not.toMatch(libraryTexts)
        }
        // Nothing of the message or the sender adds a line or a result to the field.
        const [first, ...lines] = answer.authentication_results.split("\r\n")
        expect(first).toBe("penknife;")
        for (const line of lines) expect(line).toMatch(/^ (?:spf|dkim|arc|dmarc)=[a-z]+[^\r\n]*$/)
        // Without an author there is no result of DMARC to write.
        expect(lines.length).toBeWithin(answer.results.length - 1, answer.results.length + 1)
      } catch (error) {
        expect(error).toBeInstanceOf(InputRejected)
      }
    }),
    { seed: 20_261_123, numRuns: 300 },
  )
})

test("a record at a top-level name makes one organization of all below it only if it says so", async () => {
  const message = "From: Boss <boss@bank.tld>\r\n\r\nPay.\r\n"
  const passes = async (record: string, ip: string) => {
    const dns = { "_dmarc.tld": [{ TXT: record }], "evil.tld": [{ TXT: "v=spf1 ip4:192.0.2.0/24 -all" }] }
    const answer = await check(message, { ip, sender: "x@evil.tld", dns })
    expect(resultOf(answer, "spf")?.result).toBe("pass")
    return [answer.is_authentic, answer.dmarc?.record_domain, answer.dmarc?.organizational_domain]
  }
  // RFC 9989 §4.10.2 would take it for an organization; a registry that has one, as for a brand, says psd=n.
  expect(await passes("v=DMARC1; p=reject", "192.0.2.1")).toEqual([false, "tld", "bank.tld"])
  expect(await passes("v=DMARC1; p=reject; psd=u", "192.0.2.1")).toEqual([false, "tld", "bank.tld"])
  expect(await passes("v=DMARC1; p=reject; psd=y", "192.0.2.1")).toEqual([false, "tld", "bank.tld"])
  expect(await passes("v=DMARC1; p=reject; psd=n", "192.0.2.1")).toEqual([true, "tld", "tld"])
})

test("a key whose point is not on its curve leaves no error behind for the next HMAC", async () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const der = publicKey.export({ type: "spki", format: "der" })
  der.writeUInt8((der.at(-1) ?? 0) ^ 1, der.length - 1)
  const dns = { ...zone, "rsa._domainkey.a.test": [{ TXT: `v=DKIM1; k=rsa; p=${der.toString("base64")}` }] }
  const answer = await check(await sign(plain), { dns })
  expect(resultOf(answer, "dkim")?.result).toBe("neutral")
  expect(() => new Bun.CryptoHasher("sha256", "secret").update("a").digest("hex")).not.toThrow()
  const hmac = await crypto.subtle.importKey(
    "raw",
    new Uint8Array(32),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  )
  expect((await crypto.subtle.sign("HMAC", hmac, new Uint8Array(1))).byteLength).toBe(32)
})
