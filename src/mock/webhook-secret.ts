import { hostOf, isLoopback } from "../values/ip.ts"

/**
 * The secret that signs webhooks to the URL of `--webhook`, the same for every test double: a receiver under test can have it in
 * its settings. 32 bytes in base64, as Standard Webhooks asks.
 */
export const mockWebhookSecret = "whsec_cGVua25pZmUtbW9jay13ZWJob29rLXNlY3JldC0zMmI="

/** The webhook of `--webhook`, as a start tells of it. */
export interface MockWebhook {
  readonly url: string
  readonly secret: string
  /** Why nothing is sent there; null if messages are. */
  readonly reason: string | null
}

export const notLocal =
  "not sent: the test double delivers to this machine alone, which is localhost, 127.0.0.0/8 and ::1"

/** The webhook of this URL; null without one. */
export function mockWebhookOf(url: string | null): MockWebhook | null {
  if (url === null) return null
  return { url, secret: mockWebhookSecret, reason: isLoopback(hostOf(new URL(url))) ? null : notLocal }
}
