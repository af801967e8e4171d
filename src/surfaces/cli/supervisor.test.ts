import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { tempDir } from "../../../test/support/temp.ts"
import { systemClock } from "../../ports/clock.ts"
import { supervise } from "./supervisor.ts"
import { spawnWorker, WorkerFailed } from "./worker.ts"

const dir = tempDir()
// Generous, for a busy machine.
setDefaultTimeout(60_000)

/** Programs that say where they listen, as a worker does, and then do as they like. */
function programs(graceMs: number, ...bodies: string[]) {
  const files = bodies.map((body, index) => {
    const file = join(dir, `${Bun.hash(body)}-${index}.js`)
    const listens = `console.log(JSON.stringify({ url: "http://127.0.0.1:1", pid: process.pid }))`
    writeFileSync(file, `${body}\n${listens}\nprocess.stdin.resume()\n`)
    return file
  })
  const reports: string[] = []
  let spawned = 0
  const parts = {
    spawn: (port: number | null) => {
      const file = files[spawned++ % files.length] ?? ""
      return spawnWorker([process.execPath, file], [], port, process.env)
    },
    clock: systemClock,
    report: (message: string) => void reports.push(message),
    graceMs,
  }
  return { parts, reports, spawned: () => spawned }
}

const obedient = `process.on("SIGTERM", () => process.exit(0))`
const stubborn = `process.on("SIGTERM", () => {})`

describe.skipIf(process.platform === "win32")("stopping", () => {
  test("workers that end when they are asked to are all there is to it", async () => {
    const { parts, reports } = programs(60_000, obedient, obedient, obedient)
    const { stop } = await supervise(3, parts)
    await stop()
    expect(reports).toEqual([])
  })

  test("workers that do not are killed, and that is an error", async () => {
    const { parts } = programs(200, stubborn, stubborn)
    const { stop } = await supervise(2, parts)
    const stopped = stop()
    await expect(stopped).rejects.toThrow(WorkerFailed)
    await expect(stopped).rejects.toThrow("2 of 2 workers had to be killed")
  })

  test("a start that fails leaves none behind, and says what failed", async () => {
    const { parts, spawned } = programs(200, stubborn, "process.exit(3)")
    await expect(supervise(2, parts)).rejects.toThrow("ended before it listened")
    expect(spawned()).toBe(2)
  })
})
