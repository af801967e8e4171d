import type * as Pino from "pino"
import { once } from "../values/once.ts"

/** Gives pino. It is loaded with the first log line, since it would take a twentieth of each start. */
export const loadPino: () => typeof Pino = once(() => require("pino"))
