import type { Timer } from "./timer.ts"

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
  readonly format?: (line: string) => string
  /**
   * Characters of a piece, about. Where several processes write to one pipe it has to stay under PIPE_BUF, 4,096 octets:
   * larger pieces may be torn apart by another's (POSIX write()).
   */
  readonly pieceLength?: number
}

/** Lines wait so long at most. */
const flushMs = 100
/** Characters that wait for a reader who does not keep up; what comes on top is dropped, so that memory stays bounded. */
const maxWaiting = 8 * 1_048_576
const closeMs = 1_000

/**
 * Gathers lines into pieces, one on its way at a time.
 * @param send writes a text and calls back when it is out, or cannot be
 */
export function createLogSink(
  send: (text: string, done: () => void) => void,
  { timer, format = (line) => line, pieceLength = 65_536 }: LogSinkOptions,
): LogSink {
  let lines: string[] = []
  let length = 0
  let dropped = 0
  let sending = false
  let cancelTimer: (() => void) | null = null
  let closing: (() => void) | null = null

  function flush(): void {
    cancelTimer?.()
    cancelTimer = null
    if (sending || lines.length === 0) return
    const piece = takePiece()
    sending = true
    send(escapeControls(piece), sent)
  }

  function takePiece(): string {
    let end = 0
    let taken = 0
    for (; end < lines.length; end++) {
      const next = lines[end]?.length ?? 0
      if (end > 0 && taken + next > pieceLength) break
      taken += next
    }
    const piece = lines.slice(0, end).map(format).join("")
    lines = lines.slice(end)
    length -= taken
    return piece
  }

  function sent(): void {
    sending = false
    if (lines.length === 0) closing?.()
    else if (closing || length >= pieceLength) flush()
    else wait()
  }

  function wait(): void {
    cancelTimer ??= timer.after(flushMs, flush)
  }

  return {
    write(line) {
      if (length + line.length > maxWaiting) {
        dropped++
        return
      }
      lines.push(line)
      length += line.length
      if (sending) return
      if (length >= pieceLength) flush()
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
function escapeControls(text: string): string {
  return text.replace(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })
}
