import { type Static, Type } from "@sinclair/typebox"
import { AdminFault, type AdminFaultCode, conflict } from "../fault.ts"
import { listOf } from "../fields.ts"
import { wholeList } from "../pages.ts"
import { type ConfigChange, type ConfigRefusal, ConfigRefused } from "./config-control.ts"

const item = Type.Object({
  setting: Type.String({
    description: "The setting's name in the configuration file.",
  }),
  before: Type.Unknown({
    description: "The value before; null where it was not set. Secrets are shown as `(set)`.",
  }),
  after: Type.Unknown({
    description: "The value after; null where it was not set. Secrets are shown as `(set)`.",
  }),
  needs_restart: Type.Boolean({
    description: "Whether it is taken over only when the service is started again.",
  }),
})

/** The settings that differ, on one page. */
export const changeList = listOf(item)

/** The columns that fit a terminal. */
export const changeColumns = ["setting", "before", "after", "needs_restart"]

export function toChangeList(changes: readonly ConfigChange[]): Static<typeof changeList> {
  const data = changes.map(({ needsRestart, ...change }) => ({ ...change, needs_restart: needsRestart }))
  return wholeList(data)
}

/**
 * Waits for work on the configuration.
 * @throws AdminFault that says why a configuration is refused
 */
export async function orRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    if (!(thrown instanceof ConfigRefused)) throw thrown
    // Values come in one parameter alone.
    const parameter = thrown.reason === "values" ? "changes" : null
    throw new AdminFault(faultOf[thrown.reason], thrown.message, { parameter })
  }
}

/**
 * For a change whose first answer was lost: the process ended before or after the file was changed, or another process of the
 * service is changing it.
 * @throws AdminFault
 */
export async function refuseRecall(): Promise<never> {
  throw conflict(
    "Whether the first request with this Idempotency-Key changed the configuration is not known. Read the configuration, and send a new " +
      "Idempotency-Key to change it.",
  )
}

const faultOf = {
  values: "invalid",
  state: "conflict",
  outdated: "version-mismatch",
} as const satisfies Record<ConfigRefusal, AdminFaultCode>

/** The changes that are taken over now, for the audit log: values by setting. */
export function takenChanges(changes: readonly ConfigChange[]) {
  const taken = changes.filter(({ needsRestart }) => !needsRestart)
  const values = (side: "before" | "after") =>
    Object.fromEntries(taken.map((change): [string, unknown] => [change.setting, change[side]]))
  return { before: values("before"), after: values("after") }
}
