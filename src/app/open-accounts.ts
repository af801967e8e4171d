import { type Accounts, createProgramAccounts } from "../admin/program-accounts.ts"
import type { Ports } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import { openStore } from "../store/open.ts"
import type { OpenStore } from "../store/open-store.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { catalog } from "./prepare.ts"

/** The accounts of a data file; close the result when done. `create` makes a missing file. */
export async function openAccounts(
  config: Config,
  options: { create: boolean },
): Promise<{ accounts: Accounts; close(): Promise<void> }> {
  const ports = livePorts(config)
  const opened = await openStore(config.db, { ...storePorts(ports, config), mustExist: !options.create })
  return {
    accounts: createProgramAccounts(programParts(opened, config, ports)),
    close: () => opened.store.close(),
  }
}

/** The parts with which the program itself runs operations of the administration. */
export function programParts(opened: OpenStore, config: Config, { clock, random }: Ports) {
  const { store, admin, outbox } = opened
  const prices = new Map(catalog.map(({ id, credits }) => [id, config.credits.get(id) ?? credits]))
  return { store, admin, outbox, clock, random, auditRandom: random, plans: config.plans, prices }
}
