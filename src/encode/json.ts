import type { Envelope, ListPart } from "./envelope.ts"

/** RFC 8259. */
export function encodeJson(envelope: Envelope): string {
  return JSON.stringify(envelope)
}

/** Some items of a list, with the commas between them and to those before. */
export function encodeJsonItems({ items, firstIndex }: ListPart): string {
  return (firstIndex === 0 ? "" : ",") + JSON.stringify(items).slice(1, -1)
}
