import type { GiveWay } from "../../../apis/contract.ts"
import type { CallerIds } from "../../../call/caller.ts"
import type { Pipeline } from "../../../call/pipeline.ts"
import type { UnsentAnswer } from "../../../call/unsent.ts"
import { weightOf } from "../../../encode/json.ts"
import type { Encoded } from "../../../encode/tree.ts"
import type { CallsInProgress } from "../calls.ts"
import { pulledStream } from "./pulled-stream.ts"

/** The parts of the service that the writing of bodies needs. */
export interface BodyParts {
  readonly pipeline: Pick<Pipeline, "unsent" | "ports" | "scheduler">
  readonly calls: CallsInProgress
}

/** Bodies up to this length are sent in one write. Larger ones are cut into pieces of this length. */
const pieceLength = 65_536

/** A part of a body as UTF-8. The memory of an unread answer is freed at once, since the collector may leave it for a minute. */
type Piece = ArrayBuffer

const encoder = new TextEncoder()

function toPiece(text: string): Piece {
  return encoder.encode(text).buffer
}

function drop(pieces: Piece[]): void {
  for (const piece of pieces.splice(0)) piece.transfer(0)
}

/**
 * A body that is made in parts. A large one is counted as unsent while it is made, and sent as its client reads it.
 * @param answer has the bytes of the data that the body is made from; they count until it is made
 */
export function createBodyWriter(parts: BodyParts, answer = parts.pipeline.unsent.open()) {
  const dataBytes = answer.bytes()
  const pieces: Piece[] = []
  let text = ""
  let hasEnded = false

  function addText(part: string): void {
    text += part
    if (text.length < pieceLength) return
    for (const piece of toPieces(text)) {
      pieces.push(piece)
      answer.add(piece.byteLength)
    }
    text = ""
  }

  async function addAll(parts: Iterable<string>, giveWay: GiveWay): Promise<void> {
    for (const part of parts) {
      await giveWay()
      for (let room = answer.room(); room; room = answer.room()) {
        await room
        await giveWay()
      }
      addText(part)
    }
  }

  return {
    /** Returns a promise when the text is made in pieces: wait for it before more is added. */
    add(part: Encoded, giveWay: GiveWay): Promise<void> | undefined {
      if (typeof part !== "string") return addAll(part, giveWay)
      addText(part)
    },
    /** The count of its bytes. */
    answer,
    /** The whole body; `before` and `after` come around what was added. */
    end(before: string, after: string): Body {
      hasEnded = true
      if (pieces.length > 0) {
        answer.complete()
        answer.free(dataBytes)
        if (before !== "") pieces.unshift(toPiece(before))
        if (text + after !== "") pieces.push(toPiece(text + after))
        return toPulledStream(pieces, answer, parts)
      }
      answer.close()
      return toWholeBody(before + text + after)
    },
    /** Tells that nothing will be sent. Does nothing after `end`. */
    discard(): void {
      if (hasEnded) return
      drop(pieces)
      answer.close()
    },
  }
}

/** A body that is made. */
export type Body = string | ReadableStream

/**
 * The body of an answer that is charged already. Returns a promise only for a large one, which is made in steps.
 * @param data the value that `text` writes: a large text is made when there is room, and its data counts until then
 * @param answer counts the data already
 */
export function toBody(
  text: Encoded,
  caller: CallerIds | null,
  parts: BodyParts,
  data: unknown = text,
  answer?: UnsentAnswer | null,
): Body | Promise<Body> {
  if (typeof text === "string" && text.length < pieceLength) {
    answer?.close()
    return toWholeBody(text)
  }
  const counted = answer ?? parts.pipeline.unsent.open()
  if (!answer) counted.add(weightOf(data, Number.POSITIVE_INFINITY))
  const body = createBodyWriter(parts, counted)
  const { scheduler } = parts.pipeline
  const added = body.add(text, () => scheduler.giveWay(caller?.account.id ?? ""))
  return added ? added.then(() => body.end("", "")) : body.end("", "")
}

/** A text when it is small, else a stream. */
function toWholeBody(text: string): Body {
  if (text.length <= maxGatheredBytes / 3) return text
  return Buffer.byteLength(text) > maxGatheredBytes ? toOneWrite(text) : text
}

/** The value that a handler returns for a body: Elysia takes a stream only inside of a response. */
export function toResponse(body: Body): string | Response {
  return typeof body === "string" ? body : new Response(body)
}

/** Bun gathers what it writes, headers included, in a buffer of 16 KiB. */
const maxGatheredBytes = 15_000

/**
 * Bun 1.4.5 sends an answer that comes after a wait and does not fit its buffer in some fifty system calls (oven-sh/bun#41341).
 * A direct stream goes out in one, with a Content-Length: a batch of 200 takes a quarter less processor time (decision 9).
 */
function toOneWrite(text: string): ReadableStream {
  const source: Bun.DirectUnderlyingSource = {
    type: "direct",
    pull(controller) {
      controller.write(text)
      controller.close()
    },
  }
  return new ReadableStream(source, { highWaterMark: 3 * text.length })
}

function toPieces(text: string): Piece[] {
  const pieces: Piece[] = []
  for (let start = 0; start < text.length; ) {
    const end = start + pieceLength
    // A pair of surrogates stays together.
    const isCut = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    const next = isCut ? end - 1 : end
    pieces.push(toPiece(text.slice(start, next)))
    start = next
  }
  return pieces
}

/** Sends the pieces as they are taken, which `answer` counts. */
function toPulledStream(pieces: Piece[], answer: UnsentAnswer, parts: BodyParts): ReadableStream {
  return pulledStream(parts, {
    answer,
    next() {
      const piece = pieces.shift()
      if (!piece) return null
      // A copy, which the stream may keep: new memory is collected soon.
      const copy = new Uint8Array(piece.slice(0))
      drop([piece])
      return copy
    },
    finish: () => drop(pieces),
  })
}
