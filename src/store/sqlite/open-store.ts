import type { OpenStore, StoreOptions } from "../open-store.ts"
import { prepareGauges } from "./gauges.ts"
import { withLogFlush } from "./log-flush.ts"
import { openDatabase } from "./open.ts"
import { prepareOutbox } from "./outbox.ts"
import { createSqliteStore } from "./sqlite-store.ts"

/**
 * Opens a data file as a store, or makes it unless `mustExist`. `:memory:` is a store in memory.
 * @throws StoreUnusable when the file is missing, belongs to another program, or has a newer schema
 */
export function openSqliteStore(file: string, options: StoreOptions & { mustExist?: boolean }): OpenStore {
  const database = openDatabase(file, options)
  return {
    store: withLogFlush(createSqliteStore(database, options), file, options),
    outbox: prepareOutbox(database, options.timer),
    gauges: prepareGauges(database),
  }
}
