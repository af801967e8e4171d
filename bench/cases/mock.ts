import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Case, Finding, Goal } from "../case.ts"
import { pinned } from "../processes.ts"

interface Subject {
  readonly name: string
  readonly path: string
  readonly command: (port: number) => readonly string[]
  readonly goal: Goal | null
}

/** Starts of each subject in one round. */
const starts = 5

/** How long a CI job waits for a test double: from the start of the process to its first answer. */
export const mock: Case = {
  name: "mock",
  title: "Start of `penknife mock`, beside a general mock server",
  async run({ binary, directory, rounds, say }) {
    const data = join(directory, "companies.json")
    writeFileSync(data, JSON.stringify({ bluetoothlookup: [{ id: 76, company: "Apple, Inc." }] }))
    const generalMock = join(import.meta.dir, "../../node_modules/json-server/lib/cli/bin.js")
    const subjects: readonly Subject[] = [
      {
        name: "penknife mock",
        path: "/v1/bluetoothlookup?companyid=76",
        command: (port) => [binary, "mock", "--port", String(port)],
        goal: { atMost: 100 },
      },
      {
        name: "json-server",
        path: "/bluetoothlookup/76",
        command: (port) => [
          "node",
          generalMock,
          "--host",
          "127.0.0.1",
          "--port",
          String(port),
          "--quiet",
          data,
        ],
        goal: null,
      },
    ]
    const times = subjects.map((): number[] => [])
    for (let round = 1; round <= rounds * starts; round++) {
      say(`start ${round} of ${rounds * starts}`)
      for (const [index, subject] of subjects.entries()) times[index]?.push(await firstAnswerMs(subject))
    }
    const findings = subjects.map(({ name, goal }, index) => toFinding(name, times[index] ?? [], goal))
    return {
      rows: [],
      findings,
      notes: ["From spawning the process to the first 200, both asked again and again until they answer."],
    }
  },
}

async function firstAnswerMs({ name, path, command }: Subject): Promise<number> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}${path}`
  const startedMs = performance.now()
  const child = Bun.spawn(pinned(command(port), [0]), { stdout: "ignore", stderr: "inherit" })
  try {
    for (;;) {
      const status = await fetch(url, { headers: { "x-api-key": "mock-pro" }, keepalive: false }).then(
        (answer) => answer.status,
        () => null,
      )
      const ms = performance.now() - startedMs
      if (status === 200) return ms
      if (status !== null) throw new Error(`${name} answers with ${status}`)
      if (child.exitCode !== null || ms > 30_000) throw new Error(`${name} does not start`)
      await Bun.sleep(1)
    }
  } finally {
    child.kill("SIGTERM")
    await child.exited
  }
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() })
  const { port } = server
  server.stop(true)
  return port ?? 0
}

function toFinding(name: string, times: readonly number[], goal: Goal | null): Finding {
  const sorted = times.map((ms) => Math.round(ms * 10) / 10).sort((a, b) => a - b)
  return {
    what: `${name}: process start to first answer, ms, median`,
    value: sorted[Math.floor(sorted.length / 2)] ?? 0,
    range: [sorted[0] ?? 0, sorted.at(-1) ?? 0],
    goal,
  }
}
