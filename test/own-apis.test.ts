/** APIs of an operator: what their faults do to others, and what a change of their files does. */

import { expect, test } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Ports } from "../src/apis/contract.ts"
import { maxDnsQuestions } from "../src/call/dns-questions.ts"
import { systemClock } from "../src/ports/clock.ts"
import { readAnswer } from "./support/answer.ts"
import { noExchange } from "./support/dns.ts"
import { createHeldDns } from "./support/held-dns.ts"
import { postWith, withKey } from "./support/keyed-request.ts"
import { startTestMock } from "./support/mock.ts"
import { apiSource, folderOf, loadOwn, slowRun, writeFiles } from "./support/own-apis.ts"
import { startTestService, type TestService } from "./support/service.ts"
import { tempDir } from "./support/temp.ts"
import { createHeldTimer } from "./support/timer.ts"
import { until } from "./support/until.ts"

test("a folder that does not exist keeps the service from starting", () =>
  expect(startTestService({ flags: { apis: "/nowhere" } })).rejects.toThrow(
    "--apis: The folder /nowhere cannot be read",
  ))

const faulty = `
    if (text === "throw") throw "a string"
    if (text === "type") throw new TypeError("cannot read " + text)
    if (text === "exit") process.exit(3)
    if (text === "loop") for (appendFileSync(marks, "x"); ; ) {}
    if (text === "big") return { shouted: "x".repeat(3_000_000) }
    if (text === "wrong") return { shouted: 3 }
    if (text === "more") return { shouted: "x", secret: "y" }
    if (text === "nothing") return
    if (text === "odd") throw new Proxy({}, { getPrototypeOf() { throw new Error("no prototype") } })
    if (text === "nameless") throw Object.assign(new Error("x"), { constructor: null })
    if (text === "moves") process.chdir("/")
    if (text === "aborts") process.abort()
    if (text === "no") reject("text", "must be a yes")
    if (text === "away") unavailable("The upstream does not answer.", "upstream")
    return { shouted: text.toUpperCase() }`

/** Nothing else waits as long as a call of an API may take in these tests. */
const apiTimeoutSeconds = 37

async function startFaulty(flags: object = {}, more: Partial<Ports> = {}) {
  const marks = join(tempDir(), "marks")
  writeFileSync(marks, "")
  const first = `import { appendFileSync } from "node:fs"\nconst marks = ${JSON.stringify(marks)}`
  const apis = folderOf({ "shout/index.ts": apiSource("shout", { first, run: faulty }) })
  const limits = createHeldTimer(apiTimeoutSeconds * 1_000)
  const service = await startTestService({
    flags: { apis, apiTimeoutSeconds: String(apiTimeoutSeconds), ...flags },
    ports: { timer: limits, ...more },
  })
  return {
    service,
    apis,
    /** Resolves when so many calls have begun to loop since the start. */
    looping: (count: number) => until(() => statSync(marks).size === count),
    /** Ends the calls under way, as their time limit does. */
    endCalls: limits.pass,
  }
}

async function shout({ url }: TestService, key: string, text: string) {
  const response = await fetch(`${url}/v1/shout?format=json`, withKey(postWith({ text }, { key })))
  return { status: response.status, body: await response.text() }
}

test("faults of an API cost nothing, say nothing of their cause, and leave the next call alone", async () => {
  const directory = process.cwd()
  const { service, looping, endCalls } = await startFaulty()
  const { account, key } = await service.createKey("mega")
  const texts = "throw type exit loop big wrong more nothing moves aborts odd nameless".split(" ")
  for (const text of texts) {
    const answer = shout(service, key, text)
    if (text === "loop") await looping(1).then(endCalls)
    const { status, body } = await answer
    const failed = "Something went wrong here. Quote the request id when you report it."
    expect([text, status, JSON.parse(body).error]).toEqual([text, 500, failed])
    expect([text, (await shout(service, key, "hello")).body]).toEqual([
      text,
      expect.stringContaining('"shouted":"HELLO"'),
    ])
  }
  const refused = { status: 400, body: expect.stringContaining("The 'text' parameter must be a yes.") }
  expect(await shout(service, key, "no")).toEqual(refused)
  const away = { status: 503, body: expect.stringContaining("The upstream does not answer.") }
  expect(await shout(service, key, "away")).toEqual(away)
  expect(await service.accounts.usage(account, 1)).toMatchObject([{ api: "shout", calls: 12, credits: 12 }])
  expect(process.cwd()).toBe(directory)
  const log = service.logged()
  for (const cause of [
    "it threw a string instead of an error",
    /it threw a TypeError \(.*penknife-test-.*shout\/index\.ts:\d+:\d+\)/,
    "its thread ended by itself",
    `it did not end within ${apiTimeoutSeconds} s`,
    "it returned more than the 1000000 characters that are allowed",
    "'shouted': Expected string",
    "'secret': Unexpected property",
    "it returned nothing",
    /it threw something that cannot be described[\s\S]*it threw something that cannot be described/,
  ])
    expect(log).toMatch(cause)
})

test("what an API sends, asks and writes beside its answer is bounded, and harms neither the service nor the next call", async () => {
  const run = `const { dns } = ports as any
    const shouted = text.toUpperCase()
    if (text === "post") postMessage(null)
    if (text === "name") await dns.resolve(undefined, "MX")
    if (text === "type") await dns.resolve("a.example", "BOGUS")
    if (text === "many") {
      const answers = await Promise.all(Array.from({ length: 20_000 }, (_, i) => dns.resolve("a" + i + ".example", "MX")))
      return { shouted: String(answers.filter(({ kind }) => kind === "nxdomain").length) }
    }
    if (text === "reject") reject("text", "x".repeat(1_000_000))
    if (text === "unavailable") unavailable("x".repeat(1_000_000))
    if (text === "write") for (let line = 0; line < 1_000; line++) console.log("line", line, "x".repeat(10_000))
    if (text === "later") setTimeout(() => { console.log("loops"); for (;;) {} }, 1)
    return { shouted }`
  const apis = folderOf({ "shout/index.ts": apiSource("shout", { run }) })
  let asked = 0
  const dns = {
    async resolve() {
      asked++
      return { kind: "nxdomain" } as const
    },
    exchange: noExchange,
  }
  const flags = { apis, apiTimeoutSeconds: "60", logLevel: "debug" }
  const service = await startTestService({ flags, ports: { dns } })
  const { key } = await service.createKey("mega")
  const statuses = { post: 200, name: 500, type: 500, reject: 500, unavailable: 500, write: 200, later: 200 }
  for (const [text, status] of Object.entries(statuses)) {
    expect([text, (await shout(service, key, text)).status]).toEqual([text, status])
    // A call that begins before the loop would end with it.
    if (text === "later") await until(() => service.logged().includes('"text":"loops"'))
    expect([text, (await shout(service, key, "hello")).body]).toEqual([
      text,
      expect.stringContaining('"shouted":"HELLO"'),
    ])
  }
  // The limit holds for all APIs. Questions over it fail.
  expect((await shout(service, key, "many")).body).toContain(`"shouted":"${maxDnsQuestions}"`)
  expect(asked).toBe(maxDnsQuestions)
  const log = service.logged()
  for (const cause of [
    /it threw a TypeError \(.*shout\/index\.ts:\d+:\d+\)/,
    "what it gave to reject() is not a text of at most 1000 characters",
    "what it gave to unavailable() is not a text of at most 1000 characters",
  ])
    expect(log).toMatch(cause)
  const written = log
    .split("\n")
    .filter((line) => line.includes("API wrote to the console") && !line.includes('"text":"loops"'))
  expect(written).toHaveLength(21)
  expect(written[0]?.length).toBeLessThan(700)
}, 300_000)

test("a call that waits when something of an earlier one begins to loop ends at its limit, and the next is answered", async () => {
  const run = `if (text === "leaves") setTimeout(function look() {
      if (!isWaiting) return setTimeout(look, 1)
      console.log("loops")
      for (;;) {}
    }, 1)
    if (text === "waits") {
      isWaiting = true
      await ports.dns.resolve("held.example", "MX")
    }
    return { shouted: text.toUpperCase() }`
  const apis = folderOf({ "shout/index.ts": apiSource("shout", { first: "let isWaiting = false", run }) })
  const { promise: answered, resolve: answer } = Promise.withResolvers<{ readonly kind: "nodata" }>()
  const timer = createHeldTimer(apiTimeoutSeconds * 1_000)
  const flags = { apis, apiTimeoutSeconds: String(apiTimeoutSeconds), logLevel: "debug" }
  const dns = { resolve: () => answered, exchange: noExchange }
  const service = await startTestService({ flags, ports: { dns, timer } })
  const { account, key } = await service.createKey("mega")
  expect((await shout(service, key, "leaves")).status).toBe(200)
  const call = shout(service, key, "waits")
  await until(() => service.logged().includes('"text":"loops"'))
  answer({ kind: "nodata" })
  timer.pass()
  expect((await call).status).toBe(500)
  expect((await shout(service, key, "hello")).body).toContain('"shouted":"HELLO"')
  expect(await service.accounts.usage(account, 1)).toMatchObject([{ calls: 2, credits: 2 }])
})

test("a pattern is checked in the thread of the API, so that one that takes long holds up no other call", async () => {
  // Every further 'a' doubles its time.
  const run = "return { shouted: text === 'aaab' ? 'lower' : text.toUpperCase() }"
  const source = apiSource("shout", { run })
    .replace('"The text." })', '"The text.", pattern: "^(?:(?:a+)+b|hello)$" })')
    .replace('"The text in upper case." })', '"The text in upper case.", pattern: "^[A-Z]+$" })')
  const apis = folderOf({ "shout/index.ts": source, "other/index.ts": apiSource("other") })
  const timer = createHeldTimer(apiTimeoutSeconds * 1_000)
  const flags = { apis, apiTimeoutSeconds: String(apiTimeoutSeconds) }
  const service = await startTestService({ flags, ports: { timer } })
  const { account, key } = await service.createKey("mega")
  let isOver = false
  const slow = shout(service, key, `${"a".repeat(40)}c`).finally(() => (isOver = true))
  expect((await service.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(200)
  expect((await shout(service, key, "hello")).status).toBe(200)
  expect(isOver).toBe(false)
  // A call that has not begun when its time ends is tried again.
  await until(() => {
    timer.pass()
    return isOver
  })
  expect((await slow).status).toBe(500)
  expect(await shout(service, key, "Hello")).toEqual({
    status: 400,
    body: expect.stringContaining("The 'text' parameter must match the pattern ^(?:(?:a+)+b|hello)$."),
  })
  expect((await shout(service, key, "ab")).body).toContain('"shouted":"AB"')
  expect((await shout(service, key, "aaab")).status).toBe(500)
  const cause = "its output does not follow its schema: 'shouted': Expected string to match"
  expect(service.logged()).toContain(cause)
  expect(await service.accounts.usage(account, 1)).toMatchObject([
    { api: "bluetoothlookup", calls: 1 },
    { api: "shout", calls: 2 },
  ])
  const document = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text())
  expect(document.components.schemas.ShoutInput.properties.text.pattern).toBe("^(?:(?:a+)+b|hello)$")
}, 300_000)

test("a thread loads TypeBox's check of values, which takes memory in each, only for an API with a pattern", async () => {
  const saysWhetherLoaded = (id: string, shouted: string) =>
    apiSource(id, {
      run: 'return { shouted: Object.keys(require.cache).some((path) => path.includes("/esm/value/check/")) ? "YES" : "NO" }',
      shouted,
    })
  const folder = folderOf({
    "plain/index.ts": saysWhetherLoaded("plain", "NO"),
    "strict/index.ts": saysWhetherLoaded("strict", "YES").replace(
      '"The text."',
      '"The text.", pattern: "^[a-z]+$"',
    ),
  })
  // Loading runs the examples.
  const own = await loadOwn(folder)
  expect(own.problems).toEqual([])
  expect(own.definitions.map(({ id }) => id)).toEqual(["plain", "strict"])
  own.end()
})

test("a call that never ends holds up no other, not even of the same API", async () => {
  const { service, looping, endCalls } = await startFaulty()
  const [bad, good] = [await service.createKey("mega"), await service.createKey("mega")]
  let ended = 0
  const loops = ["loop", "loop", "loop"].map((text) => shout(service, bad.key, text).then(() => ended++))
  await looping(3)
  for (const text of ["a", "b", "c", "d"]) expect((await shout(service, good.key, text)).status).toBe(200)
  expect(ended).toBe(0)
  endCalls()
  await Promise.all(loops)
  expect(await service.accounts.usage(bad.account, 1)).toEqual([])
}, 300_000)

test("first calls of new accounts that never end hold no other up, though all threads run them", async () => {
  const { service, looping, endCalls } = await startFaulty({ apiWorkers: "2" }, { clock: systemClock })
  const good = await service.createKey("mega")
  const loops = [await service.createKey("mega"), await service.createKey("mega")].map(({ key }) =>
    shout(service, key, "loop"),
  )
  await looping(2)
  expect((await shout(service, good.key, "a")).status).toBe(200)
  endCalls()
  // The one that was ended for it has begun again.
  await looping(3)
  endCalls()
  expect((await Promise.all(loops)).map(({ status }) => status)).toEqual([500, 500])
})

test("after five faults in a row the API rests, and its calls are refused without a charge", async () => {
  const { service } = await startFaulty()
  const { account, key } = await service.createKey("mega")
  for (let fault = 0; fault < 5; fault++) expect((await shout(service, key, "throw")).status).toBe(500)
  expect(await shout(service, key, "hello")).toEqual({
    status: 503,
    body: expect.stringContaining("The API failed several times in a row. Try again in 10 s."),
  })
  expect(service.logged()).toContain("API paused after several faults in a row")
  // The other APIs go on.
  expect((await service.fetch("/v1/bluetoothlookup?companyid=76", { key })).status).toBe(200)
  service.clock.advance(10_000)
  expect((await shout(service, key, "hello")).status).toBe(200)
  expect(await service.accounts.usage(account, 1)).toMatchObject([
    { api: "bluetoothlookup", calls: 1 },
    { api: "shout", calls: 1 },
  ])
})

test("APIs stay as they were at the start, whatever a reload finds, and their limits change", async () => {
  const loads = join(tempDir(), "loads")
  const first = `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(loads)}, "x")`
  const apis = folderOf({ "shout/index.ts": apiSource("shout", { first, run: slowRun }) })
  const held = createHeldDns()
  let file: Record<string, unknown> = { api_timeout: 59 }
  const ports = { dns: held.dns }
  const service = await startTestService({ flags: { apis }, readFile: () => file, ports })
  const { account, key } = await service.createKey("mega")
  const slow = shout(service, key, "slow")
  await held.asked()
  writeFiles(apis, {
    "shout/index.ts": apiSource("shout", { run: "return { shouted: '!' }", shouted: "!", credits: 7 }),
    "second/index.ts": apiSource("second"),
  })
  file = { api_timeout: 60, api_workers: 3, api_memory: 100_000_000, credits: { hmac: 4 } }
  const changed = (await service.configuration.reload()).map(({ setting }) => setting)
  expect(changed).toEqual(["api_timeout", "api_workers", "api_memory", "credits.hmac"])
  held.release()
  expect((await slow).body).toContain('"SLOW"')
  expect((await shout(service, key, "a")).body).toContain('"A"')
  expect((await service.fetch("/v1/second", { ...postWith({ text: "a" }), key })).status).toBe(404)
  expect(readFileSync(loads, "utf8")).toBe("x")
  expect(await service.accounts.usage(account, 1)).toMatchObject([{ calls: 2, credits: 2 }])
})

test("a thread that starts after the definition was changed answers no call, and the log says what to do", async () => {
  const { service, apis } = await startFaulty()
  const { account, key } = await service.createKey("mega")
  writeFiles(apis, { "shout/index.ts": apiSource("shout", { credits: 7 }) })
  // After two faults in a row the thread ends, and another one starts.
  for (const text of ["throw", "throw"]) expect((await shout(service, key, text)).status).toBe(500)
  const { status, body } = await shout(service, key, "a")
  expect([status, body]).toEqual([500, expect.not.stringContaining("index.ts")])
  expect(service.logged()).toContain("was changed since the service started. Start the service again.")
  expect(await service.accounts.usage(account, 1)).toEqual([])
})

test("in the test double time, randomness and DNS are those of the test double", async () => {
  const run = `const answer = await ports.dns.resolve("good.example", "MX")
    const random = text === "hello" ? "" : ports.random.bytes(40).toHex()
    return { shouted: text === "hello" ? "HELLO" : [ports.clock.now(), answer.kind, random].join(" ") }`
  const mock = await startTestMock({ apis: folderOf({ "shout/index.ts": apiSource("shout", { run }) }) })
  const call = async () => {
    const answer = fetch(`${mock.url}/v1/shout`, withKey(postWith({ text: "x" }, { key: "mock-pro" })))
    return (await readAnswer(answer)).data?.shouted
  }
  const [first, second] = [await call(), await call()]
  expect(first).toMatch(/^1735689600000 records [0-9a-f]{80}$/)
  expect(second).not.toBe(first)
  await mock.reset()
  expect([await call(), await call()]).toEqual([first, second])
})
