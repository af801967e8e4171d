/** The measure by which trials find turns of the event loop that are too long, tried on a server whose turns are known. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { leastOfTurns } from "./support/beside.ts"
import { mainThreadMs } from "./support/processor-time.ts"
import { watchTurns } from "./support/turn-watch.ts"

const isWatchable = process.platform === "linux"

async function startServer() {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "support/turns-server.ts")], {
    stdout: "pipe",
  })
  let text = ""
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes("\n")) break
  }
  return { url: text.trim(), pid: child.pid, stop: () => child.kill() }
}

test.skipIf(!isWatchable)(
  "one long turn is found, beside short ones too; many short turns of one answer are not taken for one",
  async () => {
    const server = await startServer()
    const watch = async (...turns: readonly [count: number, ms: number][]) => {
      const beforeMs = mainThreadMs(server.pid)
      const seen = await watchTurns(server, async () => {
        for (const [count, ms] of turns)
          await (await fetch(`${server.url}/?turns=${count}&ms=${ms}`)).arrayBuffer()
      })
      return { ...seen, wholeMs: mainThreadMs(server.pid) - beforeMs }
    }
    /** On a busy machine a question may come when a turn has begun, which is then seen shorter, so some are watched. */
    const mostOf = async (...turns: readonly [count: number, ms: number][]) => {
      let mostMs = 0
      for (let times = 0; times < 10 && mostMs <= 55; times++)
        mostMs = Math.max(mostMs, (await watch(...turns)).longestMs)
      return mostMs
    }
    try {
      expect(await mostOf([1, 60])).toBeGreaterThan(55)
      expect(await mostOf([5, 5], [1, 60], [5, 5])).toBeGreaterThan(55)
      const leastMs = await leastOfTurns(50, async () => {
        const seen = await watch([10, 10])
        expect(seen.wholeMs).toBeGreaterThan(100)
        return seen
      })
      expect(leastMs).toBeLessThan(50)
    } finally {
      server.stop()
    }
  },
)
