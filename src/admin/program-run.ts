import type { Static, TObject, TSchema } from "@sinclair/typebox"
import { AccountError } from "../accounts/requirements.ts"
import { StoreUnavailable } from "../store/store.ts"
import { createAdministration } from "./administration.ts"
import { noBackups } from "./backups/backups.ts"
import { AdminFault } from "./fault.ts"
import type { Actor, Operation } from "./operation.ts"
import type { AdminParts } from "./parts.ts"
import { noSignUps } from "./sign-up/settings.ts"

/** The parts that the program itself needs to run operations, without those of a running service. */
export type ProgramParts = Omit<
  AdminParts,
  | "settings"
  | "settingList"
  | "mayOwe"
  | "webhookPorts"
  | "history"
  | "requests"
  | "config"
  | "backups"
  | "readHealth"
  | "watchRequests"
  | "pages"
  | "signUp"
> &
  Partial<Pick<AdminParts, "pages">>

const program: Actor = {
  id: "service",
  name: "the program itself",
  permissions: ["*"],
  account: null,
  source: "this process",
  requestId: "",
}

/**
 * Runs operations as the program itself, with typed parameters. Undefined ones are left out. It throws AccountError for a refused
 * operation, and StoreUnavailable.
 */
export function createProgramRun(parts: ProgramParts) {
  const administration = createAdministration({
    pages: { service: notServed, console: notServed, portal: notServed },
    ...parts,
    settings: () => ({}),
    settingList: () => [],
    mayOwe: false,
    // Webhook ports limit customers only.
    webhookPorts: [],
    history: { calls: onlyService, charges: onlyService, faults: onlyService, credits: onlyService },
    requests: { isOn: false, find: onlyService },
    config: { version: () => null, diff: onlyService, reload: onlyService, edit: onlyService },
    readHealth: onlyService,
    backups: noBackups("Only a service makes backups."),
    watchRequests: () => null,
    signUp: noSignUps,
  })
  return async <Input extends TObject, Output extends TSchema>(
    operation: Operation<Input, Output>,
    values: Readonly<Record<string, unknown>>,
  ) => {
    const given = Object.entries(values).filter(([, value]) => value !== undefined)
    const input = { kind: "typed", values: Object.fromEntries(given) } as const
    try {
      const { output } = await administration.run(operation, input, program)
      return output as Static<typeof operation.output>
    } catch (thrown) {
      throw toAccountError(thrown)
    }
  }
}

function notServed(): never {
  throw new Error("only a service has pages")
}

function onlyService(): Promise<never> {
  return Promise.reject(new Error("only a running service has this"))
}

function toAccountError(thrown: unknown): unknown {
  if (!(thrown instanceof AdminFault)) return thrown
  const { code, message, parameter, cause } = thrown
  if (code === "invalid" || code === "not-found" || code === "conflict")
    return new AccountError(message, parameter, code)
  return cause instanceof StoreUnavailable ? cause : thrown
}
