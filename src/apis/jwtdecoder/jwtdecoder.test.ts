import { afterAll, describe, expect, test } from "bun:test"
import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import fc from "fast-check"
import { decode, encode, hs256, now, type Options, secret, token } from "../../../test/support/tokens.ts"
import { InputRejected, secretsOf } from "../contract.ts"
import { jwtdecoder } from "./index.ts"
import { supportedAlgorithms } from "./verify.ts"

// RFC 7797 §4 and 4.2, with the key of RFC 7515 A.1.
const key = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
const plain =
  "eyJhbGciOiJIUzI1NiIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19..A5dxf2s96_n5FLueVuW1Z_vh161FwXZC4YLPff6dmDY"
const encoded = "eyJhbGciOiJIUzI1NiJ9..5mvfOroL-g7HyqJoozehmsaqmvTYGEq5jTI1gVvoEoQ"

test.each([plain, encoded])("a payload beside its token: %s", async (text) => {
  const options = { key_encoding: "base64", payload: "$.02" } as const
  expect(await decode(text, key, options)).toMatchObject({
    codes: [],
    payload_text: "$.02",
    verification: { is_verified: true },
  })
  expect(await decode(text, key, { ...options, payload: "$.03" })).toMatchObject({
    is_valid: false,
    codes: ["signature"],
    verification: { reason: "signature_differs" },
  })
  expect((await decode(text)).codes).toEqual(["detached"])
})

test("a payload beside its token: a token with a payload takes no other", () =>
  expect(decode(token(hs256), undefined, { payload: "x" })).rejects.toThrow(
    "The 'payload' parameter must be left out",
  ))

test("a payload beside its token: a payload of a token that is not encoded", async () => {
  const text = `${encode('{"alg":"HS256","b64":false,"crit":["b64"]}')}.{"exp":${now + 1}}`
  const signature = createHmac("sha256", secret).update(text).digest("base64url")
  expect(await decode(`${text}.${signature}`, secret)).toMatchObject({
    codes: [],
    claims: { exp: now + 1 },
    verification: { is_verified: true },
  })
})

test("a secret in base64 or hexadecimal digits", async () => {
  const text = token(hs256)
  const check = async (key: string, key_encoding: "hex" | "base64") =>
    (await decode(text, key, { key_encoding })).verification?.is_verified
  expect(await check(Buffer.from(secret).toString("base64"), "base64")).toBe(true)
  expect(await check(` ${encode(secret)}\n`, "base64")).toBe(true)
  expect(await check(Buffer.from(secret).toString("hex"), "hex")).toBe(true)
  expect(await check(JSON.stringify({ kty: "oct", k: encode(secret) }), "hex")).toBe(true)
  const wrong = decode(text, "???", { key_encoding: "base64" })
  expect(wrong).rejects.toThrow("The 'key' parameter must be base64")
  expect(decode(text, "abc", { key_encoding: "hex" })).rejects.toThrow(
    "The 'key' parameter must have pairs of hexadecimal digits",
  )
})

test.each<[string, object | string, string[]]>([
  ["none", { alg: "none" }, ["unsecured"]],
  ["none in other letters", { alg: "nOnE" }, ["unsecured"]],
  ["no algorithm", { typ: "JWT" }, ["algorithm"]],
  ["a number for it", { alg: 1 }, ["algorithm"]],
  ["an unknown one", { alg: "HS1" }, ["unknown_algorithm"]],
  ["critical", { ...hs256, crit: ["exp"] }, ["critical"]],
  ["b64 without crit", { ...hs256, b64: false }, ["critical"]],
  ["crit without b64", { ...hs256, crit: ["b64"] }, ["critical"]],
  ["crit with b64 and another", { ...hs256, crit: ["b64", "exp"], b64: true }, ["critical"]],
  ["crit that names nothing", { ...hs256, crit: [] }, ["critical"]],
  ["b64 that is true", { ...hs256, crit: ["b64"], b64: true }, []],
  ["remote keys", { ...hs256, jku: "https://x.example", x5u: 1 }, ["remote_key", "remote_key"]],
  ["its own keys", { ...hs256, jwk: {}, x5c: [] }, ["embedded_key", "embedded_key"]],
  ["a name twice", '{"alg":"HS256","alg":"none"}', ["unsecured", "duplicate"]],
  ["a name twice, once escaped", '{"alg":"none","\\u0061lg":"HS256"}', ["duplicate"]],
  ["a name twice, but not in one object", '{"alg":"HS256","x":{"alg":1}}', []],
])("what is dangerous in a header: %s", async (_name, header, codes) =>
  expect((await decode(token(header))).codes).toEqual(codes),
)

test("what is dangerous in a header: a claim that occurs twice", async () =>
  expect((await decode(token(hs256, '{"exp":1900000000,"sub":"a","sub":"b"}'))).codes).toEqual(["duplicate"]))

test("what is dangerous in a header: an empty signature", async () =>
  expect((await decode(token(hs256).replace(/[^.]*$/, ""), secret)).codes).toEqual([
    "no_signature",
    "signature",
  ]))

test("what is dangerous in a header: an encrypted token is not read, however many rounds it asks for", async () => {
  const header = { alg: "PBES2-HS256+A128KW", enc: "A128GCM", p2c: 2_000_000_000, p2s: "AAAA" }
  const answer = await decode(`${encode(JSON.stringify(header))}.AAAA.AAAA.AAAA.AAAA`, secret)
  expect(answer).toMatchObject({
    kind: "jwe",
    is_valid: false,
    codes: ["many_rounds", "encrypted", "signature_not_checked"],
    claims: null,
    payload_text: null,
    verification: { is_verified: false, reason: "encrypted" },
  })
})

describe("signatures", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString()

  test.each<[string, string, string, object]>([
    ["a shared secret", token(hs256), secret, { is_verified: true, is_weak_key: false }],
    ["another secret", token(hs256), `${secret}.`, { is_verified: false, reason: "signature_differs" }],
    ["a short secret", token(hs256, {}, "secret"), "secret", { is_verified: true, is_weak_key: true }],
    ["a public key as a secret", token(hs256, {}, pem), pem, { is_verified: false, reason: "no_key_fits" }],
    [
      "its own key",
      token({ ...hs256, jwk: { kty: "oct", k: encode(secret) } }),
      pem,
      { is_verified: false, reason: "no_key_fits" },
    ],
    ["none", token({ alg: "none" }), secret, { is_verified: false, reason: "unsecured" }],
    ["an extension", token({ ...hs256, crit: ["exp"] }), secret, { is_verified: false, reason: "critical" }],
    ["an unknown algorithm", token({ alg: "HS255" }), secret, { reason: "algorithm_not_supported" }],
    ["a method of objects", token({ alg: "constructor" }), secret, { reason: "algorithm_not_supported" }],
  ])("%s", async (_name, text, key, verification) =>
    expect(await decode(text, key)).toMatchObject({ verification }),
  )

  // With a key, a caller reads is_valid as "signed with this key".
  test("with a key, no token is valid whose signature was not found to fit", async () => {
    const others = ["HS1", "hs256", "RS1", "ES256K", "none", "None", "HS256 ", "constructor", ""]
    const algorithms = [...supportedAlgorithms, ...others]
    const anyToken = fc
      .record({
        ...{
          alg: fc.oneof(
            fc.constant("HS256"),
            fc.constantFrom<unknown>(...algorithms, null, ["HS256"], 5),
            fc.string(),
          ),
        },
        ...{ parts: fc.constantFrom(3, 5), isSigned: fc.boolean(), premium: fc.boolean() },
        key: fc.constantFrom(secret, `${secret}.`, pem, Buffer.from(pem).toString("base64")),
      })
      .map(({ alg, parts, isSigned, ...rest }) => {
        const signed = token({ alg }, { exp: now + 60 }, isSigned ? secret : pem)
        const encrypted = `${encode(JSON.stringify({ alg }))}.AAAA.AAAA.AAAA.AAAA`
        return { ...rest, text: parts === 3 ? signed : encrypted }
      })
    let valid = 0
    await fc.assert(
      fc.asyncProperty(anyToken, async ({ text, key, premium }) => {
        const key_encoding = key.endsWith("=") || /^[A-Za-z0-9+/]+$/.test(key) ? "base64" : "text"
        const answer = await decode(text, key, { premium, key_encoding })
        if (answer.is_valid) valid++
        expect(answer.is_valid && !(answer.verification?.is_verified && key === secret)).toBe(false)
        if (!premium) expect(answer.codes).toContain("signature_not_checked")
      }),
      { numRuns: 500 },
    )
    expect(valid).toBeGreaterThan(0)
  })

  test.each<[string, string, Options, string]>([
    ["an unknown algorithm", token({ alg: "HS1" }), {}, "this API cannot check its algorithm"],
    ["a known one in small letters", token({ alg: "hs256" }), {}, "this API cannot check its algorithm"],
    ["a plan without premium fields", token(hs256), { premium: false }, "it is checked for plans with"],
  ])("%s with a key: not checked, and so not valid", async (_name, text, options, why) => {
    const { is_valid, problems } = await decode(text, secret, options)
    expect(is_valid).toBe(false)
    expect(problems.at(-1)).toMatchObject({ code: "signature_not_checked", severity: "error" })
    expect(problems.at(-1)?.message).toContain(why)
    expect((await decode(text, undefined, options)).is_valid).toBe(true)
  })

  test("a public key in PEM that is written as base64 or hex is a public key too", async () => {
    for (const key_encoding of ["base64", "hex"] as const) {
      const key = Buffer.from(pem).toString(key_encoding)
      const forged = await decode(token(hs256, { exp: now + 60 }, pem), key, { key_encoding })
      expect(forged).toMatchObject({ is_valid: false, verification: { reason: "no_key_fits" } })
      const unsigned = token({ alg: "ES256" }).replace(/[^.]*$/, "")
      const text =
        unsigned +
        sign("sha256", Buffer.from(unsigned.slice(0, -1)), {
          key: privateKey,
          dsaEncoding: "ieee-p1363",
        }).toString("base64url")
      expect(await decode(text, key, { key_encoding })).toMatchObject({ is_valid: true })
    }
  })

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const pairs = [generateKeyPairSync("ec", { namedCurve: "P-256" }), rsa]
  const forms = pairs.flatMap(({ publicKey }): [string, string | Buffer][] => {
    const kind = publicKey.asymmetricKeyType
    const der = publicKey.export({ type: "spki", format: "der" })
    const jwk = JSON.stringify(publicKey.export({ format: "jwk" }))
    const spki = String(publicKey.export({ type: "spki", format: "pem" }))
    return [
      [`${kind} PEM`, spki],
      [`${kind} lines of PEM`, spki.replace(/-----.*-----\n/g, "")],
      [`${kind} one line of PEM`, der.toString("base64")],
      [`${kind} DER`, der],
      [`${kind} JWK`, jwk],
      [`${kind} JWK set`, `{"keys":[${jwk}]}`],
      [`${kind} list of JWKs`, `[${jwk}]`],
    ]
  })
  const pkcs1 = pairs[1]?.publicKey.export({ type: "pkcs1", format: "der" }) ?? Buffer.of()
  const ssh = `ssh-ed25519 ${Buffer.from("\0\0\0\u000bssh-ed25519\0\0\0 ").toString("base64")}`
  test.each<[string, string | Buffer]>([
    ...forms,
    ["PKCS #1", pkcs1],
    ["OpenSSH", ssh],
    ["SSH2", `---- BEGIN SSH2 PUBLIC KEY ----\n${ssh}`],
    ["its address", "https://issuer.example/jwks.json"],
  ])(
    "whatever a public key is written as, no token that is signed with its text or bytes is valid: %s",
    async (_name, form) => {
      const bytes = Buffer.from(form)
      const unsigned = token(hs256, { exp: now + 60 }).replace(/[^.]*$/, "")
      const digest = createHmac("sha256", bytes).update(unsigned.slice(0, -1)).digest("base64url")
      const given: [string, "text" | "hex" | "base64"][] = [
        [bytes.toString("hex"), "hex"],
        [bytes.toString("base64"), "base64"],
        [JSON.stringify({ kty: "oct", k: bytes.toString("base64url") }), "text"],
      ]
      if (typeof form === "string") given.push([form, "text"])
      for (const [key, key_encoding] of given) {
        const answer = decode(unsigned + digest, key, { key_encoding })
        const isValid = await answer.then(
          ({ is_valid }) => is_valid,
          (error) => (error instanceof InputRejected ? "refused" : error),
        )
        expect([key_encoding, isValid]).not.toEqual([key_encoding, true])
        expect(["refused", false]).toContain(isValid)
      }
    },
  )

  test("whatever a public key is written as, no token that is signed with its text or bytes is valid: random bytes stay a shared secret, also those that begin like JSON or DER", async () => {
    for (const bytes of [Buffer.from(`{${secret}`), Buffer.from(`0${secret}`), Buffer.from(`MI${secret}`)]) {
      const unsigned = token(hs256, { exp: now + 60 }).replace(/[^.]*$/, "")
      const digest = createHmac("sha256", bytes).update(unsigned.slice(0, -1)).digest("base64url")
      const key = bytes.toString("base64")
      expect((await decode(unsigned + digest, key, { key_encoding: "base64" })).is_valid).toBe(true)
    }
  })

  test("an elliptic key whose point is not on its curve fits no token, and leaves no error behind for the next HMAC", async () => {
    const key = JSON.stringify({ kty: "EC", crv: "P-256", x: "AAAA", y: "AAAA" })
    const { verification } = await decode(token({ alg: "ES256" }), key)
    expect(() => new Bun.CryptoHasher("sha256", "secret").update("a").digest("hex")).not.toThrow()
    expect(verification).toMatchObject({ is_verified: false, reason: "no_key_fits" })
  })

  test("in a set, the key with the same kid is used, and keys for other uses are not", async () => {
    const right = { kty: "oct", k: encode(secret), kid: "b" }
    const set = (...keys: object[]) => JSON.stringify({ keys })
    const signed = token({ ...hs256, kid: "b" })
    const check = async (key: string) => (await decode(signed, key)).verification
    const found = await check(set({ kty: "RSA" }, { ...right, kid: "a" }, right))
    expect(found).toMatchObject({ key_id: "b", is_verified: true })
    expect(await check(set({ ...right, kid: "a" }))).toMatchObject({ reason: "no_key_fits" })
    for (const use of [{ use: "enc" }, { key_ops: ["sign"] }, { key_ops: 1 }, { alg: "HS512" }])
      expect(await check(set({ ...right, ...use }))).toMatchObject({ reason: "no_key_fits" })
    expect(await check(JSON.stringify({ ...right, kid: "a" }))).toMatchObject({ is_verified: true })
    for (const broken of [{ kty: "oct" }, { kty: "oct", k: 1 }, { kty: "oct", k: "" }])
      expect(await check(JSON.stringify(broken))).toMatchObject({ is_verified: false })
  })

  test("of a private key, the public part is used", async () => {
    const key = JSON.stringify(privateKey.export({ format: "jwk" }))
    const signed = token({ alg: "ES256" }).replace(/[^.]*$/, "A".repeat(86))
    expect(await decode(signed, key)).toMatchObject({ verification: { reason: "signature_differs" } })
  })

  test("without premium fields no signature is checked, but a bad key is refused", async () => {
    expect((await decode(token(hs256), secret, { premium: false })).verification).toBeNull()
    expect((await decode(token(hs256))).verification).toBeNull()
    const wrong = decode(token(hs256), "{}", { premium: false })
    await expect(wrong).rejects.toThrow("The 'key' parameter must have keys")
  })
})

const deep = `${encode('{"alg":"HS256"}')}.${encode(`{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`)}.`
test.each([
  ["", "must be a token in compact form"],
  ["a.b", "must be a token in compact form"],
  ["a.b.c.d", "must be a token in compact form"],
  [`${token(hs256)}=`, "must have its signature in base64url"],
  ["e30=.e30.", "must have its header in base64url"],
  [`${encode("[]")}.e30.`, "must have a header that is a JSON object"],
  [`${encode("{")}.e30.`, "must have a header that is a JSON object"],
  ["_w.e30.", "must have a header that is UTF-8 text"],
  [deep, "must have at most 100 levels in its payload"],
  [token(hs256, '{"__proto__":1}'), "must have no member named __proto__ in its payload"],
  [token('{"a":"\\ud800"}'), "must be well-formed Unicode text, without lone surrogates in its header"],
])("what cannot be read: %p", (text, message) =>
  expect(decode(text)).rejects.toThrow(`The 'token' parameter ${message}`),
)

test.each([
  ["{", "must be a JWK"],
  ["{}", "must have keys"],
  ['{"kty":1}', "must have keys"],
  ['{"keys":[]}', "must have from 1 to 50 keys"],
  [`{"keys":[${Array(51).fill("{}").join()}]}`, "must have from 1 to 50 keys"],
  [
    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
    "must be PEM of a public key or a certificate",
  ],
])("what cannot be read: the key %p", (key, message) =>
  expect(decode(token(hs256), key)).rejects.toThrow(`The 'key' parameter ${message}`),
)

test("token, key and payload are secret", () =>
  expect(secretsOf(jwtdecoder)).toEqual(["token", "key", "payload"]))

describe("addresses in a token", () => {
  let requests = 0
  const server = Bun.serve({
    port: 0,
    fetch() {
      requests++
      return Response.json({ keys: [{ kty: "oct", k: encode(secret) }] })
    },
  })
  afterAll(() => server.stop(true))

  test("are not fetched", async () => {
    const header = { ...hs256, jku: server.url.href, x5u: server.url.href, iss: server.url.href }
    for (const key of [undefined, secret, "another secret that does not fit the token"])
      expect((await decode(token(header, { iss: server.url.href, exp: now + 1 }), key)).codes).toEqual([
        ...["remote_key", "remote_key"],
        ...(key?.startsWith("another") ? ["signature"] : []),
      ])
    expect(requests).toBe(0)
    // The server would have noticed.
    await fetch(server.url)
    expect(requests).toBe(1)
  })
})

test("any text is answered or refused, without a word of it in the refusal", async () => {
  const part = fc.oneof(
    fc.json().map(encode),
    fc.constantFrom(encode('{"alg":"HS256"}'), encode('{"alg":"ES256"}')),
    fc.string({ maxLength: 10 }),
  )
  const texts = fc.array(part, { minLength: 2, maxLength: 6 }).map((parts) => parts.join("."))
  const keys = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.json({ maxDepth: 2 }),
    fc.constant('{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}'),
  )
  await fc.assert(
    fc.asyncProperty(texts, keys, async (text, key) => {
      const answer = await decode(text, key).catch((error: unknown) => error)
      if (answer instanceof Error) {
        expect(answer).toBeInstanceOf(InputRejected)
        expect(answer.message.length).toBeLessThan(150)
        expect(answer.message).not.toMatch(/JSON Parse|Invalid|ERR_|jose|undefined/)
      } else expect(answer).toMatchObject({ verification: { is_verified: false } })
    }),
    { numRuns: 500, seed: 26 },
  )
})
