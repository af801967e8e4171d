import type { GiveWay } from "../../../apis/contract.ts"
import { Fault, fixedFault, inputFault } from "../../../call/fault.ts"
import { isObject } from "../../../values/is-object.ts"
import { type Intake, mostPieces } from "./intake.ts"
import { quickBytes, requireModerate } from "./json-size.ts"
import { httpLimits } from "./limits.ts"

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads a JSON object, a large one in steps. Rejects with a Fault: 415 (Content-Type), 413 (too large), 408 (too slow), or 400
 * (too many pieces, or not an object).
 */
export function readJsonObject(
  request: Request,
  intake: Intake,
  giveWay: GiveWay,
): Promise<Record<string, unknown>> {
  return readJsonWith(requireObject, request, intake, giveWay)
}

/** {@link readJsonObject} for any JSON value. */
export function readJson(request: Request, intake: Intake, giveWay: GiveWay): Promise<unknown> {
  return readJsonWith((value) => value, request, intake, giveWay)
}

function readJsonWith<T>(check: (value: unknown) => T, request: Request, intake: Intake, giveWay: GiveWay) {
  if (!jsonType.test(request.headers.get("content-type") ?? ""))
    return Promise.reject(fixedFault("mediaTypeUnsupported"))
  return readBody(request, intake, (bytes) =>
    bytes.byteLength > quickBytes ? readInSteps(bytes, check, giveWay) : readAtOnce(bytes, check),
  )
}

/** Reads a request body as a JSON object, whatever its Content-Type. Rejects as {@link readJsonObject} does. */
export function readObject(request: Request, intake: Intake): Promise<Record<string, unknown>> {
  return readBody(request, intake, (bytes) => readAtOnce(bytes, requireObject))
}

/** Reads a request body as text. Rejects with a Fault: 413, 408, 400 when it has too many pieces or is not UTF-8. */
export function readText(request: Request, intake: Intake): Promise<string> {
  return readBody(request, intake, toText)
}

/** A declared length is checked before a byte is read, an undeclared one while reading. */
function readBody<T>(
  request: Request,
  intake: Intake,
  read: (bytes: ArrayBuffer | Uint8Array) => T | Promise<T>,
): Promise<T> {
  const declared = request.headers.get("content-length")
  if (declared === null)
    return intake.inTime(request, (count) => readCounted(request, intake.maxBytes, count), read)
  const bytes = Number(declared)
  if (bytes > intake.maxBytes) return Promise.reject(tooLarge(intake.maxBytes))
  return intake.inTime(
    request,
    (count) => {
      if (bytes > httpLimits.uncountedBodyBytes) count(bytes)
      return request.arrayBuffer()
    },
    read,
  )
}

/** Gives way before, between and after its steps: of 2 MB, the check takes up to 15 ms and the rest 30. */
async function readInSteps<T>(
  bytes: ArrayBuffer | Uint8Array,
  check: (value: unknown) => T,
  giveWay: GiveWay,
): Promise<T> {
  await giveWay()
  checkSize(bytes)
  await giveWay()
  const value = await parse(toText(bytes), check)
  await giveWay()
  return value
}

function readAtOnce<T>(bytes: ArrayBuffer | Uint8Array, check: (value: unknown) => T): T | Promise<never> {
  checkSize(bytes)
  return parse(toText(bytes), check)
}

function checkSize(bytes: ArrayBuffer | Uint8Array): void {
  // Most bodies are small: without this line, an array would be made for each.
  if (bytes.byteLength <= quickBytes) return
  requireModerate(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes)
}

function requireObject(value: unknown): Readonly<Record<string, unknown>> {
  if (isObject(value)) return value
  throw inputFault("body", `must be a JSON object such as {"name": "value"}, not ${nameOf(value)}`)
}

function toText(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw inputFault("body", "must be UTF-8 text that is not compressed")
  }
}

function parse<T>(text: string, check: (value: unknown) => T): T | Promise<never> {
  if (text === "") throw inputFault("body", "must be a JSON object; it is empty")
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuseText(text)
  }
  return check(value)
}

/** The parser's own message quotes the input, which may hold a secret. `json-mistake.ts` is loaded with the first mistake. */
async function refuseText(text: string): Promise<never> {
  const { placeOfMistake } = await import("./json-mistake.ts")
  throw inputFault("body", `must be valid JSON${placeOfMistake(text)}`)
}

/**
 * Reads a body without a declared length. The runtime hands over each chunk on its own as soon as it has arrived: a body of 1.5
 * million chunks of one byte would take 2.3 s of processor time, during which nothing else runs.
 */
async function readCounted({ body }: Request, maxBytes: number, count: (bytes: number) => void) {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return Buffer.concat(pieces)
      bytes += value.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      if (pieces.length >= mostPieces(bytes)) throw fixedFault("bodyInPieces")
      count(value.byteLength)
      pieces.push(value)
    }
  } finally {
    // The rest of the body is read away before the refusal is sent, or cancelled.
    reader.releaseLock()
  }
}

function tooLarge(maxBytes: number): Fault {
  const limit = `at most ${maxBytes.toLocaleString("en-US")} bytes`
  return new Fault("bodyTooLarge", `The request 'body' must have ${limit}.`, { parameter: "body" })
}

function nameOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "an array" : `a ${typeof value}`
}
