import { Fault, fixedFault, inputFault } from "../../call/fault.ts"

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads a request body as a JSON object.
 * @throws Fault 415 when it is not declared as JSON, 413 when it has more than `maxBytes`, 400 when it is no JSON object
 */
export async function readJsonObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  if (!jsonType.test(request.headers.get("content-type") ?? "")) throw fixedFault("mediaTypeUnsupported")
  return readObject(request, maxBytes)
}

/** Reads a request body as a JSON object, whatever it is declared as. Throws what {@link readJsonObject} throws. */
export async function readObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  const value = parse(await readText(request, maxBytes))
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw inputFault("body", `must be a JSON object such as {"name": "value"}, not ${nameOf(value)}`)
  }
  return value as Record<string, unknown>
}

/** Reads a request body as text. Throws a Fault 413 when it has more than `maxBytes`, 400 when it is not UTF-8. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  const bytes = await readBytes(request, maxBytes)
  try {
    return utf8.decode(bytes)
  } catch {
    throw inputFault("body", "must be UTF-8 text")
  }
}

function parse(text: string): unknown {
  if (text === "") throw inputFault("body", "must be a JSON object; it is empty")
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the input, which may hold a secret.
    throw inputFault("body", "must be valid JSON")
  }
}

/** A declared length is refused before a byte is read; an undeclared one is counted on the way. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length")
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes)
  try {
    if (declared !== null) return new Uint8Array(await request.arrayBuffer())
    return await readCounted(request, maxBytes)
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown
    // The client hung up in the middle: its doing, and nobody is left to read this.
    throw inputFault("body", "must arrive whole; the connection ended before it did")
  }
}

async function readCounted(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.byteLength
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function tooLarge(maxBytes: number): Fault {
  return new Fault(
    "bodyTooLarge",
    `The request 'body' must have at most ${maxBytes.toLocaleString("en-US")} bytes.`,
    { parameter: "body" },
  )
}

function nameOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "an array" : `a ${typeof value}`
}
