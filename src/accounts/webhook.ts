import type { Random } from "../apis/contract.ts"
import { hostOf, isLoopback, isPublicDestination, parseDestination } from "../values/ip.ts"
import { AccountError } from "./requirements.ts"

/** A new signing secret: `whsec_` and 32 random bytes in base64. Standard Webhooks asks for 24 to 64. */
export function createWebhookSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(32)).toString("base64")}`
}

/** The ports that the webhooks of customers may always use. */
const usualPorts = [443, 8443]

interface WebhookRules {
  /** Whether its host may have a private address. */
  readonly allowPrivate: boolean
  /** Whether it may name this machine, where services listen that no customer may reach. */
  readonly allowLocal: boolean
  /** The ports that it may use besides the usual ones; null for any. */
  readonly ports: readonly number[] | null
}

/**
 * Checks the URL of a webhook and normalizes it. It must use https, or name this machine itself (`localhost`, 127.0.0.0/8 or
 * `::1`). An address in the URL is checked here; a host name at each attempt, when it is resolved.
 * @throws AccountError
 */
export function requireWebhookUrl(text: string, { allowPrivate, allowLocal, ports }: WebhookRules): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw refused("The URL of a webhook must be complete, such as https://example.com/hook.")
  if (url.protocol === "http:" && !isLoopback(hostOf(url)))
    throw refused("The URL of a webhook must start with https://; only localhost may use http.")
  if (!allowLocal && isLoopback(hostOf(url)))
    throw refused("The URL of a webhook must name a host on the internet, such as https://example.com/hook.")
  if (url.username !== "" || url.password !== "")
    throw refused("The URL of a webhook must not contain a user name or password.")
  const allowedPorts = ports && [...new Set([...usualPorts, ...ports])]
  if (allowedPorts && !allowedPorts.includes(Number(url.port || 443)))
    throw refused(`The URL of a webhook must use one of the ports ${allowedPorts.join(", ")}.`)
  const address = parseDestination(hostOf(url))
  if (address && !addressRule(url, allowPrivate)(address.toString()))
    throw refused(
      `${url.hostname} is a private or special address; ${allowLocal ? "'allow_private' or --allow-private permits it for this webhook" : "name a public one"}.`,
    )
  return url.href
}

/** Host and port of a webhook's URL, for records: the rest may hold a secret. Other texts are returned unchanged. */
export function webhookPlace(url: string): string {
  return /^https?:/.test(url) && URL.canParse(url) ? new URL(url).host : url
}

function refused(message: string): AccountError {
  return new AccountError(message, "url")
}

/**
 * The IP addresses that a webhook may be sent to, against server-side request forgery: public ones, or all with `allowPrivate`.
 * Loopback if the URL names it, so that a stranger's host name cannot resolve to it. With http, only loopback.
 */
export function addressRule(url: URL, allowPrivate: boolean): (address: string) => boolean {
  const mayBeLoopback = isLoopback(hostOf(url))
  return (text) => {
    const address = parseDestination(text)
    if (!address) return false
    if (address.range() === "loopback" && mayBeLoopback) return true
    if (url.protocol !== "https:") return false
    return allowPrivate || isPublicDestination(text)
  }
}
