import type { Random } from "../../apis/contract.ts"

/** The same bytes on every run: SHA-256 of the seed and a counter. Not secret. */
export function createSeededRandom(seed: string): Random {
  let counter = 0
  let block: Uint8Array = new Uint8Array()

  return {
    bytes(length) {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; ) {
        if (block.length === 0) block = hash(`${seed} ${counter++}`)
        const part = block.subarray(0, length - at)
        bytes.set(part, at)
        block = block.subarray(part.length)
        at += part.length
      }
      return bytes
    },
  }
}

function hash(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest()
}
