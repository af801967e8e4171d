/** The worst inputs of each isolated API, against a service in another process: other calls are answered, and memory is bounded. */
import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { catalog } from "../src/app/prepare.ts"
import { tempDir } from "./support/temp.ts"
import { memoryOf, strain, type WatchedService, type WorstInput } from "./support/worst-inputs.ts"

const isolated = catalog.filter((api) => api.isolated)
/** The system of this machine tells the processor time of threads to other programs. */
const isWatchable = process.platform === "linux"

const service: WatchedService | null = isWatchable ? await startService() : null
const idleMb = service ? memoryOf(service.pid).nowMb : 0

async function startService(): Promise<WatchedService> {
  const argv = ["serve", "--demo", "--json", "--port", "0", "--db", join(tempDir(), "store.db")]
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "../src/main.ts"), ...argv], {
    stdout: "pipe",
    stderr: "ignore",
  })
  afterAll(async () => {
    child.kill()
    await child.exited
  })
  let text = ""
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.split("\n").length > 2) break
  }
  const [listening = "", demo = ""] = text.split("\n")
  return { url: JSON.parse(listening).url, pid: child.pid, key: JSON.parse(demo).key }
}

const worst: readonly (readonly [id: string, ...WorstInput])[] = await Promise.all(
  isolated.map(async ({ id }) => {
    const found: { readonly worst: readonly WorstInput[] } = await import(`./worst/${id}.ts`)
    return found.worst.map(([what, input]): readonly [string, ...WorstInput] => [id, what, input])
  }),
).then((lists) => lists.flat())

test.skipIf(!service).each(worst)("%s: %s", async (id, _what, input) => {
  const api = isolated.find((one) => one.id === id)
  if (!service || !api) return
  // Code that runs for the first time and a collection of memory take longer: only a turn that is long each time is the input's.
  let longestMs = Number.POSITIVE_INFINITY
  for (let times = 0; times < 4 && longestMs >= 50; times++) {
    const strained = await strain(service, api, input)
    const { status, error, charged, answers } = strained
    expect([200, 400]).toContain(status)
    if (status === 400) expect(error).toMatch(/^The '\w+' parameter /)
    expect(charged).toBe(status === 200 ? api.credits : 0)
    expect(answers).toBeGreaterThan(0)
    longestMs = Math.min(longestMs, strained.longestMs)
  }
  expect(longestMs).toBeLessThan(50)
})

// One run may take the 256 MiB of --api-memory, and more until it is noticed; a thread beside it may still hold what its last run left.
test.skipIf(!service)("the memory of the process stays within that of a run", async () => {
  if (!service) return
  const { mostMb } = memoryOf(service.pid)
  expect(mostMb - idleMb).toBeLessThan(600)
})
