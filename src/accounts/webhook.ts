import type { Random } from "../apis/contract.ts"
import { isPublic, parseDestination } from "../values/ip.ts"
import { AccountError } from "./accounts.ts"

/** Standard Webhooks asks for 24 to 64 random octets. */
const secretBytes = 32

/**
 * A new signing secret in the form of Standard Webhooks: `whsec_` and base64. Unlike a key it is stored as it is, since
 * signing needs it.
 */
export function createWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(secretBytes)).toString("base64")}`
}

/**
 * Checks the URL of a webhook and gives it in normal form. `https`, or `http` where the URL itself names this machine:
 * `localhost`, 127.0.0.0/8 or `::1`. Whether a name leads into a private network is only known when it is resolved, at
 * each sending; an address in the URL is looked at here.
 * @throws {AccountError} saying what to change
 */
export function requireWebhookUrl(text: string, allowPrivate: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new AccountError("The URL of a webhook must be a whole one, such as https://example.com/hook.")
  }
  if (url.protocol === "http:" && !namesLoopback(url)) {
    throw new AccountError("The URL of a webhook must start with https://; http is for localhost alone.")
  }
  if (url.username !== "" || url.password !== "") {
    throw new AccountError("The URL of a webhook must not hold a user name or password.")
  }
  const address = parseDestination(hostOf(url))
  if (address && !addressRule(url, allowPrivate)(address.toString())) {
    throw new AccountError(
      `${url.hostname} is a private or special address; --allow-private permits it for this webhook.`,
    )
  }
  return url.href
}

/**
 * Which IP addresses a webhook's URL may be sent to. Public ones; loopback where the URL itself names it (so that a
 * foreign name cannot lead here); any with `allowPrivate`. `http` goes to loopback and nowhere else.
 */
export function addressRule(url: URL, allowPrivate: boolean): (address: string) => boolean {
  const mayBeLoopback = namesLoopback(url)
  return (text) => {
    const address = parseDestination(text)
    if (!address) return false
    if (address.range() === "loopback" && mayBeLoopback) return true
    if (url.protocol !== "https:") return false
    return allowPrivate || isPublic(address)
  }
}

function namesLoopback(url: URL): boolean {
  const host = hostOf(url)
  return host === "localhost" || parseDestination(host)?.range() === "loopback"
}

/** A URL's host without the brackets of an IPv6 literal. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1")
}
