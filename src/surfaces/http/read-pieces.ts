import { httpLimits } from "./limits.ts"

/** The part of a stream's reader that is used here. */
interface PieceReader {
  read(): Promise<
    | { readonly done: false; readonly value: Uint8Array }
    | { readonly done: true; readonly value?: Uint8Array | undefined }
  >
}

interface Bounds {
  readonly maxBytes: number
  /** Bytes for which a body may have a piece more than {@link httpLimits.freePieces}. */
  readonly bytesPerPiece: number
}

/** How the reading of a body ended. */
export type ReadingEnd = "whole" | "tooLarge" | "tooManyPieces"

/**
 * Reads a body until it ends or passes its bounds. The runtime hands over each chunk on its own as soon as it has arrived: a body
 * of 1.5 million chunks of one byte would take 2.3 s of processor time, during which nothing else runs.
 */
export async function readPieces(
  reader: PieceReader,
  { maxBytes, bytesPerPiece }: Bounds,
  take: (piece: Uint8Array) => void,
): Promise<ReadingEnd> {
  let bytes = 0
  for (let pieces = 1; ; pieces++) {
    const { done, value } = await reader.read()
    if (done) return "whole"
    bytes += value.byteLength
    if (bytes > maxBytes) return "tooLarge"
    if (pieces > httpLimits.freePieces + bytes / bytesPerPiece) return "tooManyPieces"
    take(value)
  }
}
