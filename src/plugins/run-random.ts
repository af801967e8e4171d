import type { Random } from "../apis/contract.ts"

/**
 * Random bytes that follow from a seed of a cryptographic source: SHA-256 of the seed and a counter, in turn (as Hash_DRBG of NIST SP 800-90A
 * §10.1.1 generates). Whoever does not know the seed cannot predict them, and a test double that gives the same seeds gives the same
 * bytes.
 */
export function createRunRandom(seed: Uint8Array): Random {
  let counter = 0n
  return {
    bytes(length) {
      const bytes = new Uint8Array(length)
      for (let filled = 0; filled < length; filled += 32) {
        const count = new BigUint64Array([counter++])
        const block = new Bun.CryptoHasher("sha256").update(seed).update(count).digest()
        bytes.set(new Uint8Array(block).subarray(0, length - filled), filled)
      }
      return bytes
    },
  }
}
