import type { RateTake } from "../store/store.ts"
import { isIpv6, parseAddress, withoutZone } from "../values/ip.ts"
import type { Caller, CallerRequest } from "./caller.ts"
import { tightestOf } from "./charges.ts"
import { Fault, fixedFault, ownKeyHelps } from "./fault.ts"
import { type Pipeline, type Progress, requirePresent } from "./pipeline.ts"

/** The rules for calls without a key. Their callers are guests, who share one account with its plan, credits and usage. */
export interface Guests {
  /** The hash of the key that stands for all guests. Nobody knows its text. */
  readonly secretHash: string
  /** Calls a minute of one network: an IPv4 address, or an IPv6 network of 64 bits. */
  readonly callsPerMinute: number
  /** The ids of the APIs that they may call. */
  readonly apis: ReadonlySet<string>
}

/**
 * Networks are counted in so many buckets, so that strangers cannot fill the store. Networks that share one by chance share its
 * limit.
 */
const buckets = 65_536

/**
 * Admits a call without a key: the guests' account → APIs → limits of the caller's network and of all guests together.
 * @throws Fault: 401 where guests cannot be served, 429 at a limit
 */
export async function admitGuest(
  guests: Guests,
  request: CallerRequest,
  apis: readonly string[],
  { admission }: Pipeline,
  progress: Progress,
): Promise<Caller> {
  const caller = {
    ...(await identify(guests, admission)),
    isGuest: true,
    network: networkOf(request.address()),
  }
  progress.caller = caller
  admission.requireAddress(caller, request.address)
  for (const api of apis) admission.requireApi(caller, api)
  const perMinute = guests.callsPerMinute
  const { granted, buckets: states } = await admission.takeGuestRate(caller, {
    id: bucketOf(request.address(), guests.secretHash),
    perMinute,
  })
  requirePresent(request)
  progress.rate = tightestOf(states)
  if (!granted && progress.rate) {
    const isOwnLimit = (states[0]?.retryInMs ?? 0) > 0
    const calls = perMinute === 1 ? "1 call" : `${perMinute} calls`
    const limit = isOwnLimit
      ? `Without an API key you can make ${calls} per minute.`
      : "Too many calls without an API key are made at the moment."
    const retryAfterSeconds = Math.ceil(progress.rate.retryInMs / 1_000)
    throw new Fault("rateLimited", `${limit} Try again in ${retryAfterSeconds} s. ${ownKeyHelps}`, {
      retryAfterSeconds,
    })
  }
  return caller
}

/** Where the operator has closed the guests' account or revoked its key, a call without a key is refused as without guests. */
async function identify({ secretHash }: Guests, admission: Pipeline["admission"]): Promise<Caller> {
  try {
    return await admission.identifyHash(secretHash)
  } catch (thrown) {
    throw thrown instanceof Fault && thrown.status === 401 ? fixedFault("keyMissing") : thrown
  }
}

/** The rate bucket of an address. Which addresses share one, only those can find out who know the secret. */
export function bucketOf(address: string, secret: string): RateTake["buckets"][number]["id"] {
  const hash = new Bun.CryptoHasher("sha256", secret).update(networkOf(address)).digest()
  return `guests-${hash.readUInt32BE() % buckets}`
}

/** An IPv6 client usually has all addresses of a network of 64 bits (RFC 6177), so they count as one. */
function networkOf(text: string): string {
  const address = parseAddress(withoutZone(text))
  if (address === null) return text
  return isIpv6(address) ? Buffer.from(address.toByteArray().slice(0, 8)).toString("hex") : String(address)
}
