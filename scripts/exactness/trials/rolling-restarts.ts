import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePort } from "../../../test/support/free-port.ts"
import type { Finding } from "../../findings.ts"
import { compare, createCustomers, readBooks } from "../books.ts"
import { openCluster } from "../cluster.ts"
import type { Instance } from "../instance.ts"
import { mixedCalls, send, startTraffic } from "../traffic.ts"
import { count, type Lab, none, type Trial } from "../trial.ts"

const examples = join(import.meta.dir, "../../../examples/scaling")

export const restartsBehindCaddy = restarts("caddy", startCaddy)
export const restartsBehindNginx = restarts("nginx", startNginx)

function restarts(name: string, startProxy: StartProxy): Trial {
  return {
    name: `restarts-${name}`,
    title: `restarts of two instances in turn, behind ${name} as in examples/scaling`,
    rounds: 10,
    async run(lab) {
      if (Bun.which(name) === null) throw new Error(`There is no ${name}: run 'apt-get install ${name}'.`)
      return restartBehind(startProxy, lab)
    },
  }
}

/** A proxy in front of instances at `127.0.0.1:PORT`. */
interface Proxy {
  readonly url: string
  stop(): Promise<void>
}

type StartProxy = (folder: string, instances: readonly string[]) => Promise<Proxy>

async function restartBehind(startProxy: StartProxy, lab: Lab): Promise<readonly Finding[]> {
  const { server, instances } = await openCluster(lab, 2, drain())
  const proxy = await startProxy(
    lab.directory,
    instances.map(({ url }) => new URL(url).host),
  )
  lab.cleanUp(proxy.stop)
  const customers = await createCustomers(server.url, 8, "ample")
  const [first] = customers
  if (!first) throw new Error("there are customers")
  while ((await send(proxy.url, 0, first, { path: "/ready", body: null, cost: 0 })).status !== 200)
    await Bun.sleep(50)

  const before = await readBooks(server.url)
  const traffic = startTraffic({ instances: [proxy], customers, requests: mixedCalls })
  for (let round = 0; round < lab.rounds; round++) {
    for (const instance of instances) await restart(instance)
    lab.say(`round ${round + 1}: ${traffic.calls.length} calls`)
  }
  await traffic.stop()
  const { calls } = traffic
  const { unpaid, unexplained } = compare(
    calls,
    before,
    await readBooks(server.url),
    Number.POSITIVE_INFINITY,
  )
  const failed = calls.filter(({ status }) => status !== 200)
  const refused = failed.filter(({ isOfInstance }) => isOfInstance)
  for (const { status, startMs, endMs, isOfInstance } of failed)
    lab.say(
      `${status} of ${isOfInstance ? "an instance" : "the proxy"} after ${Math.round(endMs - startMs)} ms`,
    )
  for (const line of instances.flatMap(({ log }) => log).filter((one) => one.includes('"cause"')))
    lab.say(line)
  return [
    count("restarts", lab.rounds * instances.length),
    count("calls", calls.length),
    none("calls that the proxy failed", failed.length - refused.length),
    none("calls that an instance refused", refused.length),
    none("credits answered and not booked", unpaid),
    none("credits booked and not answered", unexplained),
  ]
}

/** Ends an instance and starts it again. The next one may be ended as soon as this one is ready. */
async function restart(instance: Instance): Promise<void> {
  await instance.stop()
  await instance.start()
  while (!(await fetch(`${instance.url}/ready`)).ok) await Bun.sleep(20)
}

/** The flag that the compose file sets. */
function drain(): string[] {
  const seconds = /PENKNIFE_DRAIN: "(\d+)"/.exec(readFileSync(join(examples, "compose.yaml"), "utf8"))?.[1]
  if (seconds === undefined) throw new Error("compose.yaml sets no PENKNIFE_DRAIN")
  return ["--drain", seconds]
}

/** Reads an example, with the addresses of the trial in place of those of the containers. */
const readExample = (file: string, instances: readonly string[]): string =>
  readFileSync(join(examples, file), "utf8")
    .replaceAll("penknife-1:8080", instances[0] ?? "")
    .replaceAll("penknife-2:8080", instances[1] ?? "")

async function startCaddy(folder: string, instances: readonly string[]): Promise<Proxy> {
  const port = freePort()
  const file = join(folder, "Caddyfile")
  const site = readExample("Caddyfile", instances).replace(/^:8080 /m, `http://127.0.0.1:${port} `)
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  return runProxy(
    ["caddy", "run", "--config", file],
    { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    port,
  )
}

async function startNginx(folder: string, instances: readonly string[]): Promise<Proxy> {
  const port = freePort()
  const file = join(folder, "nginx.conf")
  const site = readExample("nginx.conf", instances)
    .replace("listen 8080", `listen 127.0.0.1:${port}`)
    .replaceAll("/run/penknife", folder)
  const http = `access_log off;\nclient_body_temp_path ${folder}/bodies;\nproxy_temp_path ${folder}/proxy;\n${site}`
  writeFileSync(file, `daemon off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\n${http}\n}\n`)
  const named = instances.map((address, index) => `${index + 1}=${address}`)
  const probe = Bun.spawn([join(examples, "nginx-probe.sh"), folder, ...named], {
    stdio: ["ignore", "ignore", "ignore"],
  })
  const nginx = await runProxy(["nginx", "-e", join(folder, "error.log"), "-c", file], {}, port)
  return {
    ...nginx,
    async stop() {
      probe.kill()
      await Promise.all([probe.exited, nginx.stop()])
    },
  }
}

async function runProxy(command: string[], env: Record<string, string>, port: number): Promise<Proxy> {
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "ignore"] })
  const url = `http://127.0.0.1:${port}`
  while (child.exitCode === null && !(await fetch(url).catch(() => null))) await Bun.sleep(20)
  if (child.exitCode !== null) throw new Error(`${command.join(" ")} ended with ${child.exitCode}`)
  return {
    url,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
