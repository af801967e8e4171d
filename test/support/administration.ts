import { afterAll } from "bun:test"
import { type Administration, createAdministration, type RunOptions } from "../../src/admin/administration.ts"
import type { Backups } from "../../src/admin/backups/backups.ts"
import type { ConfigControl } from "../../src/admin/config/config-control.ts"
import { AdminFault } from "../../src/admin/fault.ts"
import type { Actor, Operation } from "../../src/admin/operation.ts"
import type { AdminParts } from "../../src/admin/parts.ts"
import { createAdminParts } from "../../src/app/admin-parts.ts"
import { loadConfig } from "../../src/config/load.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import type { AuditRecord } from "../../src/store/admin-store.ts"
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite.ts"
import type { OpenStore } from "../../src/store/store-options.ts"
import { createManualClock, type ManualClock } from "./clock.ts"
import { pretendBackups } from "./own-command.ts"

/** The time at which an administration of a test starts. */
export const startMs = Date.parse("2025-01-01T00:00:00Z")

export type Values = Readonly<Record<string, unknown>>

export interface TestAdministration {
  readonly administration: Administration
  readonly parts: AdminParts
  readonly opened: OpenStore
  readonly clock: ManualClock
  /** Runs an operation with typed values, as an actor who may do everything unless another is given. */
  run(operation: Operation, values?: Values, options?: RunOptions & { as?: Actor }): Promise<Values>
  /** The same, and returns what refused it. Throws when nothing does. */
  refusal(operation: Operation, values?: Values, options?: RunOptions & { as?: Actor }): Promise<AdminFault>
  /** All audit records, oldest first. */
  audit(): Promise<readonly AuditRecord[]>
  /** The last change: its operation, its account, and what it changed. */
  lastChange(): Promise<Record<"operation" | "accountId" | "before" | "after", unknown>>
  /** Everything that the store holds, as text. */
  stored(): Promise<string>
}

/** A configuration file that can be changed, but never is another one. */
const pretendConfig: ConfigControl = {
  version: () => 1,
  diff: async () => [],
  reload: async () => [],
  async edit(values) {
    const changes = Object.entries(values).map(([setting, after]) => ({
      setting,
      before: null,
      after,
      needsRestart: false,
    }))
    return { changes, isNew: true, save: async () => changes }
  },
}

/** An actor of tests. */
export function actorOf(change: Partial<Actor> = {}): Actor {
  const from = { source: "192.0.2.1", requestId: "req_1" }
  return { id: "admin-key:adm_1", name: "ci", permissions: ["*"], account: null, ...from, ...change }
}

/** An administration on a store in memory, closed after the tests of the file. */
export function openAdministration(
  opened: OpenStore = inMemory(),
  backups: Backups = pretendBackups(),
): TestAdministration {
  const clock = createManualClock("2025-01-01T00:00:00Z")
  const config = loadConfig({
    flags: { db: ":memory:", metricsToken: "quiet", signUpMode: "invite" },
    env: {},
    file: null,
  })
  const prices = new Map([
    ["hmac", 1],
    ["spfvalidator", 5],
  ])
  const lists = [{ name: "bluetooth-companies", date: "2026-01" }]
  const parts = createAdminParts(() => ({ config, prices, lists }), {
    opened,
    clock,
    random: systemRandom,
    config: pretendConfig,
    backups,
    watchRequests: () => null,
    pages: {
      service: () => "http://service.test",
      console: () => "http://console.test",
      portal: () => "http://portal.test",
    },
    startedMs: startMs,
  })
  const administration = createAdministration(parts)
  const run: TestAdministration["run"] = async (
    operation,
    values = {},
    { as = actorOf(), ...options } = {},
  ) => {
    const { output } = await administration.run(operation, { kind: "typed", values }, as, options)
    return output as Values
  }
  return {
    administration,
    parts,
    opened,
    clock,
    run,
    async refusal(operation, values, options) {
      try {
        await run(operation, values, options)
      } catch (thrown) {
        if (thrown instanceof AdminFault) return thrown
        throw thrown
      }
      throw new Error(`${operation.id} was not refused`)
    },
    async audit() {
      return [...(await parts.admin.audit({}, { limit: 1_000, after: null }))].reverse()
    },
    async lastChange() {
      const [record] = await parts.admin.audit({}, { limit: 1, after: null })
      if (record === undefined) throw new Error("nothing was changed")
      const { operation, accountId } = record
      const [before, after] = [record.before, record.after].map((text) => JSON.parse(text ?? "null"))
      return { operation, accountId, before, after }
    },
    async stored() {
      const page = { limit: 1_000, after: null }
      const { admin } = parts
      return JSON.stringify([
        await admin.accounts({}, page),
        await admin.keys({}, page),
        await admin.adminKeys(page),
        await admin.audit({}, page),
        await admin.findReplay(actorOf().id, "again"),
      ])
    },
  }
}

function inMemory(): OpenStore {
  const opened = openSqliteStore(":memory:", { timer: systemTimer })
  afterAll(() => opened.store.close())
  return opened
}
