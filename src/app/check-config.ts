import { readBrand } from "../config/brand.ts"
import { ConfigError, requireAll } from "../config/config-error.ts"
import { type Config, ConfigMistakes } from "../config/load.ts"
import { readTraceSettings } from "../config/traces.ts"
import { systemClock } from "../ports/clock.ts"
import { openStore } from "../store/open.ts"
import { logMissingPlans } from "./known-plans.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { openLog } from "./observability.ts"
import { catalogIds, checkAnchors, checkData, loadApis, requireTls } from "./prepare.ts"
import { guestApis } from "./served-apis.ts"
import { logAdminPlace, logNewDataFile, logOpenMetrics } from "./start-log.ts"

/**
 * Checks a configuration like the start of a service, without starting one.
 * @throws ConfigError, and the errors of opening the store
 */
export async function checkConfig(config: Config): Promise<void> {
  // An own API that cannot be used does not keep a service from starting.
  await requireAll([...checksOf(config), () => problemsOfOwnApis(config)])
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
 * Reads and checks a configuration without opening anything. It tries own APIs.
 * @throws ConfigError with every mistake, one a line
 */
export async function checkSettings(read: () => Config): Promise<Config> {
  const { config, mistake } = readBestOf(read)
  await requireAll([
    () => {
      if (mistake !== null) throw mistake
    },
    ...checksOf(config),
    async () => {
      const problems = await problemsOfOwnApis(config)
      if (problems.length > 0) throw new ConfigError(problems.join("\n"))
    },
  ])
  return config
}

/** The configuration, or what can be used of it. */
function readBestOf(read: () => Config) {
  try {
    return { config: read(), mistake: null }
  } catch (thrown) {
    if (!(thrown instanceof ConfigMistakes)) throw thrown
    return { config: thrown.rest, mistake: thrown }
  }
}

/** The checks of the files and the APIs that a configuration names. */
function checksOf(config: Config): readonly (() => unknown)[] {
  const { data, dnssecAnchor } = config
  return [
    ...(data === null ? [] : [() => checkData(data)]),
    ...(dnssecAnchor === null ? [] : [() => checkAnchors(dnssecAnchor)]),
    ...requireTls(config),
    () => readBrand(config),
    () => readTraceSettings(config.otelEnv),
  ]
}

/** Checks the choice of APIs and returns the problems of own ones. The lists and anchors have checks of their own. */
async function problemsOfOwnApis(config: Config): Promise<readonly string[]> {
  const { apis, problems, end } = await loadApis({ ...config, data: null, dnssecAnchor: null })
  end()
  const definitions = apis.map(({ definition }) => definition)
  guestApis(config, definitions, catalogIds)
  return problems.map(({ problem }) => problem)
}
