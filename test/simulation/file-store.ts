/** The store of an instance on a data file, which tells the model of each commit. */

import { createSqliteStores, prepareGauges } from "../../src/store/sqlite/open-sqlite.ts"
import { prepareOutbox } from "../../src/store/sqlite/sqlite-outbox.ts"
import { createActivity, type OpenStore, type StoreListeners } from "../../src/store/store-options.ts"
import { connectFaulty } from "./data-file.ts"
import type { SimulatedInstance } from "./instance.ts"
import { withSeams } from "./store-seams.ts"
import type { OpenParts, World } from "./world.ts"

/** Opens the data file of a world for an instance. */
export function openFileStore(
  world: World,
  instance: SimulatedInstance,
  { ports, notices, readings }: OpenParts,
  more: Partial<Pick<OpenStore, "instances" | "isNew" | "listen">> = {},
): OpenStore {
  const { kernel, model, file } = world
  const database = connectFaulty(file, {
    ...{ kernel, owner: instance },
    onBegin() {
      instance.changing = null
    },
    onCommitted() {
      const change = instance.changing
      if (change) world.check(() => model.changed(change, kernel.now()))
    },
  })
  instance.close = () => database.close()
  const { timer } = ports
  let onRaised: StoreListeners["onRaised"] = () => {}
  const stores = createSqliteStores(database, { timer, notices }, { onRaised: (raised) => onRaised(raised) })
  const outbox = prepareOutbox(database, timer)
  const gauges = prepareGauges(database, createActivity())
  const opened = { ...stores, outbox, gauges, instances: null, isNew: false, listen, ...more }
  function listen(listeners: StoreListeners): void {
    onRaised = listeners.onRaised
  }
  return withSeams(opened, world, instance, readings)
}
