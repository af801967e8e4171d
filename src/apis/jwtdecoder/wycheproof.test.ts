/** The vectors of Wycheproof for JWS and for keys, of 2026-08-18. */
import { expect, test } from "bun:test"
import keyVectors from "../../../test/data/wycheproof/json_web_key_test.json"
import signatureVectors from "../../../test/data/wycheproof/json_web_signature_test.json"
import { createManualClock } from "../../../test/support/clock.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import { InputRejected } from "../contract.ts"
import { jwtdecoder } from "./index.ts"

interface Group {
  readonly comment: string
  readonly public?: object
  readonly private?: object
  readonly tests: readonly { readonly tcId: number; readonly jws: string; readonly result: string }[]
}

/** Whether a token passes with a key that is not weak. */
async function isAccepted(token: string, key: object): Promise<boolean> {
  const ports = { ...portsFor({}), clock: createManualClock("2026-11-23T12:00:00Z") }
  try {
    const { verification } = await jwtdecoder.run(
      { token, key: JSON.stringify(key) },
      { ports, giveWay: () => undefined, premium: true },
    )
    return verification?.is_verified === true && !verification.is_weak_key
  } catch (error) {
    if (error instanceof InputRejected) return false
    throw error
  }
}

async function differences(groups: readonly Group[]) {
  const found: string[] = []
  for (const { comment, tests, ...keys } of groups)
    for (const { tcId, jws, result } of tests) {
      const accepted = await isAccepted(jws, keys.public ?? keys.private ?? {})
      if (accepted !== (result === "valid"))
        found.push(`${tcId} ${comment}: ${accepted ? "accepted" : "refused"}`)
    }
  return found
}

test("signatures: all 401 vectors but these", async () => {
  expect(signatureVectors.testGroups.flatMap(({ tests }) => tests)).toHaveLength(401)
  expect(await differences(signatureVectors.testGroups)).toEqual([
    // The keys say that they are for PS256 and "ES521", and the tokens are signed with PS384 and ES512.
    ...["346 rfc7520: refused", "347 rfc7520: refused"],
    ...["350 rfc7520WithKeyOps: refused", "351 rfc7520WithKeyOps: refused"],
    // The same token as in 361, which the suite calls valid.
    ...["367 base64: accepted", "370 base64: accepted"],
    // A question mark inside base64url, which RFC 7515 §2 does not allow.
    ...["372 base64: refused", "373 base64: refused"],
  ])
})

test("keys: all 26 vectors but these", async () => {
  expect(keyVectors.testGroups.flatMap(({ tests }) => tests)).toHaveLength(26)
  expect(await differences(keyVectors.testGroups)).toEqual([
    // The suite calls both ambiguous: a set with a shared secret and a public key, and one with a `kid` twice.
    ...["1 jws_mixedSymmetryKeyset: accepted", "4 jws_duplicate_kid: accepted"],
    // An RSA key whose primes can be guessed (CVE-2017-15361). This is not looked for.
    "7 jws_rsa_roca_key: accepted",
  ])
})
