import { createId } from "../accounts/key.ts"
import { type Administration, createAdministration } from "../admin/administration.ts"
import { ConfigRefused } from "../admin/config/config-control.ts"
import type { Actor } from "../admin/operation.ts"
import { changesBetween } from "../config/describe.ts"
import { type Config, loadConfig } from "../config/load.ts"
import { currentOperator } from "../ports/machine.ts"
import type { RunOwnCommand } from "../ports/own-process.ts"
import { openStore } from "../store/open.ts"
import { createAdminParts, runningOf } from "./admin-parts.ts"
import { createBackups } from "./backups.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { pageAddresses } from "./page-addresses.ts"
import { loadApis } from "./prepare.ts"
import { keptPlans } from "./start-log.ts"

const onlyRunning =
  "A running service is needed: name it with --server. Or edit its configuration file, and send SIGHUP to its process on its machine."

/**
 * Opens a store for the operations of the command line; close the result when done. Opening the store gives every permission,
 * and the audit log names the user of the operating system.
 * @param options `create` makes a missing data file; without `runOwnCommand` no backups can be made
 */
export async function openAdministration(
  config: Config,
  options: { readonly create: boolean; readonly runOwnCommand?: RunOwnCommand },
): Promise<{ administration: Administration; actor: Actor; close(): Promise<void> }> {
  const { apis, end } = await loadApis(config)
  end()
  const ports = livePorts(config)
  const { clock, random } = ports
  const opened = await openStore(config.db, { ...storePorts(ports, config), mustExist: !options.create })
  // A file names its plans. Without one, the plans are those of the service.
  const kept = config.file === null ? await keptPlans(opened.admin) : null
  const running = runningOf(kept === null ? config : { ...config, plans: kept }, apis)
  const parts = createAdminParts(() => running, {
    ...{ opened, clock, random },
    pages: pageAddresses({ config: () => config, listening: () => null }),
    backups: createBackups(config, options.runOwnCommand ?? null),
    // This process gets no requests.
    watchRequests: () => null,
    startedMs: null,
    config: {
      version: () => null,
      edit: () => Promise.reject(new ConfigRefused(onlyRunning)),
      diff: async () => changesBetween(loadConfig({ flags: {}, env: {}, file: null }), config),
      reload: () => Promise.reject(new ConfigRefused(onlyRunning)),
    },
  })
  const { user, host } = currentOperator()
  const actor: Actor = {
    // Reads do not need the name, which takes some milliseconds.
    get id() {
      return `cli:${user()}`
    },
    get name() {
      return user()
    },
    permissions: ["*"],
    account: null,
    source: host,
    requestId: createId("req", random),
  }
  const administration = createAdministration({ ...parts, mayLackPlans: config.file === null })
  return { administration, actor, close: () => opened.store.close() }
}
