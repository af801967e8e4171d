import { AdminFault } from "./fault.ts"

/** The most bytes of metadata as JSON. */
const maxMetadataBytes = 4_096

/** Metadata as JSON, for the store. */
export function requireMetadata(metadata: Readonly<Record<string, unknown>>): string {
  const json = JSON.stringify(metadata)
  const bytes = Buffer.byteLength(json)
  if (bytes <= maxMetadataBytes && json.isWellFormed()) return json
  throw new AdminFault(
    "invalid",
    `The 'metadata' parameter must be at most ${maxMetadataBytes} bytes of JSON; this is ${bytes}.`,
    { parameter: "metadata" },
  )
}
