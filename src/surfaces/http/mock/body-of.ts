/** Reads a copy of a request's body as text. Of one over `maxBytes` only the beginning, so that it cannot fill the memory. */
export async function bodyOf(request: Request, maxBytes: number): Promise<string> {
  const reader = request.clone().body?.getReader()
  if (!reader) return ""
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    while (bytes <= maxBytes) {
      const { done, value } = await reader.read()
      if (done) return textOf(chunks)
      chunks.push(value)
      bytes += value.byteLength
    }
    // Not awaited: of two readers of one body, the first cancellation ends with the second.
    reader.cancel().catch(() => {})
  } catch {
    // The client hung up. The service answers that.
  }
  return textOf(chunks)
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString("utf8")
}
