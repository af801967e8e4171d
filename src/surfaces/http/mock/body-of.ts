/**
 * What a request brings, and leaves it to be read again; invalid UTF-8 as U+FFFD. Of a body that is too large only a
 * beginning of about `maxBytes`, so that nobody's mistake fills the memory; the service refuses it.
 */
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
    // Not waited for: of two readers of one body, the first to give up is told when the second one does.
    reader.cancel().catch(() => {})
  } catch {
    // The client hung up in the middle; the service says so.
  }
  return textOf(chunks)
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString("utf8")
}
