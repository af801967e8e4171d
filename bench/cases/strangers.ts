import { connect, type Socket } from "node:net"
import { join } from "node:path"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"
import { loadCores, pinned, type ServerProcess, startServer, usageOf } from "../processes.ts"
import type { Workbench } from "../workbench.ts"

const goalMb = 300
const goalMs = 200
const unreadClients = 2_000
const bodyClients = 500
const bodyBytes = 1_900_000
/** How long the memory is watched after the requests were sent. */
const watchedMs = 5_000

/** Clients that cost the service much and others nothing: memory of what they hold, and waits beside those who connect anew. */
export const strangers: Case = {
  name: "strangers",
  title: "Highest memory in MB, and longest wait of /health in ms, beside hostile clients",
  async run(bench) {
    const store = await bench.store(1, 1)
    const [key = ""] = store.keys
    const inServer = async (work: (server: ServerProcess) => Promise<number>) => {
      const server = await startServer(bench.penknife(store))
      try {
        return await work(server)
      } finally {
        await server.stop()
      }
    }
    const findings = []
    for (const [name, head] of Object.entries(bodyHeads(key))) {
      bench.say(name)
      const mb = await inServer((server) =>
        memoryBeside(server, bodyClients, head, Buffer.alloc(bodyBytes - 1, " ")),
      )
      findings.push(toFinding(`${bodyClients} bodies of 1.9 MB, ${name}: MB`, [mb], { atMost: goalMb }))
    }
    bench.say("unread pages")
    const unreadMb = await inServer(async (server) =>
      memoryBeside(server, unreadClients, `GET /openapi.json ${version}accept-encoding: identity\r\n`),
    )
    findings.push(toFinding(`${unreadClients} unread pages: MB`, [unreadMb], { atMost: goalMb }))
    for (const [name, request] of Object.entries(worstRequests())) {
      for (const clients of [2, 20, 100]) {
        const waits: number[] = []
        for (let round = 0; round < bench.rounds; round++) {
          waits.push(await inServer((server) => longestWait(server.url, request, clients, bench)))
        }
        bench.say(`${clients} clients, ${name}: ${Math.max(...waits).toFixed(0)} ms at most`)
        findings.push(toFinding(`${clients} who connect anew, ${name}: ms`, waits, { atMost: goalMs }))
      }
    }
    return { rows: [], findings, notes: ["Another busy program makes waits longer."] }
  },
}

const version = "HTTP/1.1\r\nhost: localhost\r\n"

/** Requests with a large body, by who sends them. */
function bodyHeads(key: string): Readonly<Record<string, string>> {
  const declared = `content-type: application/json\r\ncontent-length: ${bodyBytes}\r\n`
  return {
    "to sign in": `POST /portal/session ${version}sec-fetch-site: same-origin\r\norigin: http://localhost\r\n${declared}`,
    "without a key": `POST /v1/hmac ${version}${declared}`,
    "with a key": `POST /v1/hmac ${version}x-api-key: ${key}\r\n${declared}`,
    "with a key, to GraphQL": `POST /v1/graphql ${version}x-api-key: ${key}\r\n${declared}`,
  }
}

/** Requests without a key that take longest. */
function worstRequests(): Readonly<Record<string, string>> {
  const fill = (unit: string) => unit.repeat(Math.floor(15_000 / unit.length))
  const get = (path: string, header = "") => `GET ${path} ${version}${header && `${header}\r\n`}\r\n`
  return {
    "an unknown path": get("/v1/nothing"),
    "16 kB of Accept": get("/v1/nothing", `accept: application/problem+json;q=0,${fill("a/b,")}`),
    "16 kB of Accept-Encoding": get("/openapi.json", `accept-encoding: ${fill("a;q=0.1,")}`),
    "16 kB of Cookie": get("/portal/session", `cookie: ${fill("a;")}`),
    "16 kB of query": get(`/v1/bluetoothlookup?${fill("a&")}`),
    "a large document": get("/openapi.json"),
  }
}

/** The highest resident memory while clients have sent a request, all but the end of its body, and read nothing. */
async function memoryBeside({ url, pid }: ServerProcess, clients: number, head: string, body?: Buffer) {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  for (let client = 0; client < clients; client++) {
    const socket = connect(Number(port), hostname).pause()
    socket.on("error", () => {})
    socket.write(`${head}\r\n`)
    if (body) socket.write(body)
    sockets.push(socket)
  }
  let highestMb = 0
  for (const startMs = performance.now(); performance.now() - startMs < watchedMs; await Bun.sleep(20)) {
    highestMb = Math.max(highestMb, usageOf(pid)?.residentMb ?? Number.NaN)
  }
  for (const socket of sockets) socket.destroy()
  return highestMb
}

/** Asks for `/health` on an open connection while others connect anew for each request. Returns the longest wait. */
async function longestWait(
  url: string,
  request: string,
  clients: number,
  { seconds }: Workbench,
): Promise<number> {
  const script = join(import.meta.dir, "../strangers-load.ts")
  const command = [process.execPath, script, url, `${clients}`, `${seconds}`]
  const load = Bun.spawn(pinned(command, loadCores), { stdin: new Blob([request]), stdout: "pipe" })
  let isOver = false
  const ended = load.stdout.text().then((answers) => {
    isOver = true
    if (Number(answers) === 0) throw new Error("the service answered none of them")
  })
  let longestMs = 0
  while (!isOver) {
    const startMs = performance.now()
    await (await fetch(`${url}/health`)).arrayBuffer()
    longestMs = Math.max(longestMs, performance.now() - startMs)
    await Bun.sleep(5)
  }
  await ended
  return longestMs
}
