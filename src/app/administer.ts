import { createId } from "../accounts/key.ts"
import { type Administration, createAdministration } from "../admin/administration.ts"
import type { Actor } from "../admin/operation.ts"
import type { Config } from "../config/load.ts"
import { systemClock } from "../ports/clock.ts"
import { currentOperator } from "../ports/operator.ts"
import { systemRandom } from "../ports/random.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import { openStore } from "../store/open.ts"
import { createAdminParts } from "./admin-parts.ts"
import { catalog, version } from "./service.ts"

/**
 * Opens a store for the operations of the command line; close the result when done. Whoever can open the store may do everything,
 * and the audit log names the user of the operating system.
 * @param options `create` makes a missing data file
 */
export async function openAdministration(
  config: Config,
  { create }: { readonly create: boolean },
): Promise<{ administration: Administration; actor: Actor; close(): Promise<void> }> {
  const prices = new Map(catalog.map(({ id, credits }) => [id, config.credits.get(id) ?? credits]))
  const ports = { clock: systemClock, random: systemRandom }
  const opened = await openStore(config.db, {
    ...ports,
    timer: keepAliveTimer,
    login: config.dbLogin,
    mustExist: !create,
  })
  const parts = createAdminParts(config, {
    ...ports,
    opened,
    prices,
    version,
    startedMs: systemClock.now(),
  })
  const mayLackPlans = config.file === null
  const { user, host } = currentOperator()
  const actor: Actor = {
    id: `cli:${user}`,
    name: user,
    permissions: ["*"],
    source: host,
    requestId: createId("req", systemRandom),
  }
  return {
    administration: createAdministration({ ...parts, mayLackPlans }),
    actor,
    close: () => opened.store.close(),
  }
}
