/** The thread of `turn-watch.ts`. It asks for `/health` until it gets a second message, and then tells the longest wait. */
import { mainThreadMs } from "./processor-time.ts"
import type { SeenTurns } from "./turn-watch.ts"

declare const self: Worker

/** Between two questions. A turn that begins in it is seen shorter by so much. */
const pauseMs = 1

self.addEventListener("message", ({ data: { url, pid } }) => watch(url, pid), { once: true })

async function watch(url: string, pid: number): Promise<void> {
  let isOver = false
  self.addEventListener("message", () => {
    isOver = true
  })
  await ask()
  self.postMessage("ready")
  let longestMs = 0
  let longestWaitMs = 0
  let answers = 0
  do {
    const startedMs = performance.now()
    const usedMs = mainThreadMs(pid)
    await ask()
    longestMs = Math.max(longestMs, mainThreadMs(pid) - usedMs)
    longestWaitMs = Math.max(longestWaitMs, performance.now() - startedMs)
    answers++
    await Bun.sleep(pauseMs)
  } while (!isOver)
  self.postMessage({ longestMs, longestWaitMs, answers } satisfies SeenTurns)

  async function ask(): Promise<void> {
    const { status } = await fetch(`${url}/health`)
    if (status !== 200) throw new Error(`/health answered ${status}`)
  }
}
