import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Goal } from "../../scripts/findings.ts"
import { freePort } from "../../test/support/free-port.ts"
import type { Case } from "../case.ts"
import { toFinding } from "../compare.ts"
import { pinned } from "../processes.ts"

interface Subject {
  readonly name: string
  readonly command: (port: number) => readonly string[]
  readonly goal: Goal | null
  readonly times: number[]
}

/** Starts of each subject in one round. */
const startsPerRound = 5
const giveUpMs = 30_000

export const start: Case = {
  name: "start",
  title: "Process start to first answer, beside an empty server",
  async run({ binary, directory, rounds, say, store }) {
    const { file } = await store(100, 1)
    const empty = compileEmptyServer(directory)
    const subjects: readonly Subject[] = [
      {
        name: "penknife serve",
        command: (port) => [binary, "serve", "--port", String(port), "--db", file],
        goal: { atMost: 50 },
        times: [],
      },
      {
        name: "penknife mock",
        command: (port) => [binary, "mock", "--port", String(port)],
        goal: { atMost: 50 },
        times: [],
      },
      {
        name: "an executable with an empty Bun.serve",
        command: (port) => [empty, String(port)],
        goal: null,
        times: [],
      },
    ]
    for (let round = 1; round <= rounds * startsPerRound; round++) {
      say(`start ${round} of ${rounds * startsPerRound}`)
      for (const subject of subjects) subject.times.push(await firstAnswerMs(subject))
    }
    return {
      rows: [],
      findings: subjects.map(({ name, times, goal }) => toFinding(`${name}, ms`, times, goal)),
      notes: ["From the start of the process to the first 200. The client tries again every millisecond."],
    }
  },
}

/** The least that an executable of this runtime needs on this machine. */
function compileEmptyServer(directory: string): string {
  const source = join(directory, "empty-server.ts")
  const executable = join(directory, "empty-server")
  writeFileSync(
    source,
    'Bun.serve({ hostname: "127.0.0.1", port: Number(process.argv[2]), fetch: () => new Response() })\n',
  )
  const options = ["--compile", "--bytecode", "--format=esm", `--outfile=${executable}`]
  const { success, stderr } = Bun.spawnSync([process.execPath, "build", ...options, source])
  if (!success) throw new Error(`the empty server cannot be compiled: ${stderr}`)
  return executable
}

async function firstAnswerMs({ name, command }: Subject): Promise<number> {
  const port = freePort()
  const url = `http://127.0.0.1:${port}/health`
  const startedMs = performance.now()
  const child = Bun.spawn(pinned(command(port), [0]), { stdout: "ignore", stderr: "ignore" })
  try {
    for (;;) {
      const status = await fetch(url, { keepalive: false }).then(
        (answer) => answer.status,
        () => null,
      )
      const ms = performance.now() - startedMs
      if (status === 200) return ms
      if (status !== null) throw new Error(`${name} answers with ${status}`)
      if (child.exitCode !== null || ms > giveUpMs) throw new Error(`${name} does not start`)
      await Bun.sleep(1)
    }
  } finally {
    child.kill("SIGTERM")
    await child.exited
  }
}
