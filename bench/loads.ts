import { createKey } from "../src/accounts/key.ts"
import { systemRandom } from "../src/ports/random.ts"
import type { Load } from "./load.ts"

/** The cheapest API there is, so that what it stands on shows most. */
export function lookUp(keys: readonly string[]): Load {
  return { method: "GET", path: "/v1/bluetoothlookup?companyid=76", headers: {}, keys, status: 200 }
}

export function sign(keys: readonly string[]): Load {
  return {
    method: "POST",
    path: "/v1/hmac",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: "Hi There", secret: "Jefe", algorithm: "sha256", encoding: "hex" }),
    keys,
    status: 200,
  }
}

/** A key that was never issued but could have been, so that it has to be looked up. */
export function lookUpAsStranger(): Load {
  return { ...lookUp([createKey(systemRandom)]), status: 401 }
}

export function lookUpWithoutKey(): Load {
  return { ...lookUp([]), status: 401 }
}

export function lookUpBadly(keys: readonly string[]): Load {
  return { ...lookUp(keys), path: "/v1/bluetoothlookup?companyid=apple", status: 400 }
}

/** The same requests to a server that answers everything with 200. */
export function toBare(load: Load): Load {
  return { ...load, status: 200 }
}
