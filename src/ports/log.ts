import { pino } from "pino"
import type { Clock } from "../apis/contract.ts"
import { systemClock } from "./clock.ts"

/** From the most talkative to none at all. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const
export type LogLevel = (typeof logLevels)[number]

type Write = (message: string, fields: Readonly<Record<string, unknown>>) => void

/** Where operators read what happened. Values are plain data; never a key, a secret or a caller's input. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}

export interface LogOptions {
  /** Lines below it are not made. `info` unless told otherwise. */
  readonly level?: LogLevel
  /** Of the `time` that every line has. */
  readonly clock?: Clock
  /** Called after a line that must not be lost should the process end now. */
  readonly urgent?: () => void
}

/** JSON lines, each `{"level", "time", …fields, "message"}`, given to `write` one by one with the newline. */
export function createLog(write: (line: string) => void, options: LogOptions = {}): Log {
  const { level = "info", clock = systemClock, urgent = () => {} } = options
  const isoTime = createIsoTime(clock)
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${isoTime()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  )
  return {
    debug: (message, fields) => logger.debug(fields, message),
    info: (message, fields) => logger.info(fields, message),
    warn: (message, fields) => logger.warn(fields, message),
    error(message, fields) {
      logger.error(fields, message)
      urgent()
    },
  }
}

/** The time now as ISO 8601, formatted once a millisecond, not once a line. */
export function createIsoTime(clock: Clock): () => string {
  let lastMs = Number.NaN
  let text = ""
  return () => {
    const nowMs = clock.now()
    if (nowMs !== lastMs) {
      lastMs = nowMs
      text = new Date(nowMs).toISOString()
    }
    return text
  }
}
