import { expect, test } from "bun:test"
import { systemRandom } from "../ports/random.ts"
import {
  createId,
  createSecret,
  hashKey,
  holdsKey,
  isWellFormed,
  kindOfKey,
  shortenKeys,
  visiblePrefix,
} from "./key.ts"

test("a key is pk- and 38 base62 characters, and each is different", () => {
  const keys = Array.from({ length: 1_000 }, () => createSecret("key", systemRandom))
  for (const key of keys) expect(key).toMatch(/^pk-[0-9A-Za-z]{38}$/)
  for (const key of keys) expect(isWellFormed("key", key)).toBe(true)
  expect(new Set(keys).size).toBe(1_000)
})

test("a client that takes only letters, digits and hyphens, at least 32 without the hyphens, takes our keys", () => {
  for (let count = 0; count < 100; count++) {
    const key = createSecret("key", systemRandom)
    expect(key).toMatch(/^[0-9A-Za-z-]+$/)
    expect(key.replaceAll("-", "").length).toBeGreaterThanOrEqual(32)
  }
})

test.each(["pk_cvNhYs8pwt1paiw3Ca0Eq4Ics2iIoglo1qaSKV", "pk_ZbhPoc5o4K7CxiwlxvxrOZL3lmzy0ZQz4XZSZT"])(
  "a key in the earlier form stays well-formed: %s",
  (key) => {
    expect(isWellFormed("key", key)).toBe(true)
    // The checksum covers the beginning, so one form is not mistaken for the other.
    expect(isWellFormed("key", key.replace("_", "-"))).toBe(false)
    expect(isWellFormed("key", key.replace(/.$/, "0"))).toBe(false)
  },
)

test.each(["pk-", "pk_"])("the checksum is the CRC-32 of the rest in base62, after %s", (start) => {
  const body = start + "0".repeat(32)
  expect(isWellFormed("key", body + checksumOf(body))).toBe(true)
})

test.each("pk-! pk-- pk-/ pk-: pk-\0 pk-\x80 pk-é pk-Ā pk-😀 pk_- pk.0 pka-0 PK-0".split(" "))(
  "a right checksum does not make a key of %p",
  (start) => {
    const body = start.padEnd(35, "0")
    expect(isWellFormed("key", body + checksumOf(body))).toBe(false)
  },
)

function checksumOf(body: string): string {
  const crc = Bun.hash.crc32(body)
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  return [5, 4, 3, 2, 1, 0].map((power) => digits[Math.floor(crc / 62 ** power) % 62]).join("")
}

test("every single mistyped or swapped character is noticed without a look-up", () => {
  const key = createSecret("key", systemRandom)
  for (let i = 0; i < key.length; i++) {
    const other = key[i] === "A" ? "B" : "A"
    expect(isWellFormed("key", key.slice(0, i) + other + key.slice(i + 1))).toBe(false)
  }
  for (const text of ["", "pk-", key.slice(1), `${key}a`, key.slice(0, -1), ` ${key}`, `${key}\n`])
    expect(isWellFormed("key", text)).toBe(false)
})

test("random characters are even: no modulo bias", () => {
  const counts = new Map<string, number>()
  for (let i = 0; i < 4_000; i++)
    for (const letter of createSecret("key", systemRandom).slice(3, 35))
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect(counts.size).toBe(62)
  // 128,000 draws over 62 letters: 2,065 each, standard deviation 45; biased letters would be near 2,500.
  for (const count of counts.values()) expect(Math.abs(count - 2_065)).toBeLessThan(6 * 45)
})

test("the hash and the visible prefix do not give a key away", () => {
  const key = createSecret("key", systemRandom)
  expect(hashKey(key)).toMatch(/^[0-9a-f]{64}$/)
  expect(hashKey(key)).not.toContain(key.slice(3, 12))
  expect(visiblePrefix(key)).toBe(key.slice(0, 9))
})

test("an id carries its kind", () => expect(createId("acc", systemRandom)).toMatch(/^acc_[0-9A-Za-z]{16}$/))

test("an admin key is pka- and 38 base62 characters, and neither kind is taken for the other", () => {
  const admin = createSecret("adminKey", systemRandom)
  const api = createSecret("key", systemRandom)
  expect(admin).toMatch(/^pka-[0-9A-Za-z]{38}$/)
  expect([isWellFormed("adminKey", admin), isWellFormed("key", admin)]).toEqual([true, false])
  expect([isWellFormed("adminKey", api), isWellFormed("key", api)]).toEqual([false, true])
  expect(isWellFormed("adminKey", admin.slice(0, -1))).toBe(false)
  expect([admin, api, "pk_a", "sk-a", ""].map(kindOfKey)).toEqual(["admin", "api", "api", null, null])
})

test("an admin key is found and shortened in a text like an API key", () => {
  const admin = createSecret("adminKey", systemRandom)
  expect([holdsKey(`x${admin}`), holdsKey(admin.slice(0, 20))]).toEqual([true, true])
  expect(shortenKeys(`a ${admin} b`)).toBe(`a ${visiblePrefix(admin)}… b`)
})
