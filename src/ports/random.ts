import type { Random } from "../apis/contract.ts"

/** The operating system's cryptographic generator. */
export const systemRandom: Random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }

/** The same bytes from the same seed: SHA-256 of it and a counter (as Hash_DRBG, NIST SP 800-90A). As secret as the seed. */
export function createSeededRandom(seed: string): Random {
  let counter = 0
  let block: Uint8Array = new Uint8Array()

  return {
    bytes(length) {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; ) {
        if (block.length === 0) block = new Bun.CryptoHasher("sha256").update(`${seed} ${counter++}`).digest()
        const part = block.subarray(0, length - at)
        bytes.set(part, at)
        block = block.subarray(part.length)
        at += part.length
      }
      return bytes
    },
  }
}
