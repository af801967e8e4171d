import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { rfcVectors } from "../../../test/data/hmac-rfc-vectors.ts"
import { anyCharacter } from "../../../test/support/any-character.ts"
import type { RunContext } from "../contract.ts"
import { type HashAlgorithm, hmac, sign } from "./index.ts"

const algorithms: readonly HashAlgorithm[] = ["sha256", "sha384", "sha512", "sha1", "md5"]

describe("the vectors of RFC 2202 and RFC 4231", () => {
  test("are all there", () => expect(rfcVectors).toHaveLength(7 + 7 + 7))

  for (const { name, key, message, digests } of rfcVectors)
    test(name, () => {
      for (const algorithm of algorithms) {
        const expected = digests[algorithm]
        if (expected === undefined) continue
        expect(sign(message, key, algorithm, "hex").slice(0, expected.length)).toBe(expected)
      }
    })

  test("hold for text too, where key and message are text", () => {
    let signed = 0
    for (const { key, message, digests } of rfcVectors) {
      const texts = [toText(message), toText(key)] as const
      if (texts[0] === null || texts[1] === null) continue
      for (const algorithm of algorithms) {
        const expected = digests[algorithm]
        if (expected === undefined) continue
        expect(sign(texts[0], texts[1], algorithm, "hex").slice(0, expected.length)).toBe(expected)
        signed++
      }
    }
    expect(signed).toBe(3 * (1 + 1 + 3))
  })
})

test("Node.js with OpenSSL signs 1,000 random inputs the same", async () => {
  const text = (minLength: number) =>
    fc.oneof(
      fc.string({ unit: anyCharacter, minLength, maxLength: 300 }),
      fc.string({ unit: "grapheme", minLength, maxLength: 60 }),
      fc.string({ unit: "grapheme-ascii", minLength, maxLength: 300 }),
    )
  const inputs = fc.sample(
    fc.record({
      message: text(0),
      secret: text(1),
      algorithm: fc.constantFrom(...algorithms),
      encoding: fc.constantFrom("hex" as const, "base64" as const),
    }),
    { numRuns: 1000 },
  )
  expect(inputs.filter(({ message }) => /[^\0-\x7f]/.test(message)).length).toBeGreaterThan(300)
  expect(inputs.filter(({ secret }) => /[^\0-\x7f]/.test(secret)).length).toBeGreaterThan(300)

  const ours = inputs.map((input) => sign(input.message, input.secret, input.algorithm, input.encoding))
  expect(ours).toEqual(await signWithNode(inputs))
  // Enough to start another process on a busy machine.
})

/** Signs in one Node.js process, with JSON over its standard streams. */
async function signWithNode(inputs: readonly unknown[]): Promise<string[]> {
  const script = `
    const { createHmac } = require("node:crypto")
    const inputs = JSON.parse(require("node:fs").readFileSync(0, "utf8"))
    const sign = ({ message, secret, algorithm, encoding }) =>
      createHmac(algorithm, Buffer.from(secret, "utf8")).update(Buffer.from(message, "utf8")).digest(encoding)
    process.stdout.write(JSON.stringify({ bun: "bun" in process.versions, signatures: inputs.map(sign) }))`
  const stdin = new Blob([JSON.stringify(inputs)])
  const node = Bun.spawn(["node", "-e", script], { stdin, stdout: "pipe" })
  const { bun, signatures } = JSON.parse(await new Response(node.stdout).text())
  expect(await node.exited).toBe(0)
  // A `node` command that is really Bun would prove nothing.
  expect(bun).toBe(false)
  return signatures
}

/** The bytes as text; null where they are not UTF-8. */
function toText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const ask = (input: Parameters<typeof hmac.run>[0]) => Promise.resolve(hmac.run(input, {} as RunContext))

test("secrets and signatures in other encodings: any secret is the same in text, hexadecimal digits and base64, and its own signature is equal", async () => {
  const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 100 })
  const encodings = fc.constantFrom("hex" as const, "base64" as const)
  await fc.assert(
    fc.asyncProperty(
      texts,
      fc.string(),
      fc.constantFrom(...algorithms),
      encodings,
      async (secret, message, algorithm, encoding) => {
        const plain = await ask({ message, secret, algorithm, encoding })
        expect(plain).not.toHaveProperty("is_equal")
        for (const secret_encoding of ["hex", "base64", "base64url"] as const) {
          const written = Buffer.from(secret).toString(secret_encoding)
          const coded = secret_encoding === "hex" ? "hex" : "base64"
          const given = { secret: ` ${written}\n`, secret_encoding: coded } as const
          const signature = plain.hmac
          const answer = await ask({ message, algorithm, encoding, ...given, signature })
          expect(answer).toEqual({ ...plain, is_equal: true })
          expect(
            await ask({ message, algorithm, encoding, ...given, signature: `${algorithm}=${signature}` }),
          ).toEqual({ ...plain, is_equal: true })
          expect(
            await ask({ message: `${message}.`, algorithm, encoding, ...given, signature }),
          ).toMatchObject({ is_equal: false })
        }
      },
    ),
    { numRuns: 100 },
  )
})

test("secrets and signatures in other encodings: a signature in capitals is the same, and one of another length is another", async () => {
  const input = { message: "a", secret: "k" }
  const { hmac: signature } = await ask(input)
  expect(await ask({ ...input, signature: signature.toUpperCase() })).toMatchObject({ is_equal: true })
  expect(await ask({ ...input, signature: signature.slice(2) })).toMatchObject({ is_equal: false })
})

test.each([
  [{ secret: "abc", secret_encoding: "hex" }, "The 'secret' parameter must have pairs of hexadecimal digits"],
  [{ secret: "?", secret_encoding: "base64" }, "The 'secret' parameter must be base64"],
  [{ secret: " ", secret_encoding: "base64" }, "The 'secret' parameter must be base64"],
  [{ secret: "k", signature: "sha512=00" }, "The 'signature' parameter must have pairs"],
  [{ secret: "k", signature: "xyz" }, "The 'signature' parameter must have pairs of hexadecimal digits"],
  [{ secret: "k", encoding: "base64", signature: "A" }, "The 'signature' parameter must be base64"],
] as const)("other encodings: %p is refused without its value", async (input, message) => {
  const ran = async () => ask({ message: "m", ...input })
  expect(ran()).rejects.toThrow(message)
})
