import { createProgramRun } from "../admin/program-run.ts"
import type { Config } from "../config/load.ts"
import { systemClock } from "../ports/clock.ts"
import { systemRandom } from "../ports/random.ts"
import { keepAliveTimer } from "../ports/timer.ts"
import { openStore } from "../store/open.ts"
import { type ListeningAt, pageAddresses } from "./page-addresses.ts"

/**
 * Makes a link to the console for the first start of a service, as long as there is no admin key. Null if there is a session
 * or an admin key already, or the console is off.
 */
export async function createFirstConsoleLink(config: Config, listening: ListeningAt): Promise<string | null> {
  if (config.admin === "off") return null
  const ports = { clock: systemClock, random: systemRandom }
  const opened = await openStore(config.db, { ...ports, timer: keepAliveTimer, login: config.dbLogin })
  try {
    if (await opened.admin.hasAdmin()) return null
    const { consoleLink } = await import("../admin/links/console.ts")
    const pages = pageAddresses({ config: () => config, listening: () => listening })
    const { store, admin, outbox } = opened
    const { plans } = config
    const parts = {
      ...ports,
      auditRandom: systemRandom,
      store,
      admin,
      outbox,
      plans,
      prices: new Map(),
      pages,
    }
    const { url } = await createProgramRun(parts)(consoleLink, {})
    return url
  } finally {
    await opened.store.close()
  }
}
