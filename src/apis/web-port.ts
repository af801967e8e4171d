import type { Asker } from "./dns-port.ts"

/**
 * Reads documents that a domain publishes about itself, over HTTPS.
 * @example
 * async function readPolicy(domain: string, web: Web): Promise<string | null> {
 *   const answer = await web.get(`https://mta-sts.${domain}/.well-known/mta-sts.txt`)
 *   return answer.kind === "reply" && answer.status === 200 ? new TextDecoder().decode(answer.body) : null
 * }
 */
export interface Web {
  /**
   * Sends one GET without any secret. Every failure is an answer. Only `https:` at port 443 of a name is asked; all addresses of
   * the name must be public, and its certificate must be valid for it. A redirect is a reply, and is not followed. A reply of
   * over 65,536 bytes or 10 seconds is a failure.
   */
  get(url: string, ...asker: Asker): Promise<WebAnswer>
}

/** Why there is no reply. */
export type WebFailure =
  /** The service sends no such requests (`--no-outbound`). */
  | "off"
  /**
   * The URL does not begin with `https:`, has a port other than 443, a user or a password, or an IP address instead of a name.
   */
  | "url"
  /** The name has no address. */
  | "no-address"
  /** The DNS gave no answer. */
  | "dns"
  /** An address of the name is private or special. */
  | "private-address"
  /** Nothing listens at port 443, or the host cannot be reached. */
  | "unreachable"
  /** This machine has no route to an address of the host, such as none for IPv6. It says nothing of the host. */
  | "no-route"
  /** This machine reaches no host: it has no network, or no free file descriptor. */
  | "offline"
  | "expired-certificate"
  /** The certificate is valid for other names. A common name does not count (RFC 9525 §6.3). */
  | "wrong-certificate"
  /** It, or one that leads to the authority, has RSA under 2,048 bits, or is signed with MD5 or SHA-1. */
  | "weak-certificate"
  /** The certificate is signed by itself, or by an authority that is not trusted. */
  | "untrusted-certificate"
  /** The server does not speak TLS, or not as it should. */
  | "tls"
  /** The connection ended early, or what came is no HTTP. */
  | "broken"
  | "timeout"
  | "too-large"
  /** The call gave up, or has sent as many requests as one may. */
  | "aborted"

/** The answer to one request. */
export type WebAnswer = WebReply | WebFailed

/** A reply, read to its end. */
export interface WebReply {
  readonly kind: "reply"
  readonly status: number
  /** The header `Content-Type` as it came; null without one. */
  readonly contentType: string | null
  readonly body: Uint8Array
  /** The certificates of the server and of those that signed it, as the server sent them: DER in base64. */
  readonly certificates: readonly string[]
}

/** No reply came, or it must not be used. */
export interface WebFailed {
  readonly kind: "failure"
  readonly reason: WebFailure
  /** The certificates that the server sent, although they are not accepted. See {@link WebReply}. Empty for other failures. */
  readonly certificates: readonly string[]
}

/** Replies by URL, for examples and tests. All other URLs fail with `no-address`. */
export type WebFixture = Readonly<Record<string, WebEntry>>

/** A reply, or the way in which a request fails. */
export type WebEntry =
  | {
      /** 200 by default. */
      readonly status?: number
      /** The header `Content-Type`; `text/plain` by default. */
      readonly type?: string
      /** The body as text; empty by default. */
      readonly body?: string
      /** The certificates of the server in PEM. */
      readonly certificate?: string
    }
  | { readonly failure: WebFailure; readonly certificate?: string }
