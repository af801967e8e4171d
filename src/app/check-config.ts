import { ConfigError } from "../config/config-error.ts"
import type { Config } from "../config/load.ts"
import { readTraceSettings } from "../config/traces.ts"
import { systemClock } from "../ports/clock.ts"
import { openStore } from "../store/open.ts"
import { logMissingPlans } from "./known-plans.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { openLog } from "./observability.ts"
import { catalogIds, loadApis, readTls } from "./prepare.ts"
import { guestApis } from "./served-apis.ts"
import { logAdminPlace, logNewDataFile, logOpenMetrics } from "./start-log.ts"

/**
 * Checks a configuration like the start of a service, without starting one.
 * @throws ConfigError, and the errors of opening the store
 */
export async function checkConfig(config: Config): Promise<void> {
  // An own API that cannot be used does not keep a service from starting.
  await checkFiles(config)
  const opened = await openLog(config, { clock: systemClock }, {})
  try {
    const { store, admin, isNew } = await openStore(config.db, storePorts(livePorts(config), config))
    if (isNew) logNewDataFile(opened.log, config)
    logOpenMetrics(opened.log, config)
    logAdminPlace(opened.log, config)
    await logMissingPlans(opened.log, admin, config).finally(store.close)
  } finally {
    await opened.close()
  }
}

/**
 * Checks a configuration without opening anything. It tries own APIs.
 * @throws ConfigError
 */
export async function checkSettings(config: Config): Promise<void> {
  const problems = await checkFiles(config)
  if (problems.length > 0) throw new ConfigError(problems.join("\n"))
}

/** Checks the files that a configuration names, and returns the problems of own APIs. */
async function checkFiles(config: Config): Promise<readonly string[]> {
  const { apis, problems, end } = await loadApis(config)
  end()
  const definitions = apis.map(({ definition }) => definition)
  guestApis(config, definitions, catalogIds)
  readTls(config)
  readTraceSettings(config.otelEnv)
  return problems.map(({ problem }) => problem)
}
