import { expect, test } from "bun:test"
import fc from "fast-check"
import { decode, encode, hs256, now, token } from "../../../test/support/tokens.ts"

test.each<[string, unknown, string[]]>([
  ["in time", { exp: now + 1, nbf: now, iat: now }, []],
  ["expired this second", { exp: now }, ["expired"]],
  ["not yet", { exp: now + 9, nbf: now + 1 }, ["not_yet_valid"]],
  ["issued in the future", { exp: now + 9, iat: now + 1 }, ["issued_in_future"]],
  ["without end", {}, ["no_expiry"]],
  ["a fraction", { exp: now + 0.5 }, []],
  ["times as text", { exp: "2030", nbf: null, iat: [] }, ["claim_type", "claim_type", "claim_type"]],
  ["names of other types", { exp: now + 1, iss: 1, sub: {}, jti: 2, aud: [1] }, Array(4).fill("claim_type")],
  ["audiences", { exp: now + 1, aud: ["a", "b"] }, []],
  ["a list", [1], ["claims"]],
  ["text", "hello", ["claims"]],
])("times and claims: %s", async (_name, claims, codes) => {
  const answer = await decode(token(hs256, claims))
  expect(answer.codes).toEqual(codes)
  expect(answer.is_valid).toBe(codes.every((code) => code === "no_expiry" || code === "issued_in_future"))
})

test("times and claims: a tolerance moves all limits", async () => {
  const claims = { exp: now - 59, nbf: now + 60, iat: now + 60 }
  expect((await decode(token(hs256, claims), undefined, { clock_tolerance: 60 })).codes).toEqual([])
  expect((await decode(token(hs256, claims), undefined, { clock_tolerance: 59 })).codes).toHaveLength(3)
})

test("times and claims: a number that is too large for a time is null as a time", async () => {
  expect(await decode(token(hs256, { exp: 1e300, nbf: -1e300 }))).toMatchObject({
    codes: [],
    valid_until: null,
    valid_from: null,
  })
  expect((await decode(token(hs256, { exp: now + 1 }))).valid_until).toBe("2027-01-15T08:00:01.000Z")
})

test.each<[string, string, string[]]>([
  // RFC 7519 §2: NumericDate is in seconds.
  ["milliseconds", `{"exp":${now + 60}000}`, ["milliseconds"]],
  [
    "of each time",
    `{"exp":${now}000,"nbf":${now}000,"iat":${now}000}`,
    [...Array(3).fill("milliseconds"), "not_yet_valid", "issued_in_future"],
  ],
  ["the year 5138", `{"exp":99999999999}`, []],
])("numbers that are read differently than they are meant: %s", async (_name, claims, codes) =>
  expect((await decode(token(hs256, claims))).codes).toEqual(codes),
)

const codesOfId = async (id: string) => (await decode(token(hs256, `{"exp":${now + 60},"id":${id}}`))).codes

// RFC 8259 §6: other numbers than doubles are not kept by every program.
test.each([
  ["beyond 2^53", "100002348117421473"],
  ["2^53 + 1", "9007199254740993"],
  ["below zero, in a list", "[-9007199254740993]"],
  // A double, but JavaScript writes it as 1152921504606847000.
  ["2^60, which the answer shows with other digits", "1152921504606846976"],
  ["an exponent", "9.007199254740993e15"],
  ["a decimal of 20 digits", '{"b":[{"c":0.12345678901234567890}]}'],
  ["less than a double can be", "-1e-999"],
])("numbers that are read differently than they are meant: %s", async (_name, id) =>
  expect(await codesOfId(id)).toEqual(["large_number"]),
)

test.each([
  ["2^53, which a double holds", "9007199254740992"],
  ["a power of ten", "1000000000000000000000"],
  ["an exponent without lost digits", "[1.50E+3,1e-2,0e9,-0,10.0e-1]"],
  ["a decimal of a double", "[0.1,-123.456,0.30000000000000004]"],
  ["digits in a text", '"100002348117421473"'],
])("numbers that are read differently than they are meant: %s is kept", async (_name, id) =>
  expect(await codesOfId(id)).toEqual([]),
)

const numberText = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.bigInt({ min: 0n, max: 10n ** 25n }).chain((most) => fc.bigInt({ min: 0n, max: most })),
    fc.option(fc.stringMatching(/^\d{1,20}$/), { nil: "" }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "e-"), fc.nat(25)), { nil: ["", ""] }),
  )
  .map(
    ([sign, whole, fraction, exponent]) => `${sign}${whole}${fraction && `.${fraction}`}${exponent.join("")}`,
  )
/** A number of JSON as a whole number of 10^-100. */
const scaled = (text: string) => {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  return BigInt(whole + fraction) * 10n ** BigInt(100 + Number(exponent) - fraction.length)
}

test("numbers that are read differently than they are meant: a number that the answer changes is always named", () =>
  fc.assert(
    fc.asyncProperty(numberText, async (id) => {
      const { codes, claims } = await decode(token(hs256, `{"exp":${now + 60},"id":${id}}`))
      const shown = JSON.stringify((claims as { readonly id: number }).id)
      expect([id, codes]).toEqual([id, scaled(shown) === scaled(id) ? [] : ["large_number"]])
    }),
    { numRuns: 2_000 },
  ))

test.each<[string, object, { audience?: string; issuer?: string }, string[]]>([
  ["the audience", { aud: "a" }, { audience: "a" }, []],
  ["one of several", { aud: ["b", "a"] }, { audience: "a" }, []],
  ["another", { aud: "ab" }, { audience: "a" }, ["audience"]],
  ["in other letters", { aud: ["A"] }, { audience: "a" }, ["audience"]],
  ["none", {}, { audience: "a", issuer: "i" }, ["audience", "issuer"]],
  ["the issuer", { iss: "i" }, { issuer: "i" }, []],
  ["an issuer in a list", { iss: ["i"] }, { issuer: "i" }, ["claim_type", "issuer"]],
])("expected audience and issuer: %s", async (_name, claims, expected, codes) => {
  const answer = await decode(token(hs256, { exp: now + 1, ...claims }), undefined, expected)
  expect(answer.codes).toEqual(codes)
  expect(answer.is_valid).toBe(codes.length === 0)
})

test("expected audience and issuer: a payload that cannot be read does not have them", async () => {
  const encrypted = `${encode('{"alg":"dir","enc":"A128GCM"}')}.AAAA.AAAA.AAAA.AAAA`
  expect((await decode(encrypted, undefined, { audience: "a" })).codes).toEqual(["encrypted", "audience"])
})

test("a payload that is not UTF-8 has no payload_text", async () => {
  const [header = "", , signature] = token(hs256).split(".")
  expect(await decode(`${header}._w.${signature}`)).toMatchObject({ codes: ["claims"], payload_text: null })
})
