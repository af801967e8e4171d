import type { Config } from "../config/load.ts"
import { readTraceSettings } from "../config/traces.ts"
import { systemClock } from "../ports/clock.ts"
import { openStore } from "../store/open.ts"
import { requireKnownPlans } from "./known-plans.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { openLog } from "./observability.ts"
import { loadApis, readTls } from "./prepare.ts"
import { logAdminPlace, logNewDataFile, logOpenMetrics } from "./start-log.ts"

/**
 * Checks a configuration as starting a service does, without starting one.
 * @throws {ConfigError} and what opening the data file throws
 */
export async function checkConfig(config: Config): Promise<void> {
  // An API of the operator's own that cannot be used keeps no service from starting.
  const { end } = await loadApis(config)
  end()
  readTls(config)
  readTraceSettings(config.otelEnv)
  const opened = await openLog(config, { clock: systemClock }, {})
  try {
    const { store, admin, isNew } = await openStore(config.db, storePorts(livePorts(config), config))
    if (isNew) logNewDataFile(opened.log, config)
    logOpenMetrics(opened.log, config)
    logAdminPlace(opened.log, config)
    await requireKnownPlans(admin, config).finally(store.close)
  } finally {
    await opened.close()
  }
}
