import { generateKeyPairSync } from "node:crypto"
import fc from "fast-check"
import { dkimvalidator } from "../../src/apis/dkimvalidator/index.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import { ask, byPython, defineOracle } from "./oracle.ts"

/** The key of a record; null if no signature can be checked with it. */
type Answer = { readonly type: string; readonly bits: number } | null

const rsaKeys = [512, 768, 1_024, 1_536, 2_048, 3_072, 4_096].flatMap((modulusLength) => {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength })
  return (["spki", "pkcs1"] as const).map((type) =>
    publicKey.export({ type, format: "der" }).toString("base64"),
  )
})
const rsa = fc.constantFrom(...rsaKeys)
const ed25519 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from(bytes).toString("base64"))
const broken = fc.oneof(
  fc.tuple(rsa, fc.nat(40)).map(([key, cut]) => key.slice(0, -cut - 4)),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
)
const key = fc.oneof(
  { weight: 3, arbitrary: fc.record({ k: fc.constantFrom("rsa", null), p: rsa }) },
  { weight: 2, arbitrary: fc.record({ k: fc.constant("ed25519"), p: ed25519 }) },
  {
    weight: 2,
    arbitrary: fc.record({
      k: fc.constantFrom("rsa", "ed25519", "dsa", null),
      p: fc.oneof(rsa, ed25519, broken),
    }),
  },
)
const other = fc.oneof(
  fc.tuple(fc.constantFrom("h", "t", "n", "x"), fc.constantFrom("sha256", "y", "s", "a b")),
  fc.tuple(fc.constant("s"), fc.constantFrom("email", "*", "tlsrpt")),
  fc.tuple(fc.constant("v"), fc.constantFrom("DKIM1", "DKIM2")),
)
const blank = fc.constantFrom("", " ", "\t")
const generate = fc
  .tuple(
    key,
    fc.uniqueArray(other, { maxLength: 3, selector: ([name]) => name }),
    blank,
    fc.boolean(),
    fc.boolean(),
  )
  .map(([{ k, p }, others, space, hasVersion, ends]) => {
    const tags = [
      ...others.filter(([name]) => name !== "v" || !hasVersion),
      ...(k ? [["k", k] as const] : []),
      ["p", p] as const,
    ]
    const all = hasVersion ? [["v", "DKIM1"] as const, ...tags] : tags
    return `${all.map(([name, value]) => `${name}${space}=${space}${value}`).join(`;${space}`)}${ends ? ";" : ""}`
  })

export const oracle = defineOracle<string, Answer>({
  api: "dkimvalidator",
  against: "python3-dkim",
  cases: 5_000,
  generate,
  async ours(TXT) {
    const dns = createZoneDns({ "s._domainkey.a.test": [{ TXT }] })
    const answer = await ask(dkimvalidator, { domain: "a.test", selector: "s" }, { ...portsFor({}), dns })
    const refused = answer?.problems.some(
      ({ code }) => code === "version" || code === "repeated_tag" || code === "syntax",
    )
    if (!answer || refused || answer.key_bits === null || answer.key_algorithm === null) return null
    return { type: answer.key_algorithm, bits: answer.key_bits }
  },
  ...byPython("dkimvalidator.py", "python3-dkim"),
  known: [
    {
      reason: "RFC 6376 §3.6.1 wants v as the first tag; python3-dkim takes it at any place",
      fits: (record, ours, theirs) => ours === null && theirs !== null && /;[ \t]*v[ \t]*=/.test(record),
    },
  ],
})
