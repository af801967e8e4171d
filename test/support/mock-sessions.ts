import { expect } from "bun:test"
import { Webhook } from "standardwebhooks"
import { readAnswer } from "./answer.ts"
import { postWith } from "./keyed-request.ts"
import { type Receiver, startReceiver } from "./receiver.ts"

/** A session of a mock, as `POST /_mock/sessions` answers. */
interface NewSession {
  readonly id: string
  readonly url: string
  readonly header: string
  readonly key: string
}

/** Makes a session on a running mock. */
export async function newSession(url: string): Promise<NewSession> {
  const { error, data } = await readAnswer(fetch(`${url}/_mock/sessions`, { method: "POST" }))
  if (error !== null) throw new Error(error)
  return data as object as NewSession
}

/** Runs so many tests at the same time, each in a session of its own, which it changes. It sees its own changes and no others. */
export async function liveInParallel(url: string, count: number): Promise<void> {
  const receiver = startReceiver()
  const raised = await Promise.all(Array.from({ length: count }, (_, index) => live(url, receiver, index)))
  expect(receiver.received).toHaveLength(raised.reduce((sum, notices) => sum + notices))
}

const dayMs = 86_400_000

async function live(shared: string, receiver: Receiver, index: number): Promise<number> {
  const { id, url, header, key } = await newSession(shared)
  // Half of the tests name their session by the header.
  const base = index % 2 === 0 ? url : shared
  const headers = { [header]: id, "content-type": "application/json" }
  const send = (method: string, path: string, body?: object, more = {}) =>
    fetch(base + path, { ...(body && postWith(body)), method, headers: { ...headers, ...more } })
  const call = (path: string, withKey = key) => send("GET", path, undefined, { "x-api-key": withKey })
  const read = async (path: string) => (await readAnswer(send("GET", `/_mock/${path}`))).data
  const change = async (path: string, body: object) =>
    expect((await send("PUT", `/_mock/${path}`, body)).status).toBe(200)

  const now = new Date(Date.UTC(2025, 5, 1) + index * dayMs).toISOString()
  const company = `session-${id}`
  const status = 510 + (index % 80)
  const domain = `session-${id}.example`
  const raises = index % 2 === 1
  const hasFault = index % 4 === 1
  const path = `/hook/${id}`
  let secret = ""
  if (hasFault) await change("faults", { webhook: true, bad_signature: true })
  if (raises) {
    const to = { url: receiver.url.replace("/hook", path) }
    const admin = { "x-admin-key": "mock-admin" }
    const set = await send("POST", "/admin/v1/accounts/acc_mockNoCredits/webhook", to, admin)
    secret = ((await set.json()) as { secret: string }).secret
  }
  // A new credit month is a notice.
  await change("clock", { now })
  await change("faults", { api: "hmac", status })
  await change("stubs", { api: "bluetoothlookup", data: { company } })
  await change("dns", { [domain]: [{ TXT: "v=spf1 -all" }] })
  const calls = 1 + (index % 4)
  for (let sent = 0; sent < calls; sent++) {
    const answer = await call("/v1/bluetoothlookup?companyid=76")
    expect(answer.headers.get("x-api-credits-used")).toBe(String(sent + 1))
    expect((await readAnswer(answer)).data).toEqual({ company })
  }
  expect((await send("POST", "/v1/hmac", {}, { "x-api-key": key })).status).toBe(status)
  const spf = await readAnswer(call(`/v1/spfvalidator?domain=${domain}`))
  expect(JSON.stringify(spf)).toContain('"v=spf1 -all"')
  expect(await read("clock")).toEqual({ now, mode: "stopped" })
  expect(await read("faults")).toEqual({
    faults: [...(hasFault ? [{ webhook: true, bad_signature: true }] : []), { api: "hmac", status }],
  })
  expect(await read("stubs")).toEqual({ stubs: [{ api: "bluetoothlookup", data: { company } }] })
  expect(await read("dns")).toEqual({ zone: { [domain]: [{ TXT: "v=spf1 -all" }] } })
  const { requests, total } = (await read("requests")) as { requests: { at: string }[]; total: number }
  expect([total, requests.filter(({ at }) => at === now).length]).toEqual([
    calls + 2 + Number(raises),
    calls + 2,
  ])

  const readSent = async () => {
    const { notices } = (await read("notices")) as { notices: { id: string; attempts: object[] }[] }
    return notices.flatMap((notice) => (notice.attempts.length > 0 ? [notice.id] : [])).sort()
  }
  let ids = await readSent()
  // A busy machine answers a move of the clock before the receiver has answered.
  while (raises && ids.length === 0) ids = await readSent()
  // An attempt is told after the receiver has the message.
  const received = receiver.received.filter((request) => request.path === path)
  expect(ids.length > 0).toBe(raises)
  expect(received.map(({ headers: sent }) => sent["webhook-id"] ?? "").sort()).toEqual(ids)
  for (const { body, headers: sent } of received) {
    const verify = () => new Webhook(secret).verify(body, sent) as { timestamp: string }
    if (hasFault) expect(verify).toThrow()
    else expect(verify().timestamp).toStartWith("2025-")
  }
  return ids.length
}

/** The most sessions of {@link liveByTurns} that work at the same time, as the workers of a test runner do. */
const workers = 16

/**
 * Runs so many tests, of which only some work at the same time: each in a session of its own, which stays. Each changes its
 * clock, fault and webhook and calls; when all have, each looks again. It sees its own changes and no others.
 */
export async function liveByTurns(url: string, count: number): Promise<void> {
  const receiver = startReceiver()
  const lives: ReturnType<typeof openLife>[] = []
  const byTurns = async (work: (index: number) => Promise<void>) => {
    let next = 0
    const run = async () => {
      while (next < count) await work(next++)
    }
    await Promise.all(Array.from({ length: workers }, run))
  }
  await byTurns(async (index) => {
    lives[index] = openLife(url, await newSession(url), receiver, index)
    await lives[index]?.change()
  })
  expect(new Set(lives.map(({ id }) => id)).size).toBe(count)
  await byTurns(async (index) => lives[index]?.lookAgain())
  const expected = lives.flatMap(({ path, ids }) => ids().map((id) => `${path} ${id}`))
  expect(receiver.received.map(({ path, headers }) => `${path} ${headers["webhook-id"]}`).sort()).toEqual(
    expected.sort(),
  )
}

function openLife(shared: string, { id, url, header, key }: NewSession, receiver: Receiver, index: number) {
  // Half of the tests name their session by the header.
  const base = index % 2 === 0 ? url : shared
  const send = (method: string, path: string, more = {}, body?: object) => {
    const headers = { [header]: id, "content-type": "application/json", ...more }
    return fetch(base + path, { ...(body && postWith(body)), method, headers })
  }
  const read = async (path: string) => (await readAnswer(send("GET", `/_mock/${path}`))).data
  const call = async () => {
    const answer = await send("GET", "/v1/bluetoothlookup?companyid=76", { "x-api-key": key })
    return [answer.headers.get("x-api-credits-used"), (await readAnswer(answer)).data?.company]
  }
  const now = new Date(Date.UTC(2025, 5, 1) + index * 60_000).toISOString()
  const status = 510 + (index % 80)
  const path = `/hook/${id}`
  let ids: readonly string[] = []
  return {
    id,
    path,
    ids: () => ids,
    async change() {
      const to = { url: receiver.url.replace("/hook", path) }
      const admin = { "x-admin-key": "mock-admin" }
      expect((await send("POST", "/admin/v1/accounts/acc_mockNoCredits/webhook", admin, to)).status).toBe(200)
      expect((await send("PUT", "/_mock/faults", {}, { api: "hmac", status })).status).toBe(200)
      // A new credit month is a notice.
      expect((await send("PUT", "/_mock/clock", {}, { now })).status).toBe(200)
      expect(await call()).toEqual(["1", "Apple, Inc."])
      expect((await send("POST", "/v1/hmac", { "x-api-key": key }, {})).status).toBe(status)
    },
    async lookAgain() {
      expect(await read("faults")).toEqual({ faults: [{ api: "hmac", status }] })
      expect(await call()).toEqual(["2", "Apple, Inc."])
      const { requests, total } = (await read("requests")) as { requests: { at: string }[]; total: number }
      expect([total, requests.filter(({ at }) => at === now).length]).toEqual([4, 3])
      const { notices } = (await read("notices")) as { notices: { id: string; attempts: object[] }[] }
      ids = notices.flatMap((notice) => (notice.attempts.length > 0 ? [notice.id] : []))
      expect(ids.length).toBeGreaterThan(0)
    },
  }
}
