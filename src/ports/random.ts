import type { Random } from "../apis/contract.ts"

/** The operating system's cryptographic generator. */
export const systemRandom: Random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }
