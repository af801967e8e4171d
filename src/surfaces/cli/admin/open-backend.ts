import { existsSync } from "node:fs"
import { AdminFault } from "../../../admin/fault.ts"
import type { Config } from "../../../config/load.ts"
import { ConfigError, type Origin } from "../../../config/setting-name.ts"
import { StoreUnavailable } from "../../../store/store.ts"
import type { CliParts } from "../parts.ts"
import type { Backend, RemoteBackend } from "./backend.ts"
import type { ReadEntry } from "./read-entry.ts"
import { createRemoteBackend } from "./remote.ts"

/** Opens the store of `--db` or the service of `--server`. Close the result when done. */
export async function openBackend(config: Config, parts: CliParts, entry: ReadEntry): Promise<Backend> {
  const { server } = config
  if (server !== null && namesServer(config)) return createRemoteBackend(server, config.adminKey, parts)
  const { command, operation, input } = entry
  const create = command.makesStore === true
  if (create && !existsSync(config.db)) {
    // A mistake must not leave a data file behind, so the input is first checked on a store in memory.
    const trial = await openLocal({ ...config, db: ":memory:" }, parts, create)
    await trial.run(operation, input).finally(trial.close)
  }
  return openLocal(config, parts, create)
}

/**
 * Opens the service of `--server`, for operations that need a running service.
 * @throws ConfigError without `--server`
 */
export function openRemote(config: Config, parts: CliParts): RemoteBackend {
  const { server } = config
  if (server !== null && namesServer(config)) return createRemoteBackend(server, config.adminKey, parts)
  throw new ConfigError(
    "Name a running service with --server: only it sees requests while they happen. " +
      "'penknife requests list' lists those that a service with --keep-requests keeps.",
  )
}

async function openLocal(config: Config, parts: CliParts, create: boolean): Promise<Backend> {
  const { administration, actor, close } = await parts.openAdministration(config, { create })
  return {
    async run(operation, input, idempotencyKey) {
      try {
        const raw = { kind: "typed", values: input } as const
        const { output } = await administration.run(operation, raw, actor, { idempotencyKey })
        return JSON.parse(JSON.stringify(output))
      } catch (thrown) {
        throw forOperator(thrown, config)
      }
    },
    async open(operation, input) {
      try {
        return await administration.open(operation, { kind: "typed", values: input }, actor)
      } catch (thrown) {
        throw forOperator(thrown, config)
      }
    },
    close,
  }
}

/** From the strongest to the weakest. */
const strength: readonly Origin[] = ["flag", "environment", "file", "default"]

/**
 * Whether the command is for the service of `--server` and not for the store of `--db`: the stronger source wins.
 * @throws ConfigError when both come from the same source
 */
function namesServer({ server, origins }: Config): boolean {
  if (server === null) return false
  const difference = strength.indexOf(origins.server) - strength.indexOf(origins.db)
  if (difference !== 0) return difference < 0
  throw new ConfigError(
    "Give either --db or --server: the command works on a store, or on a running service.",
  )
}

/** For the operator of the store: the whole cause, and why a plan may not be known here. */
function forOperator(thrown: unknown, { file }: Config): unknown {
  if (!(thrown instanceof AdminFault)) return thrown
  if (thrown.code === "unavailable" && thrown.cause instanceof StoreUnavailable) return thrown.cause
  if (!/^There is no plan '/.test(thrown.message) || file !== null) return thrown
  return new AdminFault(
    thrown.code,
    `${thrown.message} A new plan in the service's configuration file is known once the service has read it, or with --config FILE.`,
    { parameter: thrown.parameter, mistakes: thrown.mistakes },
  )
}
