/** A start in phases: whatever tells the service something as soon as it can, all that it meets is there. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { join } from "node:path"
import { startService } from "../src/app/service.ts"
import { loadConfig } from "../src/config/load.ts"
import type { FromSupervisor, FromWorker } from "../src/observe/siblings.ts"
import { openStore } from "../src/store/open.ts"
import type { OpenStore, StoreListeners } from "../src/store/store-options.ts"
import { createMemoryLog } from "./support/log.ts"
import { tempDir } from "./support/temp.ts"

const dir = tempDir()
let files = 0
const rejections: unknown[] = []
const onRejection = (cause: unknown) => void rejections.push(cause)

beforeEach(() => void process.on("unhandledRejection", onRejection))
afterEach(() => {
  process.off("unhandledRejection", onRejection)
  rejections.length = 0
})

/** Calls without a key, so that the start has steps after the first that others can reach. */
const configOf = () =>
  loadConfig({
    flags: { port: "0", db: join(dir, `phases-${files++}.db`), tryCalls: "30", tryPlan: "free" },
    ...{ env: {}, file: null },
  })

/** Starts a service, lets what was told have its effect, and stops it. Returns its log. */
async function startAndStop(options: Parameters<typeof startService>[1]): Promise<string> {
  const log = createMemoryLog()
  const service = await startService(configOf(), { ...options, logOutput: log })
  await new Promise((resolve) => void setTimeout(resolve))
  await service.stop({ atOnce: true })
  return log.text()
}

test("a store that tells of notices, messages and connections as soon as somebody listens finds everything there", async () => {
  const order: string[] = []
  const sent: string[] = []
  const open: typeof openStore = async (...given) => {
    const opened = await openStore(...given)
    const listen = (listeners: StoreListeners): void => {
      order.push("listen")
      const tell = () => {
        listeners.onRaised([])
        listeners.onConnected()
        listeners.onMessage('{"id":"other","host":"h","fingerprint":"f","state":"begins"}')
      }
      tell()
      // Within each step of the rest of the start.
      const tellAgain = async () => {
        for (let step = 0; step < 50; step++) {
          await undefined
          tell()
        }
      }
      void tellAgain()
      opened.listen(listeners)
    }
    const instances = { id: "own", send: async (text: string) => void sent.push(text) }
    return { ...opened, instances, listen } satisfies OpenStore
  }
  const { startHttpServer } = await import("../src/surfaces/http/server.ts")
  const log = await startAndStop({
    open,
    serve(...given) {
      order.push("port")
      return startHttpServer(...given)
    },
  })
  expect(order).toEqual(["listen", "port"])
  expect(rejections).toEqual([])
  expect(log).not.toContain("error")
  const states = sent.map((text) => JSON.parse(text).state)
  expect([states[0], states.includes("runs"), states.at(-1)]).toEqual(["begins", true, "ends"])
})

test("a supervisor that asks for everything as soon as it can be heard gets its answers", async () => {
  const answers: FromWorker[] = []
  const questions: FromSupervisor[] = [
    { kind: "ping" },
    { kind: "report", id: 7 },
    { kind: "watch", id: 1, filter: {} },
    { kind: "unwatch", id: 1 },
    { kind: "take", text: null },
    { kind: "reload" },
  ]
  const log = await startAndStop({
    channel: {
      send: (message) => void answers.push(message as FromWorker),
      onMessage: (listener) => questions.forEach(listener),
    },
  })
  expect(rejections).toEqual([])
  expect(answers).toContainEqual({ kind: "alive" })
  const reported = answers.flatMap((answer) => (answer.kind === "reported" ? answer : []))
  expect(reported.map(({ id }) => id)).toEqual(expect.arrayContaining([7, null]))
  // The service was started without a file, and says so each time.
  expect(log).toContain("cannot read its configuration again")
  expect(log).not.toContain("before initialization")
})
