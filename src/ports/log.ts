import type * as Pino from "pino"
import type { Clock } from "../apis/contract.ts"
import { once } from "../values/once.ts"
import { createIsoTime, systemClock } from "./clock.ts"

/** Log levels, from the most lines to none. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const
/** `debug`, `info`, `warn` or `error`; a log shows its level and those above. */
export type LogLevel = (typeof logLevels)[number]

type Write = (message: string, fields: Readonly<Record<string, unknown>>) => void

/** The operator's log. Values are plain data and never contain a key, a secret or a caller's input. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}

/** The level, clock and receiver of errors of a log. */
interface LogOptions {
  /** Lines below this level are not written; `info` by default. */
  readonly level?: LogLevel
  /** Tells the `time` of each line. */
  readonly clock?: Clock
  /** Called after an error line, which must not be lost if the process ends. */
  readonly urgent?: () => void
}

/** A log whose level can change. */
type LeveledLog = Log & { setLevel(level: LogLevel): void }

/** Creates a log of JSON lines `{"level", "time", …fields, "message"}`. `write` receives each line with its newline. */
export function createLog(write: (line: string) => void, options: LogOptions = {}): LeveledLog {
  let { level = "info" } = options
  const { clock = systemClock, urgent = () => {} } = options
  const isoTime = createIsoTime(clock)
  const logger = once(() =>
    loadPino().pino(
      {
        level,
        base: null,
        messageKey: "message",
        timestamp: () => `,"time":"${isoTime()}"`,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write },
    ),
  )
  return {
    debug: (message, fields) => logger().debug(fields, message),
    info: (message, fields) => logger().info(fields, message),
    warn: (message, fields) => logger().warn(fields, message),
    error(message, fields) {
      logger().error(fields, message)
      urgent()
    },
    setLevel(next) {
      level = next
      logger().level = next
    },
  }
}

/** Returns pino. It is loaded with the first log line, since it would take a twentieth of each start. */
export const loadPino: () => typeof Pino = once(() => require("pino"))
