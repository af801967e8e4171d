/**
 * A service in another process whose DNS server plays one trick after another, beside ordinary calls of another account:
 * `bun run fuzz --dns-modes`. Others wait less than 50 ms for its main thread and get right answers, memory is bounded, and what
 * is refused is not charged.
 */
import { afterAll, expect, test } from "bun:test"
import { join } from "node:path"
import { countsOf, inParallel, leastOfTurns, type Seen, watchBeside } from "../support/beside.ts"
import { type HostileCall, hostileCalls, modeNames } from "../support/hostile-calls.ts"
import { startHostileDns } from "../support/hostile-dns.ts"
import { hostileAnchor } from "../support/hostile-signer.ts"
import { folderOf } from "../support/own-apis.ts"
import { creditsUsed, memoryOf, requestFor, startWatchedServiceWith } from "../support/worst-inputs.ts"

const rounds = Number(process.env.DNS_ROUNDS ?? 3)
/** Tricks that are played at a time, and calls about them at a time. */
const together = 4
const connections = 16
/** The most that the main thread may run while others wait. */
const longestMs = 50
/** The most that memory may grow after the first round. */
const mostGrowthMb = 100

const server = await startHostileDns()
afterAll(() => server.stop())
const anchorFile = join(folderOf({ "anchor.txt": hostileAnchor }), "anchor.txt")
const service = await startWatchedServiceWith(
  ["--dns-server", server.address, "--dnssec-anchor", anchorFile],
  1,
  1,
)
const [[hostileKey = ""] = [], [ordinaryKey = ""] = []] = service.keys
const { url, pid } = service
const hostile = { url, key: hostileKey }
/** A sum and a name, and what their answers must have. */
const ordinaryPaths = {
  "/v1/gtinvalidator?code=4006381333931": '"is_valid":true',
  "/v1/dnslookup?name=www.ordinary.test&type=A": '"192.0.2.1"',
}

async function send({ api, input }: HostileCall): Promise<{ status: number; credits: number }> {
  const answer = await fetch(requestFor(hostile, api, input))
  await answer.text()
  return { status: answer.status, credits: api.credits }
}

/** Makes calls, so many at a time, and tells what the ordinary calls saw meanwhile. */
async function play(calls: readonly HostileCall[]): Promise<Seen & { statuses: number[] }> {
  const before = await creditsUsed(hostile)
  const answers: { status: number; credits: number }[] = []
  const seen = await watchBeside({ ...service, key: ordinaryKey }, ordinaryPaths, () =>
    inParallel(calls, connections, async (call) => {
      answers.push(await send(call))
    }),
  )
  expect(seen.wrong).toEqual([])
  expect(answers.filter(({ status }) => ![200, 400, 502, 503].includes(status))).toEqual([])
  const paid = answers.filter(({ status }) => status === 200)
  expect((await creditsUsed(hostile)) - before).toBe(paid.reduce((sum, { credits }) => sum + credits, 0))
  return { ...seen, statuses: answers.map(({ status }) => status) }
}

/** The calls about some tricks, each time about other names, which are not in the cache. */
let labels = 0
const callsFor = (modes: readonly string[]): readonly HostileCall[] =>
  hostileCalls(`r${(labels++).toString(36)}`).filter(({ mode }) => modes.includes(mode))

async function playAll(): Promise<{ statuses: number[]; slow: string[]; longest: number }> {
  const statuses: number[] = []
  const slow: string[] = []
  let longest = 0
  for (let at = 0; at < modeNames.length; at += together) {
    const modes = modeNames.slice(at, at + together)
    const shortest = await leastOfTurns(longestMs, async () => {
      const seen = await play(callsFor(modes))
      statuses.push(...seen.statuses)
      return seen
    })
    longest = Math.max(longest, shortest)
    if (shortest >= longestMs) slow.push(`${modes.join(", ")}: ${shortest.toFixed(1)} ms`)
  }
  return { statuses, slow, longest }
}

test(`${rounds} rounds of ${modeNames.length} tricks`, async () => {
  const memory: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const { statuses, slow, longest } = await playAll()
    memory.push(memoryOf(pid).nowMb)
    console.log(
      `Round ${round}: answers ${countsOf(statuses)}; longest time of the main thread during a request for /health ${longest.toFixed(1)} ms; memory ${Math.round(memory.at(-1) ?? 0)} MB`,
    )
    expect(slow).toEqual([])
  }
  console.log(`Most memory: ${Math.round(memoryOf(pid).mostMb)} MB`)
  expect(Math.max(...memory) - (memory[0] ?? 0)).toBeLessThan(mostGrowthMb)
}, 3_600_000)
