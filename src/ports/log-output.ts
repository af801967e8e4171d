import type { Timer } from "../apis/contract.ts"
import { escapeHidden, escapeHiddenInLines } from "../values/hidden-characters.ts"
import { loadPino } from "./log.ts"

/** Where log lines are written. */
export type LogOutput = ReturnType<typeof openLogOutput>

interface LogOutputOptions {
  readonly timer: Timer
  /** The file descriptor to write to; standard error by default. */
  readonly descriptor?: number
  /** Whether other processes write to the same pipe. */
  readonly shared?: boolean
}

const flushMs = 100
const closeMs = 1_000
/** More is dropped, so that a reader that does not read cannot fill the memory. */
const maxWaitingBytes = 8 * 1_048_576
/** A pipe keeps the bytes of one write together up to this size (PIPE_BUF on Linux; POSIX write()). */
const pipeBytes = 4_096
/** A call's share of each write in the thread pool is less, the more lines a write takes: see decision 0014. */
const pieceBytes = 262_144

/**
 * Opens the log's output. Lines are gathered for at most 100 ms and written in pieces, outside the event loop, by sonic-boom.
 * Gathering is our own: sonic-boom measures its whole buffer again at each line, which costs more than the rest of logging.
 */
export function openLogOutput({ timer, descriptor = 2, shared = false }: LogOutputOptions) {
  const maxWrite = shared ? pipeBytes : pieceBytes
  // Opened with the first line: a service that has nothing to say starts sooner.
  let stream: ReturnType<typeof open> | null = null
  let text = ""
  let dropped = 0
  let cancelFlush: (() => void) | null = null
  let isClosed = false
  let onClosed = () => {}

  function open() {
    const opened = loadPino().destination({
      dest: descriptor,
      sync: false,
      minLength: 1,
      maxWrite,
      maxLength: maxWaitingBytes,
      // The library would wait 100 ms while a pipe is full; here the next piece tries again.
      retryEAGAIN: () => false,
    })
    opened.on("drop", (piece: string) => {
      dropped += piece.split("\n").length - 1
    })
    opened.on("close", () => onClosed())
    opened.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "EAGAIN") return flushLater()
      if (opened !== stream) return
      // The reader is gone, or the disk is full. The next piece tries again; at exit the library would try for ever.
      opened.destroy()
      stream = open()
      onClosed()
    })
    return opened
  }

  /** Takes one line with its newline. Never waits and never throws. */
  function write(line: string): void {
    if (isClosed) return
    // In characters, since bytes are counted for each piece and not for each line.
    if (text.length + line.length > maxWrite) flush()
    text += line
    flushLater()
  }

  function flushLater(): void {
    cancelFlush ??= timer.after(flushMs, flush)
  }

  /** Starts to write the gathered lines. */
  function flush(): void {
    cancelFlush?.()
    cancelFlush = null
    const piece = text
    text = ""
    if (piece === "") {
      stream?.flush()
      return
    }
    stream ??= open()
    if (Buffer.byteLength(piece) <= maxWrite) stream.write(piece)
    else for (const line of piece.split(/(?<=\n)/)) stream.write(line)
  }

  return {
    write,
    flush,
    /** Writes all lines. Resolves when they are written, or after one second if the reader does not read. */
    async close() {
      flush()
      isClosed = true
      if (stream === null) return
      const last = stream
      await new Promise<void>((resolve) => {
        const cancel = timer.after(closeMs, resolve)
        onClosed = () => {
          cancel()
          resolve()
        }
        last.end()
      })
      cancelFlush?.()
      stream.destroy()
    },
    /** The number of lines dropped because the reader did not keep up. */
    dropped: () => dropped,
  }
}

/** Turns a JSON log line into the line that is written. */
type LogFormat = (line: string) => string

/** Loads pino-pretty, which only a terminal needs, and returns the format for people. */
export async function loadPrettyFormat({ color }: { readonly color: boolean }): Promise<LogFormat> {
  const { prettyFactory } = await import("pino-pretty")
  return prettyFactory({
    colorize: color,
    messageKey: "message",
    translateTime: "UTC:HH:MM:ss.l",
    singleLine: true,
    // Prints the stack of a cause on indented lines.
    errorLikeObjectKeys: ["cause"],
    customPrettifiers: { cause: (cause) => escapeHiddenInLines(String(cause)) },
    // The library removes control characters from the message, but not line breaks.
    messageFormat: (log, key) => escapeHidden(String(log[key])),
  })
}
