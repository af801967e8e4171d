/** Which records clients can use: RFC 7672 §3.1 for mail between servers, RFC 6698 §2.1 and §4.1 for other services. */
import { expect, test } from "bun:test"
import { certificate, publicKey } from "../../../../test/data/tlsa-samples.ts"
import { judgeTlsa } from "./tlsa-check.ts"

const [sha256, sha512] = ["5e".repeat(32), "5e".repeat(64)]

function judge(usage: number, selector: number, matchingType: number, data: string, isMail: boolean) {
  const record = { owner: "_25._tcp.a.test", type: "TLSA" as const, ttlSeconds: 300, text: "", wire: "" }
  return judgeTlsa({ ...record, data: { usage, selector, matchingType, data } }, isMail).fault
}

/** The data that fit a selector and a matching type. */
function fitting(selector: number, matchingType: number): string {
  if (matchingType === 1) return sha256
  if (matchingType === 2) return sha512
  return selector === 0 ? certificate : publicKey
}

const numbers = [0, 1, 2, 3].flatMap((usage) =>
  [0, 1].flatMap((selector) => [0, 1, 2].map((matching) => [usage, selector, matching] as const)),
)
test.each(numbers)("every combination that RFC 7218 names: %d %d %d", (usage, selector, matching) => {
  const data = fitting(selector, matching)
  expect(judge(usage, selector, matching, data, false)).toBeNull()
  if (usage >= 2) expect(judge(usage, selector, matching, data, true)).toBeNull()
  else expect(judge(usage, selector, matching, data, true)).toContain(`usage ${usage} (RFC 7672 §3.1.3)`)
})

test.each([
  ["a usage that is not assigned", 4, 1, 1, sha256, "Certificate usage 4 is not assigned"],
  ["a usage for private use", 255, 1, 1, sha256, "Certificate usage 255 is for private use"],
  ["a selector that is not assigned", 3, 2, 1, sha256, "Selector 2 is not assigned"],
  ["a selector for private use", 3, 255, 1, sha256, "Selector 255 is for private use"],
  ["a matching type that is not assigned", 3, 1, 3, sha256, "Matching type 3 is not assigned"],
  ["a matching type for private use", 3, 1, 255, sha256, "Matching type 255 is for private use"],
  ["a digest that is too short", 3, 1, 1, "5e".repeat(20), "SHA-256 digest has 64"],
  ["a digest of the other type", 3, 1, 2, sha256, "SHA-512 digest has 128"],
  ["a digest instead of a certificate", 3, 0, 0, sha256, "exactly one complete certificate in DER"],
  ["a key instead of a certificate", 2, 0, 0, publicKey, "It is a public key, which is selector 1"],
  ["a certificate instead of a key", 2, 1, 0, certificate, "It is a certificate, which is selector 0"],
  ["no data", 3, 1, 1, "", "SHA-256 digest has 64"],
])("unusable for every service: %s", (_, usage, selector, matching, data, sentence) => {
  for (const isMail of [true, false])
    expect(judge(usage, selector, matching, data, isMail)).toContain(sentence)
})
