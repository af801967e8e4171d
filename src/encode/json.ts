import type { Envelope } from "./envelope.ts"

/** JSON (RFC 8259). */
export function encodeJson(envelope: Envelope): string {
  return JSON.stringify(envelope)
}

/** Neighbouring items of a list, with a comma after the item before them. */
export function encodeJsonItems(items: readonly unknown[], firstIndex: number): string {
  return (firstIndex === 0 ? "" : ",") + JSON.stringify(items).slice(1, -1)
}
