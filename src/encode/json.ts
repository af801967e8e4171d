import type { Envelope } from "./envelope.ts"

/** JSON (RFC 8259). */
export function encodeJson(envelope: Envelope): string {
  return JSON.stringify(envelope)
}

/** An item of a list, with a comma after the item before it. */
export function encodeJsonItem(_name: string, item: unknown, index: number): string {
  return (index === 0 ? "" : ",") + JSON.stringify(item ?? null)
}
