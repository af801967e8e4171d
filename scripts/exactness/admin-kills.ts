import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Instance } from "./instance.ts"

/** The findings about a service that was killed between the effect of a change and its answer. */
interface AdminKills {
  /** Changes that were sent, each with an Idempotency-Key of its own. */
  readonly changes: number
  /** Changes whose first answer did not arrive, so that nobody knew whether they had an effect. */
  readonly lost: number
  /** Changes that had their effect: the second answer was a replay. */
  readonly lostWithEffect: number
  /** The problems, in words; empty when every change had one effect and one audit record, and no key text was kept. */
  readonly problems: readonly string[]
}

interface Change {
  /** The path below `/admin/v1`. */
  readonly path: string
  readonly body: object
  readonly status: number
  readonly action: string
}

interface Answer {
  readonly status: number
  readonly isReplay: boolean
  readonly body: { readonly id?: string; readonly key?: string | null }
}

/**
 * Kills a service `rounds` times at a random moment after it got changes of accounts and keys, starts it again, and sends the
 * same requests with the same Idempotency-Keys.
 * @param folder holds the store; no file in it may contain the text of a key
 * @param countSecrets returns how many secrets a key has had
 */
export async function killDuringChanges(
  instance: Instance,
  options: {
    readonly adminKey: string
    readonly rounds: number
    readonly folder: string
    readonly countSecrets: (keyId: string) => Promise<number>
    readonly say: (text: string) => void
  },
): Promise<AdminKills> {
  const { adminKey, rounds, folder, say } = options
  const problems: string[] = []
  const texts = new Set([adminKey])
  let changes = 0
  let lost = 0
  let lostWithEffect = 0

  async function request(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
    const headers = { ...init.headers, authorization: `Bearer ${adminKey}` }
    const response = await fetch(`${instance.url}/admin/v1${path}`, { ...init, headers })
    return { response, body: JSON.parse(await response.text()) }
  }

  async function send({ path, body: sent }: Change, idempotencyKey: string): Promise<Answer> {
    const { response, body } = await request(path, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": idempotencyKey },
      body: JSON.stringify(sent),
    })
    if (typeof body.key === "string") texts.add(body.key)
    return { status: response.status, isReplay: response.headers.get("idempotent-replayed") === "true", body }
  }

  async function read(path: string): Promise<Record<string, unknown>> {
    return (await request(path)).body
  }

  async function list(path: string): Promise<readonly Record<string, unknown>[]> {
    const entries: Record<string, unknown>[] = []
    for (let after = ""; ; ) {
      const { body } = await request(`${path}${path.includes("?") ? "&" : "?"}limit=1000${after}`)
      entries.push(...body.data)
      if (body.next === null) return entries
      after = `&after=${encodeURIComponent(body.next)}`
    }
  }

  async function make(path: string, body: object): Promise<string> {
    const { status, body: made } = await send({ path, body, status: 201, action: "" }, crypto.randomUUID())
    if (made.id === undefined) throw new Error(`${path} was answered ${status} ${JSON.stringify(made)}`)
    return made.id
  }

  await instance.start()
  const account = await make("/accounts", { name: "base" })
  const rotated = await make("/keys", { account, name: "rotated" })
  let revoked = await make("/keys", { account, name: "first" })
  const { bonus } = await read(`/accounts/${account}`)
  for (let round = 0; round < rounds; round++) {
    const sent: readonly Change[] = [
      { path: "/accounts", body: { name: `account ${round}` }, status: 201, action: "accounts.create" },
      { path: "/keys", body: { account, name: `key ${round}` }, status: 201, action: "keys.create" },
      { path: `/accounts/${account}/credits`, body: { credits: 1 }, status: 200, action: "credits.grant" },
      {
        path: `/accounts/${account}/adjustments`,
        body: { credits: 1, reason: "kill", reference: `round ${round}` },
        status: 201,
        action: "credits.adjust",
      },
      { path: `/keys/${rotated}/rotate`, body: { grace: "1h" }, status: 200, action: "keys.rotate" },
      { path: `/keys/${revoked}/revoke`, body: {}, status: 200, action: "keys.revoke" },
    ]
    const names = sent.map(() => crypto.randomUUID())
    const name = (index: number) => names[index] ?? ""
    // Every second service has loaded its operations.
    if (round % 2 === 1) await read("/whoami")
    const firsts = sent.map((change, index) => send(change, name(index)).catch(() => null))
    await momentOf(round, firsts, 60)
    await instance.kill()
    const first = await Promise.all(firsts)
    await instance.start()
    const second = await Promise.all(sent.map((change, index) => send(change, name(index))))
    const third = await Promise.all(sent.map((change, index) => send(change, name(index))))
    for (const [index, change] of sent.entries()) {
      const [a, b, c] = [first[index], second[index], third[index]]
      changes++
      if (!a) lost++
      if (!a && b?.isReplay) lostWithEffect++
      const wrong = (what: string) => problems.push(`round ${round}, ${change.action}: ${what}`)
      if (b?.status !== change.status) wrong(`the second answer is ${b?.status} ${JSON.stringify(b?.body)}`)
      if (a && !b?.isReplay) wrong("what was answered is done again")
      if (a && a.body.id !== b?.body.id) wrong("the second answer is about another target")
      if (!c?.isReplay || c.status !== change.status) wrong("the third answer is not a replay")
      if (b?.isReplay && typeof b.body.key === "string") wrong("a replay holds a key")
      if (typeof c?.body.key === "string") wrong("a replay holds a key")
      if (b?.body.id !== c?.body.id) wrong("the third answer is about another target")
    }
    revoked = second[1]?.body.id ?? revoked
    if (round % 50 === 49)
      say(`${round + 1} kills: ${lost} answers lost, ${lostWithEffect} of them with effect`)
  }

  function expect(what: string, found: unknown, expected: unknown): void {
    if (found !== expected) problems.push(`${what}: ${found} instead of ${expected}`)
  }

  const accounts = await list("/accounts")
  const keys = await list(`/keys?account=${account}`)
  const audit = await list("/audit")
  for (let round = 0; round < rounds; round++) {
    expect(`accounts of round ${round}`, accounts.filter(({ name }) => name === `account ${round}`).length, 1)
    expect(`keys of round ${round}`, keys.filter(({ name }) => name === `key ${round}`).length, 1)
  }
  expect("credits added", Number((await read(`/accounts/${account}`)).bonus) - Number(bonus), 2 * rounds)
  const adjustments = await list(`/accounts/${account}/adjustments`)
  for (const kind of ["grant", "adjustment"])
    expect(`entries of the kind ${kind}`, adjustments.filter((entry) => entry.kind === kind).length, rounds)
  expect("secrets of the rotated key", await options.countSecrets(rotated), rounds + 1)
  expect("revoked keys", keys.filter(({ revoked: when }) => when !== null).length, rounds)
  const before: Record<string, number> = { "accounts.create": 1, "keys.create": 2 }
  for (const action of "accounts.create keys.create credits.grant credits.adjust keys.rotate keys.revoke".split(
    " ",
  )) {
    const made = audit.filter(
      ({ operation, actor }) => operation === action && String(actor).startsWith("admin-key:"),
    )
    expect(`audit records of ${action}`, made.length, rounds + (before[action] ?? 0))
  }
  await instance.stop()
  const kept = [
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "latin1")] as const),
    ["the log", instance.log.join("\n")] as const,
    ["the audit log", JSON.stringify(audit)] as const,
  ]
  for (const [where, content] of kept)
    if (textsIn(content, texts)) problems.push(`${where} holds the text of a key`)
  return { changes, lost, lostWithEffect, problems }
}

/**
 * Waits for the moment of a kill: with the first answer, when the other changes are near their effect, at random, or after all.
 * @param latestMs of the moments at random
 */
export async function momentOf(round: number, answers: readonly Promise<unknown>[], latestMs: number) {
  if (round % 10 === 9) await Promise.all(answers)
  else if (round % 3 === 0) await Promise.race(answers)
  else await Bun.sleep(Math.random() * (round % 2 === 0 ? latestMs : latestMs / 4))
}

/** Whether one of these texts of keys is in a content. Looks for their common beginning, since contents are large. */
function textsIn(content: string, texts: ReadonlySet<string>): boolean {
  const lengths = new Set([...texts].map((text) => text.length))
  for (const start of new Set([...texts].map((text) => text.slice(0, 4)))) {
    for (let at = content.indexOf(start); at !== -1; at = content.indexOf(start, at + 1))
      for (const length of lengths) if (texts.has(content.slice(at, at + length))) return true
  }
  return false
}
