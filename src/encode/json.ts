import type { Envelope } from "./formats.ts"

/** RFC 8259. */
export function encodeJson(envelope: Envelope): string {
  return JSON.stringify(envelope)
}
