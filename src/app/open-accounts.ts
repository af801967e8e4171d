import { createProgramAccounts } from "../admin/program-accounts.ts"
import { createProgramRun } from "../admin/program-run.ts"
import type { Ports } from "../apis/contract.ts"
import type { Config } from "../config/load.ts"
import { openStore } from "../store/open.ts"
import type { OpenStore } from "../store/open-store.ts"
import { livePorts, storePorts } from "./live-ports.ts"
import { type ListeningAt, pageAddresses } from "./page-addresses.ts"
import { catalog } from "./prepare.ts"

/** The accounts of a data file; close the result when done. `create` makes a missing file. */
export async function openAccounts(config: Config, options: { create: boolean }) {
  const ports = livePorts(config)
  const opened = await openStore(config.db, { ...storePorts(ports, config), mustExist: !options.create })
  const accounts = createProgramAccounts(programParts(opened, config, ports))
  return { accounts, close: () => opened.store.close() }
}

/** The parts with which the program itself runs operations of the administration. */
export function programParts(opened: Omit<OpenStore, "store">, config: Config, { clock, random }: Ports) {
  const { admin, outbox } = opened
  const prices = new Map(catalog.map(({ id, credits }) => [id, config.credits.get(id) ?? credits]))
  return { admin, outbox, clock, random, auditRandom: random, plans: config.plans, prices }
}

/**
 * Makes a link to the console for the first start of a service. Null if a link was made before, there is a session or an admin
 * key, or the console is off.
 */
export async function createFirstConsoleLink(config: Config, listening: ListeningAt): Promise<string | null> {
  if (config.admin === "off") return null
  const ports = livePorts(config)
  const opened = await openStore(config.db, storePorts(ports, config))
  try {
    if (await opened.admin.hasAdmin()) return null
    const { consoleLink } = await import("../admin/links/link.ts")
    const pages = pageAddresses({ config: () => config, listening: () => listening })
    const run = createProgramRun({ ...programParts(opened, config, ports), pages })
    return (await run(consoleLink, {})).url
  } finally {
    await opened.store.close()
  }
}
