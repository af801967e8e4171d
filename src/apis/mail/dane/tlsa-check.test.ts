import { describe, expect, test } from "bun:test"
import { certificate, keySha256, keySha512, publicKey } from "../../../../test/data/tlsa-samples.ts"
import { checkTlsa } from "./tlsa-check.ts"

const check = (usage: number, selector: number, matching: number, data: string) =>
  checkTlsa({ usage, selector, matching, data })

test.each<[selector: number, matching: number, data: string]>([
  [0, 0, certificate],
  [0, 0, certificate.toUpperCase()],
  [1, 0, publicKey],
  [0, 1, keySha256],
  [1, 1, keySha256.toUpperCase()],
  [1, 2, keySha512],
])("data that fits its numbers is valid: selector %d, type %d", (selector, matching, data) => {
  for (const usage of [0, 1, 2, 3]) {
    const isValid = { isHexadecimal: true, isLengthValid: true, faults: [] }
    expect(check(usage, selector, matching, data)).toEqual(isValid)
  }
})

test.each<[selector: number, matching: number, data: string, fault: string]>([
  [1, 1, keySha256.slice(1), "the data here has 63 characters."],
  [1, 1, `${keySha256}00`, "the data here has 66 characters."],
  [1, 1, keySha256.slice(24), "40 is the length of SHA-1"],
  [1, 1, keySha512, "SHA-512, matching type 2"],
  [1, 2, keySha256, "SHA-256, matching type 1"],
  [1, 0, publicKey.slice(1), "an odd number"],
  [1, 0, publicKey.slice(0, -2), "exactly one complete SubjectPublicKeyInfo"],
  [1, 0, `${publicKey}00`, "exactly one complete SubjectPublicKeyInfo"],
  [0, 0, publicKey, "It is a public key, which is selector 1."],
  [1, 0, certificate, "It is a certificate, which is selector 0."],
  [1, 0, keySha256, "a digest, which is matching type 1."],
  [0, 0, keySha512, "a digest, which is matching type 2."],
  [9, 9, "00".repeat(65_533), "more than fit in a DNS record"],
])("data of another length: selector %d, matching type %d: …", (selector, matching, data, fault) => {
  const { isHexadecimal, isLengthValid, faults } = check(3, selector, matching, data)
  expect({ isHexadecimal, isLengthValid }).toEqual({ isHexadecimal: true, isLengthValid: false })
  expect(faults.at(-1)).toContain(fault)
})

test("matching type 3 is not assigned, so no length is valid for it", () => {
  for (const data of [keySha256, keySha512, certificate]) {
    const { isLengthValid, faults } = check(3, 1, 3, data)
    expect([isLengthValid, faults]).toEqual([false, ["Matching type 3 is not assigned: use 0 to 2."]])
  }
})

describe("DER that is not a certificate or key", () => {
  test.each<[name: string, selector: number, data: string]>([
    ["one byte", 1, "30"],
    ["an empty sequence", 1, "3000"],
    ["an octet string", 1, "0400"],
    ["indefinite length", 1, "308030030101000301000000"],
    ["length not minimal", 1, publicKey.replace(/^302a/, "30812a")],
    ["length in four bytes", 1, publicKey.replace(/^302a/, "30840000002a")],
    ["an empty bit string", 1, "3006300206000300"],
    ["a member longer than the whole", 1, publicKey.replace("300506", "307f06")],
    ["a member's length cut off", 1, "3003300182"],
    ["more data after the key", 1, publicKey.replace(/^302a/, "302c").concat("0500")],
  ])("%s", (_, selector, data) => expect(check(3, selector, 0, data).isLengthValid).toBe(false))

  test("every proper part of a certificate", () => {
    for (let end = 2; end < certificate.length; end += 2)
      expect(check(3, 0, 0, certificate.slice(0, end)).isLengthValid).toBe(false)
  })
})

test.each<[data: string, isLengthValid: boolean, hint: string]>([
  [keySha256.replace(/^./, "g"), true, "If it is base64"],
  [`0x${keySha256}`, false, "Leave out the 0x"],
  [`"${keySha256}"`, false, "Leave out the quotes."],
  [keySha256.match(/../g)?.join(":") ?? "", false, "Leave out the colons."],
  ["oekVYFTgT6yJmunydRMs3AelW8TqLCrTof/G4NJTaB8=", false, "If it is base64"],
  ["é".repeat(64), true, "not hexadecimal digits."],
])("data that is not hexadecimal: %s", (data, isLengthValid, hint) => {
  const result = check(3, 1, 1, data)
  expect(result).toMatchObject({ isHexadecimal: false, isLengthValid })
  expect(result.faults[0]).toContain(hint)
  expect(result.faults).toHaveLength(isLengthValid ? 1 : 2)
})

test("data that is not hexadecimal is not a certificate either", () =>
  expect(check(3, 0, 0, "zz")).toMatchObject({ isHexadecimal: false, isLengthValid: false }))

test.each<[numbers: string, ...faults: readonly string[]]>([
  ["4 1 1", "Certificate usage 4 is not assigned: use 0 to 3."],
  ["254 1 1", "Certificate usage 254 is not assigned: use 0 to 3."],
  ["255 1 1", "Certificate usage 255 is for private use and means nothing to other clients."],
  ["256 1 1", "Certificate usage 256 does not fit in one byte: use 0 to 3."],
  ["1e20 1 1", "Certificate usage 100000000000000000000 does not fit in one byte: use 0 to 3."],
  ["-1 1 1", "Certificate usage -1 does not fit in one byte: use 0 to 3."],
  ["3 2 1", "Selector 2 is not assigned: use 0 to 1."],
  ["3 1 3", "Matching type 3 is not assigned: use 0 to 2."],
  ["3 2 0", "Selector 2 is not assigned: use 0 to 1."],
  [
    "4 2 255",
    "Certificate usage 4 is not assigned: use 0 to 3.",
    "Selector 2 is not assigned: use 0 to 1.",
    "Matching type 255 is for private use and means nothing to other clients.",
  ],
])("numbers that are not assigned: %s", (numbers, ...faults) => {
  const [usage = 0, selector = 0, matching = 0] = numbers.split(" ").map(Number)
  const result = check(usage, selector, matching, keySha256)
  expect(result).toEqual({ isHexadecimal: true, isLengthValid: matching <= 2, faults })
})
