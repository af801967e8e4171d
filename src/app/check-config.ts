import { readBrand } from "../config/brand.ts"
import { type Config, ConfigMistakes } from "../config/load.ts"
import { requireAll } from "../config/setting-name.ts"
import { readTraceSettings } from "../config/traces.ts"
import { systemClock } from "../ports/clock.ts"
import { openStore } from "../store/open.ts"
import type { CheckedSettings } from "../surfaces/cli/parts.ts"
import { requireBackupDirectory } from "./backups.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { mailServerOf } from "./mails.ts"
import { openLog } from "./observability.ts"
import { requireApis, requireData, requireTls } from "./prepare.ts"
import {
  logAdminPlace,
  logMissingPlans,
  logNewDataFile,
  logNoMail,
  logOpenMetrics,
  signUpWithoutMail,
} from "./start-log.ts"

/**
 * Checks a configuration like the start of a service, without starting one.
 * @throws ConfigError, and the errors of opening the store
 */
export async function checkConfig(config: Config): Promise<void> {
  // An own API that cannot be used does not keep a service from starting.
  const { choice } = await requireApis(config)
  await requireAll([...checksOf(config), choice])
  const { log, close } = await openLog(config, { clock: systemClock }, {})
  await using _ = { [Symbol.asyncDispose]: close }
  const { store, admin, isNew } = await openStore(config.db, storePorts(livePorts(config), config))
  if (isNew) logNewDataFile(log, config)
  logOpenMetrics(log, config)
  logNoMail(log, config)
  logAdminPlace(log, config)
  await logMissingPlans(log, admin, config).finally(store.close)
}

/**
 * Reads and checks a configuration without opening anything. It tries own APIs.
 * @throws ConfigError with every mistake, one a line
 */
export async function checkSettings(read: () => Config): Promise<CheckedSettings> {
  const { config, mistake } = readBestOf(read)
  const { choice, own } = await requireApis(config)
  await requireAll([
    () => {
      if (mistake !== null) throw mistake
    },
    ...checksOf(config),
    choice,
    own,
  ])
  const warning = signUpWithoutMail(config)
  return { file: config.file, warnings: warning === null ? [] : [warning] }
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

/** The checks of the files that a configuration names, and of the variables for traces. */
function checksOf(config: Config): readonly (() => unknown)[] {
  return [
    ...requireData(config),
    ...requireTls(config),
    () => requireBackupDirectory(config),
    () => readBrand(config),
    () => mailServerOf(config),
    () => readTraceSettings(config.otelEnv),
  ]
}
