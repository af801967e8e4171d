/** Wrong APIs of an operator's own and wrong configuration, on the executable: who is told what, and who is served on. */
import { describe, expect, test } from "bun:test"
import { readAnswer } from "../support/answer.ts"
import { postWith } from "../support/keyed-request.ts"
import { apiSource, folderOf } from "../support/own-apis.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { run, serve } from "./support.ts"

const dir = tempDir()

/** A service with these APIs. */
async function startWith(apis: string, ...flags: string[]) {
  const account = await seedOne(dir)
  const server = await serve(account.db, "--apis", apis, ...flags)
  return {
    ...account,
    server,
    shout: (text: string) => account.call(server.url, "/v1/shout", postWith({ text })),
    shouted: async (text: string) =>
      (await readAnswer(account.call(server.url, "/v1/shout", postWith({ text })))).data?.shouted,
  }
}

/** own-apis-refused.test.ts has more kinds. */
test("each wrong API is refused alone, with its place and what to change, and the others are served", async () => {
  const wrong: Readonly<Record<string, readonly [source: string, problem: RegExp]>> = {
    throws: [
      apiSource("throws", { first: 'throw new Error("no")' }),
      /throws\/index\.ts cannot be loaded: Error: no \(.*throws\/index\.ts:2:/,
    ],
    exits: [
      apiSource("exits", { first: "process.exit(0)" }),
      /exits\/index\.ts cannot be loaded: its thread ended by itself/,
    ],
    large: [
      apiSource("large").replace("Writes a text", `${"x".repeat(2_000_000)}`),
      /large\/index\.ts cannot be loaded: .*the definition has \d+ characters; 1000000 are allowed/,
    ],
  }
  const files = Object.entries(wrong).map(([name, [source]]) => [`${name}/index.ts`, source] as const)
  const apis = folderOf({ ...Object.fromEntries(files), "shout/index.ts": apiSource("shout") })
  const [checked, { server, shouted }] = await Promise.all([run(["api", "check", apis]), startWith(apis)])
  expect(await shouted("a")).toBe("A")
  expect(await server.stop()).toBe(0)
  const log = await server.stderr
  expect(log).not.toContain("penknife-apis-")
  for (const [name, [, problem]] of Object.entries(wrong)) {
    const line = log.split("\n").find((one) => one.includes(`"folder":"${name}"`)) ?? "{}"
    const refusal = { problem: expect.stringMatching(problem), message: "API not served" }
    expect(JSON.parse(line)).toMatchObject(refusal)
    expect(checked.err).toMatch(problem)
  }
  expect([checked.code, checked.out]).toEqual([1, "shout: 1 example is right.\n"])
  expect(checked.err).toContain("3 of 4 APIs cannot be used.")
})

test("what goes wrong in a call ends that call alone, costs nothing, and is in the log", async () => {
  const faulty = `if (text === "throw") throw "a string"
    if (text === "exit") process.exit(3)
    if (text === "loop") for (;;) {}
    if (text === "huge") return { shouted: "x".repeat(10_000_000) }
    if (text === "wrong") return { shouted: 3 } as any
    if (text === "name") await (ports.dns as any).resolve(undefined, "MX")
    if (text === "post") postMessage(null)
    if (text === "unhandled") void Promise.reject(new Error("left"))
    if (text === "many") for (let one = 0; one < 2_000; one++) void Promise.reject(new RangeError("left"))
    if (text === "timer") setTimeout(() => { throw new Error("left") }, 1)
    if (text === "kill") process.kill(process.pid, "SIGKILL")
    if (text === "exitlater") setTimeout(() => process.exit(), 1)
    return { shouted: text.toUpperCase() }`
  const apis = folderOf({ "shout/index.ts": apiSource("shout", { run: faulty }) })
  const { server, shout, shouted, used } = await startWith(apis, "--api-timeout", "3")
  const statuses = {
    ...{ throw: 500, exit: 500, loop: 500, huge: 500, wrong: 500, name: 500, kill: 500 },
    ...{ post: 200, unhandled: 200, many: 200, timer: 200, exitlater: 200 },
  }
  for (const [text, status] of Object.entries(statuses)) {
    expect([text, (await shout(text)).status]).toEqual([text, status])
    for (const after of ["one", "two"])
      expect([text, await shouted(after)]).toEqual([text, after.toUpperCase()])
  }
  const free = Object.values(statuses).filter((status) => status === 500).length
  expect(await used()).toBe(3 * Object.keys(statuses).length - free)
  await server.wrote("API failed outside of a call", 2)
  expect(await server.stop()).toBe(0)
  const log = await server.stderr
  for (const cause of [
    /it threw a string instead of an error/,
    /its thread ended by itself, as when an API exits/,
    /it did not end within 3 s/,
    /it returned more than the 1000000 characters that are allowed/,
    /its output does not follow its schema: 'shouted': Expected string/,
    /it threw a TypeError \(.*shout\/index\.ts:\d+:\d+\)/,
    /it threw an Error \(.*shout\/index\.ts:\d+:\d+\)","message":"API failed outside of a call"/,
  ])
    expect(log).toMatch(cause)
  // Each one takes the time of all other calls. The next call ends the thread, and what is left with it.
  const failures = log.match(/it threw a RangeError/g)?.length
  expect(failures).toBeGreaterThan(0)
  expect(failures).toBeLessThanOrEqual(5)
})

describe.if(process.platform === "linux")("memory", () => {
  test("a call that takes too much is ended although it never waits, and others are not", async () => {
    const hogs = `const kept: unknown[] = []
      if (text === "objects") for (;;) kept.push(Array.from({ length: 1_000 }, () => ({ text })))
      if (text === "bytes") for (;;) kept.push(new Uint8Array(1_000_000).fill(1))
      if (text === "slow") await new Promise((resolve) => setTimeout(resolve, 1_000))
      return { shouted: text.toUpperCase() }`
    const apis = folderOf({ "shout/index.ts": apiSource("shout", { run: hogs }) })
    const { server, shout, shouted, used } = await startWith(
      ...[apis, "--api-timeout", "60", "--api-memory", "100000000"],
    )
    const slow = shouted("slow")
    const hogging = ["objects", "bytes", "bytes"].map(async (text) => (await shout(text)).status)
    expect(await Promise.all(hogging)).toEqual([500, 500, 500])
    expect(await slow).toBe("SLOW")
    expect(await shouted("a")).toBe("A")
    expect(await used()).toBe(2)
    expect(await server.stop()).toBe(0)
    expect(await server.stderr).toContain("it took more than the 100000000 bytes of --api-memory")
  })
})
