/** `penknife webhook listen`: a receiver for developers who have none. */
import { afterEach, expect, test } from "bun:test"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { createWebhookSecret } from "../src/accounts/webhook.ts"
import { mockWebhookSecret } from "../src/mock/webhook-secret.ts"
import { systemRandom } from "../src/ports/random.ts"
import { signedHeaders } from "../src/webhooks/deliver.ts"
import { exhaust, listOf, startTestMock } from "./support/mock.ts"
import { program } from "./support/own-command.ts"

const started: Bun.Subprocess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) {
    child.kill("SIGTERM")
    expect(await child.exited).toBe(0)
  }
})

/** Starts the command; `line` resolves with its next line of JSON, first the one with its address. */
async function listen(...flags: string[]) {
  const next = run("--json", ...flags)
  const line = async () => JSON.parse(await next())
  const { url } = await line()
  return { url: url as string, line }
}

/** Runs the command on a free port, and returns what reads its lines. */
function run(...flags: string[]) {
  const child = Bun.spawn([...program, "webhook", "listen", "0", ...flags], { stdout: "pipe" })
  started.push(child)
  const lines = createInterface({ input: Readable.fromWeb(child.stdout as never) })[Symbol.asyncIterator]()
  return async () => String((await lines.next()).value)
}

async function refused(...words: string[]) {
  const child = Bun.spawn([...program, "webhook", "listen", ...words], { stderr: "pipe", stdout: "ignore" })
  return [await child.exited, await new Response(child.stderr).text()]
}

const body = JSON.stringify({ type: "key.created", timestamp: "2025-01-01T00:00:00.000Z", data: {} })

test("webhooks of the mock verify, and its faults are named", async () => {
  const { url, line } = await listen()
  const mock = await startTestMock({ webhook: `${url}hook` })
  await mock.control("PUT", "/faults", { webhook: true, bad_signature: true, times: 1 })
  await exhaust(mock)
  const bad = { type: "credits.exhausted", verified: false, reason: "No matching signature found" }
  expect(await line()).toMatchObject({ ...bad, id: expect.stringMatching(/^msg_/) })
  expect(await line()).toMatchObject({ type: "credits.threshold_reached", verified: true, reason: null })
  expect((await listOf(mock, "notices")).map(({ attempts }) => attempts[0]?.status)).toEqual([204, 204, 204])
})

test("says of each request why it does not verify, and shows its body", async () => {
  const secret = createWebhookSecret(systemRandom)
  const { url, line } = await listen("--secret", secret)
  const send = async (text: string, headers: Record<string, string>) => {
    expect((await fetch(url, { method: "POST", body: text, headers })).status).toBe(204)
    return line()
  }
  const sign = (ms: number, key = secret) => signedHeaders("msg_1", body, key, ms)
  const now = Date.now()
  const seen = { id: "msg_1", type: "key.created", body }
  expect(await send(body, sign(now))).toEqual({ ...seen, verified: true, reason: null })
  expect(await send(body, sign(now, mockWebhookSecret))).toMatchObject({ ...seen, verified: false })
  expect(await send(body, sign(now - 600_000))).toMatchObject({ reason: "Message timestamp too old" })
  expect(await send(body, sign(now + 600_000))).toMatchObject({ reason: "Message timestamp too new" })
  const none = { id: null, type: null, verified: false, reason: "Missing required headers" }
  expect(await send("no JSON", {})).toEqual({ ...none, body: "no JSON" })
  expect((await fetch(url, { method: "POST", body: "x".repeat(2_000_000) })).status).toBe(413)
})

test("a body moves no cursor of the terminal", async () => {
  const line = run()
  const url = (await line()).replace("penknife listening on ", "")
  await fetch(url, { method: "POST", body: "a\u001b[2Jb\u202ec" })
  const printed = [await line(), await line(), await line()]
  const unverified = "no id no type not verified: Missing required headers"
  expect(printed).toEqual(["", unverified, "a\\u001b[2Jb\\u202ec"])
})

test("a port that is taken or none, and a secret that is none, are refused with what to change", async () => {
  const { url } = await listen()
  const { port } = new URL(url)
  for (const [words, message] of [
    [[port], `Port ${port} cannot be opened. Another program may listen there: 0 picks a free port.`],
    [["http"], "The port must be a whole number from 0 to 65535, not 'http'."],
    [["0", "--secret", "geheim"], "--secret must be a secret such as whsec_…."],
  ] as const)
    expect(await refused(...words)).toEqual([2, `penknife: ${message}\n`])
})
