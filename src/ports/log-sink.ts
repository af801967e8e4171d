import type { Timer } from "../apis/contract.ts"

/** Lines on their way to the operator. */
export interface LogSink {
  /** Takes a line with its newline; it leaves with the next piece. Costs no system call, never waits, never throws. */
  write(line: string): void
  /** Sends what is there now. */
  flush(): void
  /** Sends everything; resolves when it is out, or after a second for a reader that does not read. */
  close(): Promise<void>
  /** Lines thrown away because the reader did not keep up. */
  dropped(): number
}

export interface LogSinkOptions {
  readonly timer: Timer
  /** Turns a JSON line into what is sent. */
  readonly format?: ((line: string) => string) | undefined
  /**
   * Octets of a piece at most, but for a line that is longer by itself. Where several processes write to one pipe it must
   * not be over PIPE_BUF, 4,096: larger pieces may be torn apart by another's (POSIX write()).
   */
  readonly pieceBytes?: number
}

/** Lines wait so long at most. */
const flushMs = 100
/** Octets that wait for a reader who does not keep up; what comes on top is dropped, so that memory stays bounded. */
const maxWaitingBytes = 8 * 1_048_576
const closeMs = 1_000

/**
 * Gathers lines into pieces, one on its way at a time. Lines become octets at once: kept as strings they would cost the
 * garbage collector more than all else together.
 * @param send writes octets and calls back when they are out, or cannot be
 */
export function createLogSink(
  send: (piece: Uint8Array, done: () => void) => void,
  { timer, format, pieceBytes = 65_536 }: LogSinkOptions,
): LogSink {
  const full: Uint8Array[] = []
  let fullBytes = 0
  let filling = Buffer.allocUnsafe(pieceBytes)
  let used = 0
  let dropped = 0
  let sending = false
  let cancelTimer: (() => void) | null = null
  let closing: (() => void) | null = null

  function seal(): void {
    if (used === 0) return
    queue(filling.subarray(0, used))
    filling = Buffer.allocUnsafe(pieceBytes)
    used = 0
  }

  function queue(piece: Uint8Array): void {
    full.push(piece)
    fullBytes += piece.byteLength
  }

  function flush(): void {
    cancelTimer?.()
    cancelTimer = null
    if (sending) return
    if (full.length === 0) seal()
    const piece = full.shift()
    if (!piece) return
    fullBytes -= piece.byteLength
    sending = true
    send(piece, sent)
  }

  function sent(): void {
    sending = false
    if (full.length > 0 || (closing && used > 0)) flush()
    else if (closing) closing()
    else if (used > 0) wait()
  }

  function wait(): void {
    cancelTimer ??= timer.after(flushMs, flush)
  }

  /** A UTF-16 unit takes three octets of UTF-8 at most. */
  function append(text: string): void {
    const most = text.length * 3
    if (most > pieceBytes - used) seal()
    if (most > pieceBytes) queue(Buffer.from(text))
    else used += filling.write(text, used)
  }

  return {
    write(line) {
      if (fullBytes > maxWaitingBytes) {
        dropped++
        return
      }
      append(withoutControls(format ? format(line) : line))
      if (sending) return
      if (full.length > 0) flush()
      else wait()
    },
    flush,
    close() {
      return new Promise((resolve) => {
        const cancel = timer.after(closeMs, resolve)
        closing = () => {
          cancel()
          resolve()
        }
        flush()
        if (!sending) closing()
      })
    },
    dropped: () => dropped,
  }
}

/**
 * JSON escapes controls below U+0020 only. The others (DEL, C1, which holds a one-character CSI, and the line separators of
 * Unicode) would move the cursor of a terminal or break a line in a viewer.
 */
function withoutControls(text: string): string {
  if (!/[\u007f-\u009f\u2028\u2029]/.test(text)) return text
  return text.replace(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
