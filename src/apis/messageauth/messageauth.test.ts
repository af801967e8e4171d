import { expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import fc from "fast-check"
import {
  check,
  codes,
  keys,
  libraryTexts,
  now,
  plain,
  refusal,
  resultOf,
  rsa,
  run,
  sign,
  signWithLength,
  zone,
} from "../../../test/support/signed-messages.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { InputRejected } from "../contract.ts"

test.each(["simple/simple", "relaxed/simple", "simple/relaxed", "relaxed/relaxed"])(
  "DKIM: %s holds, and does not for another body or header",
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
        expect([resultOf(other, "dkim")?.result, other.is_authentic]).toEqual(["fail", false])
        expect(codes(other)).toContain("not_authentic")
      }
    }
  },
)

test("DKIM: white space may change in relaxed form alone", async () => {
  const fold = (message: string) =>
    message.replace("Subject: Lunch", "Subject:  Lunch").replace("At noon?", "At  noon? ")
  expect(resultOf(await check(fold(await sign(plain))), "dkim")?.result).toBe("pass")
  expect(
    resultOf(await check(fold(await sign(plain, { canonicalization: "simple/simple" }))), "dkim")?.result,
  ).toBe("fail")
})

test("DKIM: a million blanks before a message are read in linear time", async () =>
  expect((await check("\r\n".repeat(500_000) + (await sign(plain)))).is_authentic).toBe(true))

test("DKIM: other work may run after each answer of the DNS", async () => {
  let pauses = 0
  const giveWay = async () => void pauses++
  const message = await sign(plain)
  await run({ message }, { ports: portsFor({ given: { now, dns: zone } }), giveWay, premium: true })
  // The key, and the policies of the domain and the one above it.
  expect(pauses).toBe(3)
})

test("DKIM: bytes in base64 and line feeds alone mean the same message", async () => {
  const signed = await sign(plain.replace("At noon?", "At noön?"))
  expect(codes(await check(Buffer.from(signed).toString("base64")))).toEqual(["no_ip"])
  expect(codes(await check(signed.replaceAll("\r\n", "\n")))).toEqual(["line_ends", "no_ip"])
  const cut = await check(signed.slice(0, -2))
  expect(codes(cut)).toEqual(["last_line", "no_ip"])
  expect(cut.is_authentic).toBe(true)
  const accented = Buffer.from(plain.replace("At noon?", "At no\u00f6n?"), "latin1")
  const latin = await sign(accented.toString("latin1"))
  expect((await check(Buffer.from(latin, "latin1").toString("base64"))).signatures.length).toBe(1)
  expect(codes(await check(signed.replace("Lunch", "Lu\rnch")))).toContain("lone_returns")
})

test("DKIM tells what a signature leaves out, when it has expired, and what its key is", async () => {
  const partial = await check(`${await sign(plain, { maxBodyLength: 4 })}More.\r\n`)
  expect(partial).toMatchObject({ is_authentic: true })
  expect(partial.signatures).toMatchObject([{ result: "pass", unsigned_body_bytes: 13 }])
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
  const text = record !== undefined && typeof record === "object" && "TXT" in record ? String(record.TXT) : ""
  const withKey = (TXT: string) => check(signed, { dns: { ...zone, "rsa._domainkey.a.test": [{ TXT }] } })
  expect(codes(await withKey(`${text}; t=y`))).toContain("testing")
  for (const [wrong, reason] of [
    ["v=DKIM1; p=", "the key was revoked: its `p=` is empty"],
    [" v = DKIM1 ; p = ", "revoked"],
    ["v=DKIM1; p=AAA=", "cannot be read"],
    // The pair of the public key: the library would verify with it.
    ...(["pkcs8", "pkcs1"] as const).map((type) => {
      const der = rsa.privateKey.export({ type, format: "der" })
      const said = "`p=` is the private key, by which anybody can sign"
      return [`v=DKIM1; p=${der.toString("base64")}`, said] as const
    }),
    [text.replace("v=DKIM1", "v=DKIM2"), "version of the key"],
    [text.replace("k=rsa", "k=rsa; h=sha1"), "hash algorithm"],
    [text.replace("k=rsa", "k=rsa; s=tlsrpt"), "not for mail"],
    [text.replace("k=rsa", "k=ed25519"), "key"],
  ] as const) {
    const answer = await withKey(wrong)
    expect([answer.is_authentic, resultOf(answer, "dkim")?.result]).toEqual([false, "neutral"])
    expect(resultOf(answer, "dkim")?.reason ?? "").toContain(reason)
  }
})

test("DKIM checks ten signatures of 300", async () => {
  const answer = await check((await sign(plain)).slice(0, -plain.length).repeat(300) + plain)
  expect(answer.signatures.length).toBe(10)
  expect(answer.results.filter(({ method }) => method === "dkim").length).toBe(10)
  expect(codes(answer)).toContain("signatures_left_out")
  expect(answer.authentication_results.match(/dkim=/g)?.length).toBe(10)
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

test("refuses what is no message, and says what to change", async () => {
  expect(await refusal("hello")).toMatch(/^message must begin with its header/)
  expect(await refusal(Buffer.from("hello, world").toString("base64"))).toMatch(/^message must begin/)
  expect(await refusal(Buffer.from("\r\nFrom: a@b.test").toString("base64"))).toMatch(/^message must begin/)
  expect((await check("\r\n \nFrom: a@b.test")).author).toBe("a@b.test")
  expect(await refusal(`${plain}${"a".repeat(1_048_577)}`)).toMatch(/^message must have at most 1 MiB/)
  expect(await refusal(`X: ${"a".repeat(270_000)}\r\n\r\n`)).toMatch(/header of at most 256 KiB/)
  expect(await refusal("X: a\r\n".repeat(5_001))).toMatch(/at most 5,000 lines/)
  expect(await refusal(plain, { ip: "192.0.2.1/24" })).toMatch(/^ip must be/)
  const several = ["ann@a.test bob@b.test", "ann@a.test,bob@b.test"]
  for (const sender of ["ann", "<ann@a.test", "ann@a.test\\@b.test", ...several])
    expect(await refusal(plain, { sender })).toMatch(/^sender must be an address/)
  expect(await refusal(plain, { received_at: "yesterday" })).toMatch(/^received_at must be a time/)
})

test("any message gives a result or a refusal", async () => {
  const piece = fc.constantFrom(
    ...'From: |a@b.test|\r\n|\n|\r| |;|=|h=from|d=a.test|s=rsa|b=AA|bh=AA|a=rsa-sha256|(|"|<|é|\0|,|@|c=|x=1'.split(
      "|",
    ),
    ...["DKIM-Signature: v=1; ", "ARC-Seal: i=1; cv=none; ", "ARC-Message-Signature: i=1; "],
    ...["ARC-Authentication-Results: i=1; ", "l=99999999999"],
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

test("a key whose point is not on its curve leaves no error behind for the next HMAC", async () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const der = publicKey.export({ type: "spki", format: "der" })
  der.writeUInt8((der.at(-1) ?? 0) ^ 1, der.length - 1)
  const dns = { ...zone, "rsa._domainkey.a.test": [{ TXT: `v=DKIM1; k=rsa; p=${der.toString("base64")}` }] }
  const answer = await check(await sign(plain), { dns })
  expect(resultOf(answer, "dkim")?.result).toBe("neutral")
  expect(() => new Bun.CryptoHasher("sha256", "secret").update("a").digest("hex")).not.toThrow()
  const [key, algorithm] = [new Uint8Array(32), { name: "HMAC", hash: "SHA-256" }]
  const hmac = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"])
  expect((await crypto.subtle.sign("HMAC", hmac, new Uint8Array(1))).byteLength).toBe(32)
})
