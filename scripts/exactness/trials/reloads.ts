import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../../findings.ts"
import { command } from "../command.ts"
import { createInstance } from "../instance.ts"
import { callAcrossReloads, prices, type ReloadsOptions } from "../reloads.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

export const reloads: Trial = {
  name: "reloads",
  title:
    "calls while the configuration changes, with one process and with two workers, and while workers load own APIs anew",
  rounds: 100,
  async run(lab) {
    const findings: Finding[] = []
    for (const [workers, what] of [
      [1, configuration],
      [2, configuration],
      [2, ownApi],
    ] as const)
      findings.push(...(await tryReloads(lab, workers, what)))
    return findings
  },
}

/** The configurations that are reloaded. */
interface Reloaded extends Pick<ReloadsOptions, "api" | "body" | "priceOf"> {
  readonly name: string
  /** Whether workers start again to take it over. A few new connections may then be lost without a charge. */
  readonly isRestarted: boolean
  /** Writes a version in which a call has this price. */
  write(folder: string, price: number): void
  flags(folder: string): readonly string[]
}

const configuration: Reloaded = {
  name: "the configuration",
  isRestarted: false,
  api: "hmac",
  body: { message: "m", secret: "s" },
  priceOf: () => null,
  write: (folder, price) => writeFileSync(configOf(folder), `[credits]\nhmac = ${price}\n`),
  flags: () => [],
}

const ownApi: Reloaded = {
  name: "an own API",
  isRestarted: true,
  api: "priced",
  body: {},
  priceOf: ({ price }) => Number(price),
  write(folder, price) {
    writeFileSync(configOf(folder), "")
    mkdirSync(join(folder, "apis/priced"), { recursive: true })
    writeFileSync(join(folder, "apis/priced/index.ts"), pricedApi(price))
  },
  flags: (folder) => ["--apis", join(folder, "apis")],
}

async function tryReloads(lab: Lab, workers: number, what: Reloaded): Promise<readonly Finding[]> {
  const folder = join(lab.directory, `${workers} ${what.name}`)
  mkdirSync(folder)
  what.write(folder, prices.cheap)
  const run = { binary: lab.binary, config: configOf(folder) }
  const db = join(folder, "penknife.db")
  const account = await command(run, db, ["account", "create", "--name", "one", "--plan", "enterprise"])
  const key = String((await command(run, db, ["key", "create", "--account", account.id])).key)
  const adminKey = String((await command(run, db, ["admin-key", "create", "--name", "reloads"])).key)
  const flags = [...what.flags(folder), "--workers", String(workers)]
  const instance = await createInstance({ ...run, db, flags })
  await instance.start()
  lab.cleanUp(() => instance.kill())
  const found = await callAcrossReloads({
    ...{ url: instance.url, key, adminKey, ...what },
    reloads: lab.rounds,
    write: (price) => what.write(folder, price),
    takeOver: what.isRestarted ? () => process.kill(instance.pid, "SIGHUP") : null,
  })
  await instance.stop()
  const { used } = await command(run, db, ["account", "show", account.id])
  const title = `${what.name}, ${workers === 1 ? "one process" : `${workers} workers`}`
  const dear = (used - found.calls) / (prices.dear - prices.cheap)
  lab.say(`${title}: ${found.calls} calls, ${dear} of them dear, ${found.reloads} reloads`)
  return [
    none(`${title}: refused calls`, found.refused),
    what.isRestarted
      ? count(`${title}: lost connections`, found.lost)
      : none(`${title}: lost connections`, found.lost),
    // The sum fits cheap and dear calls only when each had one price.
    none(`${title}: credits that no price explains`, Number.isInteger(dear) ? 0 : used),
    ...(found.answered === null
      ? []
      : [
          none(
            `${title}: credits charged beside what the answers' versions say`,
            Math.abs(used - found.answered),
          ),
        ]),
    count(`${title}: reloads taken over`, found.reloads, lab.rounds),
    count(`${title}: calls at the other price`, dear, lab.rounds),
  ]
}

function configOf(folder: string): string {
  return join(folder, "penknife.toml")
}

/** An API that answers with the price of its version. */
function pricedApi(price: number): string {
  return `import { defineApi, Type } from "penknife/plugin"
export default defineApi({
  id: "priced",
  title: "Priced",
  description: "Gives the price of its version.",
  method: "POST",
  credits: ${price},
  input: Type.Object({}),
  output: Type.Object({ price: Type.Integer({ description: "The price." }) }),
  examples: [{ name: "A call", input: {}, output: { price: ${price} } }],
  run: () => ({ price: ${price} }),
})
`
}
