import { requireWebhookUrl } from "../accounts/webhook.ts"
import { parseServerAddress } from "../ports/dns/server-address.ts"
import type { MailServer } from "../ports/mail-sender.ts"
import { type Network, toNetwork } from "../values/ip.ts"
import { messageOf } from "../values/message-of.ts"
import { parseDuration, parseInstant } from "../values/time-text.ts"

/** Reads the text of a setting. Throws an Error whose message continues the setting's name: "must be …". */
export interface Reader<T> {
  (text: string): T
  /** All texts that are allowed, if there is a fixed list. */
  readonly choices?: readonly string[]
}

export function text(value: string): string {
  if (value === "") throw new Error("must not be empty")
  return value
}

/** The time between two backups, in seconds: from 10 minutes to 366 days. */
export function backupInterval(value: string): number {
  const ms = parseDuration(value)
  if (ms !== null && ms >= 600_000 && ms <= 366 * 86_400_000) return ms / 1_000
  throw new Error(`must be a time from 10m to 366d, such as 24h, not '${value}'`)
}

/** A name to show: one line of 60 characters at most. */
export function title(value: string): string {
  const name = value.trim()
  const isLine = name !== "" && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)
  if (isLine && [...name].length <= 60) return name
  throw new Error("must be one line of 1 to 60 characters, without control characters")
}

/** A colour as CSS writes it, without transparency, as `#rrggbb`. */
export function opaqueColor(value: string): string {
  // Otherwise text after a colour would be ignored.
  const isAlone = /^(?:#[\da-f]+|[a-z]+|[a-z]+\([^(){};]*\))$/i.test(value)
  const channels = isAlone ? Bun.color(value, "[rgba]") : null
  const hex = Bun.color(value, "hex")
  if (Array.isArray(channels) && channels[3] === 255 && hex !== null && /^#[\da-f]{6}$/i.test(hex)) return hex
  throw new Error(`must be a colour without transparency such as #0b6b5d or teal, not '${value}'`)
}

export function oneOf<const T extends string>(choices: readonly T[]): Reader<T> {
  const read = (text: string): T => {
    const found = choices.find((choice) => choice === text)
    if (found === undefined) throw new Error(`must be one of ${choices.join(", ")}, not '${text}'`)
    return found
  }
  return Object.assign(read, { choices })
}

export function integer(minimum: number, maximum: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    throw new Error(`must be a whole number from ${minimum} to ${maximum}, not '${value}'`)
  }
}

/** An http or https URL without path, query and fragment. */
export function origin(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (isOrigin) return url.origin
  throw new Error(`must be an address such as https://api.example.com, without a path, not '${value}'`)
}

/** An http or https URL, for links. */
export function link(value: string): string {
  const url = URL.canParse(value) && !/[\s\p{Cc}]/u.test(value) ? new URL(value) : null
  const isLink = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === ""
  if (isLink && url.href.length <= 2_000) return url.href
  throw new Error(`must be an address such as https://example.com/terms, not '${value}'`)
}

/** The URL of a webhook that the operator chooses. */
export function webhookUrl(value: string): string {
  try {
    return requireWebhookUrl(value, { allowPrivate: true, allowLocal: true, ports: null })
  } catch (thrown) {
    throw new Error(`cannot be '${value}'. ${messageOf(thrown).replace(/\.$/, "")}`)
  }
}

/** An e-mail address or a URL, as a URL: `mailto:help@example.com`. */
export function contact(value: string): string {
  if (/^[^\s\p{Cc}@:/?#]{1,64}@[\p{L}\d.-]{1,253}$/u.test(value)) return `mailto:${value}`
  try {
    return link(value)
  } catch {
    throw new Error(
      `must be an e-mail address or an address such as https://example.com/help, not '${value}'`,
    )
  }
}

/** The URL of a mail server, checked but unchanged. A password in it would be seen in the list of processes and in messages. */
export function smtpUrl(value: string): string {
  if (URL.canParse(value) && new URL(value).password !== "")
    throw new Error("must not hold the password: set PENKNIFE_SMTP_PASSWORD or --smtp-password-file")
  toMailServer(value)
  return value
}

/** The parts of the URL of a mail server. */
export function toMailServer(value: string): Pick<MailServer, "host" | "port" | "security" | "user"> {
  const url = URL.canParse(value) ? new URL(value) : null
  const starttls = url?.searchParams.get("starttls") ?? null
  const isKnown =
    url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "" && /^\/?$/.test(url.pathname)
  const isMeant = starttls === null || (starttls === "never" && url?.protocol === "smtp:")
  if (!isKnown || !isMeant || [...url.searchParams].length > (starttls === null ? 0 : 1) || url.hash !== "")
    throw new Error(
      "must be a URL such as smtp://user@mail.example.com:587 or smtps://mail.example.com, without a path",
    )
  const isTls = url.protocol === "smtps:"
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isTls ? 465 : 587),
    security: isTls ? "tls" : starttls === "never" ? "none" : "starttls",
    user: url.username === "" ? null : decodeURIComponent(url.username),
  }
}

/** An e-mail address that mails come from. */
export function mailAddress(value: string): string {
  if (
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/.test(value) &&
    value.length <= 254
  )
    return value
  throw new Error(`must be an e-mail address such as no-reply@example.com, not '${value}'`)
}

/** A domain of e-mail addresses in small letters, in ASCII. */
export function mailDomain(value: string): string {
  const domain = value.trim().toLowerCase()
  if (/^(?=.{3,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/.test(domain)) return domain
  throw new Error(`must be a domain in ASCII such as mail.example, not '${value}'`)
}

/** A number from 0 to 1. */
export function share(value: string): number {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= 0 && number <= 1) return number
  throw new Error(`must be a number from 0 to 1, not '${value}'`)
}

export function trueOrFalse(value: string): boolean {
  if (value !== "true" && value !== "false") throw new Error(`must be true or false, not '${value}'`)
  return value === "true"
}

/** An ISO 8601 instant, 1970 or later, in milliseconds since then. */
export function instant(value: string): number {
  const ms = parseInstant(value)
  if (ms !== null && ms >= 0) return ms
  throw new Error(`must be an instant from 1970 to 9999, such as 2025-01-01T00:00:00Z, not '${value}'`)
}

/** Host names and IP addresses, separated by commas. */
export function hosts(value: string): readonly string[] {
  const names = value.split(",").map((name) => name.trim())
  const form = /^(\*\.)?[A-Za-z0-9_.-]+$|^[0-9A-Fa-f:]+$/
  if (names.every((name) => form.test(name) && name.length <= 253)) return names
  throw new Error(`must be host names or IP addresses, separated by commas, not '${value}'`)
}

/** The address of a DNS server, checked but unchanged. */
export function dnsServer(value: string): string {
  parseServerAddress(value)
  return value
}

/** Where the administration is served: nowhere, with the APIs, or at another address. */
export type AdminPlace = "off" | "same" | { readonly host: string; readonly port: number }

export function adminPlace(value: string): AdminPlace {
  if (value === "off" || value === "same") return value
  const [, host, bracketed, digits] = /^(?:([\w.-]+)|\[([\da-f:.]+)\]):(\d{1,5})$/i.exec(value) ?? []
  const name = host ?? bracketed
  const port = Number(digits)
  if (name !== undefined && port <= 65_535) return { host: name, port }
  throw new Error(`must be off, same, or HOST:PORT such as 127.0.0.1:8081, not '${value}'`)
}

export function network(value: string): Network {
  try {
    return toNetwork(value)
  } catch {
    throw new Error(`must be an IP address or a network such as 10.0.0.0/8, not '${value}'`)
  }
}
