import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Finding } from "../../findings.ts"
import { command } from "../command.ts"
import { createInstance } from "../instance.ts"
import { atMost, count, type Lab, none, type Trial } from "../trial.ts"

const names = Array.from({ length: 9 }, (_, index) => `own${index}`)
const clients = 4
/** One reload in each second. */
const betweenMs = 1_000

/** Linux only: it reads the memory of the service in `/proc`. */
export const reloadMemory: Trial = {
  name: "reload-memory",
  title: "memory while nine own APIs are reloaded each second and called",
  rounds: 60,
  async run(lab) {
    return [
      ...(await tryReloads(lab, "all of them changed", names)),
      ...(await tryReloads(lab, "one of them changed", names.slice(0, 1))),
    ]
  },
}

async function tryReloads(lab: Lab, title: string, changed: readonly string[]): Promise<readonly Finding[]> {
  const folder = join(lab.directory, title)
  const apis = join(folder, "apis")
  for (const name of names) writeVersion(apis, name, 0)
  const run = { binary: lab.binary, config: lab.config }
  const db = join(folder, "penknife.db")
  const account = await command(run, db, ["account", "create", "--name", "one", "--plan", "enterprise"])
  const key = String((await command(run, db, ["key", "create", "--account", account.id])).key)
  const adminKey = String((await command(run, db, ["admin-key", "create", "--name", "reloads"])).key)
  const instance = await createInstance({ ...run, db, flags: ["--apis", apis] })
  await instance.start()
  lab.cleanUp(() => instance.kill())
  const post = (path: string, headers: Readonly<Record<string, string>>, body: object) =>
    fetch(instance.url + path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const total = { answered: 0, refused: 0 }
  let isOver = false
  const client = async (first: number) => {
    for (let calls = first; !isOver; calls++) {
      // Some are under way over several reloads.
      const waitMs = calls % 50 === 0 ? 3_000 : 1
      const { status } = await post(`/v1/${names[calls % names.length]}`, { "x-api-key": key }, { waitMs })
      if (status === 200) total.answered++
      else total.refused++
      await Bun.sleep(10)
    }
  }
  const megabytes: number[] = []
  const threads: number[] = []
  const looking = setInterval(() => {
    const status = readFileSync(`/proc/${instance.pid}/status`, "utf8")
    megabytes.push(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_000)
    threads.push(Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]))
  }, 20)
  const calling = Promise.all(Array.from({ length: clients }, (_, index) => client(index * 13)))
  const beganMs = performance.now()
  let taken = 0
  for (let reload = 1; reload <= lab.rounds; reload++) {
    for (const name of changed) writeVersion(apis, name, reload)
    const answer = await post("/admin/v1/config/reload", { authorization: `Bearer ${adminKey}` }, {})
    if (answer.status === 200) taken++
    await Bun.sleep(Math.max(0, beganMs + reload * betweenMs - performance.now()))
  }
  const seconds = (performance.now() - beganMs) / 1_000
  isOver = true
  await calling
  clearInterval(looking)
  await instance.stop()
  const { used } = await command(run, db, ["account", "show", account.id])
  lab.say(`${title}: ${taken} reloads in ${seconds.toFixed()} s, ${total.answered} calls`)
  return [
    atMost(`${title}: resident memory, MB`, megabytes, 250),
    atMost(`${title}: threads`, threads, 60),
    none(`${title}: refused calls`, total.refused),
    none(`${title}: credits that differ from the answers`, Math.abs(Number(used) - total.answered)),
    count(`${title}: reloads taken over`, taken, lab.rounds),
  ]
}

function writeVersion(apis: string, name: string, version: number): void {
  mkdirSync(join(apis, name), { recursive: true })
  writeFileSync(
    join(apis, name, "index.ts"),
    `import { defineApi, Type } from "penknife/plugin"
export default defineApi({
  id: "${name}",
  title: "Wait",
  description: "Waits.",
  method: "POST",
  credits: 1,
  input: Type.Object({ waitMs: Type.Integer({ description: "How long." }) }),
  output: Type.Object({ version: Type.Integer({ description: "The version." }) }),
  examples: [{ name: "A call", input: { waitMs: 0 }, output: { version: ${version} } }],
  async run({ waitMs }) {
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    return { version: ${version} }
  },
})
`,
  )
}
