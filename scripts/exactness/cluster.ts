import { join } from "node:path"
import { createPair, createServer, type DatabaseServer, query } from "./database.ts"
import { createInstance, type Instance } from "./instance.ts"
import type { Lab } from "./trial.ts"

/** A database and the instances on it, all running. */
export interface Cluster {
  readonly server: DatabaseServer
  readonly instances: readonly Instance[]
}

/**
 * @param count instances
 * @param flags more flags of the instances
 */
export async function openCluster(lab: Lab, count: number, flags: readonly string[] = []): Promise<Cluster> {
  const server = await createServer(join(lab.directory, "database"))
  await server.start()
  lab.cleanUp(() => server.stop())
  return { server, instances: await startInstances(lab, server.url, count, flags) }
}

/** @param db the `--db` of the instances */
export async function startInstances(lab: Lab, db: string, count: number, flags: readonly string[] = []) {
  const instances: Instance[] = []
  for (let number = 0; number < count; number++) {
    const instance = await createInstance({ ...lab, db, flags })
    await instance.start()
    lab.cleanUp(() => instance.kill())
    instances.push(instance)
  }
  return instances
}

/** A primary and its synchronous standby, both running. */
export async function openPair(
  lab: Lab,
  directory: string,
): Promise<readonly [DatabaseServer, DatabaseServer]> {
  const [primary, standby] = await createPair(directory)
  await primary.start()
  lab.cleanUp(() => primary.stop())
  await standby.start()
  lab.cleanUp(() => standby.stop())
  await untilSynchronous(primary.url)
  return [primary, standby]
}

async function untilSynchronous(url: string): Promise<void> {
  for (;;) {
    const rows = await query<{ state: string }>(url, "SELECT sync_state AS state FROM pg_stat_replication")
    if (rows.some(({ state }) => state === "sync")) return
    await Bun.sleep(20)
  }
}
