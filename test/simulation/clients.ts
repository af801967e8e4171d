/** Simulated clients: each does its actions in order, on any instance that is up, and sends again what was lost. */
import { hashKey } from "../../src/accounts/key.ts"
import { AccountError } from "../../src/accounts/requirements.ts"
import { closeAccount, reopenAccount, updateAccount } from "../../src/admin/accounts/change-account.ts"
import { adjustCredits } from "../../src/admin/credits/adjust-credits.ts"
import { grantCredits } from "../../src/admin/credits/change-credits.ts"
import { AdminFault } from "../../src/admin/fault.ts"
import { revokeKey } from "../../src/admin/keys/change-key.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import type { Operation } from "../../src/admin/operation.ts"
import { SignInRefused } from "../../src/admin/sessions/refusal.ts"
import type { Reply } from "../../src/call/pipeline.ts"
import { StoreUnavailable } from "../../src/store/store.ts"
import { actorOf } from "../support/administration.ts"
import { makeCall, mostCredits } from "./calls.ts"
import { firstAccounts } from "./data-file.ts"
import type { Instance } from "./instance.ts"
import { createRng, type Rng } from "./kernel.ts"
import { addTo } from "./model.ts"
import type { Action, CallAction, ChangeAction } from "./plan.ts"
import type { World } from "./world.ts"

/** A client gives up after so many times. */
const mostAttempts = 60
const actor = actorOf()

interface Client {
  readonly world: World
  readonly name: string
  readonly rng: Rng
}

/** The answer of something, or null when its connection broke. */
type Answer<Result> = { readonly result: Result } | { readonly refusal: Error } | null

/** Does the actions of a client. */
export async function runClient(world: World, place: number, actions: readonly Action[]): Promise<void> {
  const rng = createRng(Math.imul(world.seed, 131) + place)
  for (const [index, action] of actions.entries()) {
    const client = { world, name: `c${place}.${index}`, rng }
    await world.kernel.point(null, client.name)
    if (action.kind === "wait") await world.kernel.point(null, `${client.name} waits`, action.ms)
    else if (action.kind === "signUp") await signUp(client, action.email)
    else if (action.kind === "key") await useKey(client, action)
    else if (action.kind === "close") await closeForAWhile(client, action)
    else if ("value" in action) await change(client, ...changeOf(action), action.key)
    else await call(client, action, firstAccounts[action.account]?.keyHash ?? "")
  }
}

/** Asks an instance that is up. An instance that is killed gives no answer. */
async function ask<Result>({ world, rng, name }: Client, work: (instance: Instance) => Promise<Result>) {
  for (;;) {
    const up = world.instances.filter(({ isDead }) => !isDead)
    if (up.length === 0) {
      await world.kernel.point(null, `${name} finds no instance`, 20)
      continue
    }
    const instance = rng.pick(up)
    const { promise, resolve } = Promise.withResolvers<Answer<Result>>()
    const onDeath = () => resolve(null)
    instance.onDeath.add(onDeath)
    // A request arrives in a turn of its own, after all that was answered before it was sent.
    instance.pipeline.ports.timer
      .turn()
      .then(() => work(instance))
      .then(
        (result) => resolve({ result }),
        (refusal) => resolve({ refusal }),
      )
    const answer = await promise
    instance.onDeath.delete(onDeath)
    if (answer === null) world.count("connection broken")
    return answer
  }
}

const again = ({ world, rng, name }: Client) => world.kernel.point(null, `${name} again`, 10 + rng.int(100))

/** Calls an API until it is answered, and keeps books of it. Returns the last reply. */
async function call(client: Client, action: CallAction, keyHash: string): Promise<Reply | null> {
  const { world, rng, name } = client
  const accountId = firstAccounts[action.account]?.id ?? ""
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    let hasLeft = false
    let most = 0
    if (action.leaves && attempt === 0)
      world.kernel.later(null, `${name} leaves`, rng.int(60), () => {
        hasLeft = true
      })
    const answer = await ask(client, (instance) => {
      most = mostCredits(instance, action)
      return makeCall(instance, action, keyHash, () => hasLeft)
    })
    if (answer !== null && "refusal" in answer) {
      world.fail(`thrown: ${answer.refusal.stack}`)
      return null
    }
    const reply = answer?.result ?? null
    const fault = reply === null ? "connection broken" : reply.fault
    world.kernel.note(`${name} ${fault ?? "ok"} ${reply?.charged[0]?.credits ?? ""} ${reply?.isReplay ?? ""}`)
    world.count(fault ?? (reply?.isReplay ? "replay" : action.kind))
    if (reply?.status === 500) world.fail(`500: ${fault} ${reply.envelope.error}`)
    if (reply?.status === 200) {
      const credits = reply.charged.reduce((sum, item) => sum + item.credits, 0)
      if (action.key === null) addTo(world.answered, accountId, credits)
      else if (credits > 0 || reply.isReplay) world.answeredKeys.add(`${accountId} ${action.key}`)
      return reply
    }
    const isLost = reply === null || reply.status === 503 || fault === "callerLeft"
    if (isLost && action.key === null) {
      // Only a broken connection, and a 503 that says so, may have been charged.
      if (reply === null || fault === "chargeUnknown") addTo(world.lost, accountId, most)
      return reply
    }
    const isLater = fault === "idempotencyKeyInUse" || (fault === "rateLimited" && attempt < 3)
    if (!isLost && !isLater) return reply
    await again(client)
  }
  return null
}

/** The operation of a change, and its input. */
function changeOf({ kind, account, value }: ChangeAction): [Operation, Record<string, unknown>] {
  const id = firstAccounts[account]?.id ?? ""
  if (kind === "grant") return [grantCredits, { id, credits: 5 + (value % 20) }]
  if (kind === "adjust") return [adjustCredits, { id, credits: (value % 41) - 30 || 1, reason: "simulated" }]
  // The plan with a limit stays, so that the limit of an account never changes.
  return [updateAccount, { id: `acc_${account % 2}`, plan: value % 3 ? "small" : "middle" }]
}

/** Makes a change until it is answered. Null if it was refused. */
async function change(
  client: Client,
  operation: Operation,
  values: Record<string, unknown>,
  key: string | null,
): Promise<Record<string, unknown> | null> {
  const { world, name } = client
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const answer = await ask(client, ({ admin }) =>
      admin.administration.run(operation, { kind: "typed", values }, actor, { idempotencyKey: key }),
    )
    const refusal = answer !== null && "refusal" in answer ? answer.refusal : null
    const code = refusal instanceof AdminFault ? refusal.code : refusal?.name
    world.kernel.note(`${name} ${operation.id} ${answer === null ? "connection broken" : (code ?? "ok")}`)
    if (refusal && !(refusal instanceof AdminFault)) world.fail(`thrown: ${refusal.stack}`)
    world.count(code ?? operation.id)
    if (answer !== null && "result" in answer) {
      if (key !== null) world.answeredChanges.add(`${actor.id} ${key}`)
      return answer.result.output as Record<string, unknown>
    }
    const isLost = answer === null || code === "unavailable" || code === "in-progress"
    if (!isLost || key === null) return null
    await again(client)
  }
  return null
}

/** Creates a key, calls with it, revokes it, and calls again. */
async function useKey(client: Client, { account, key, value }: ChangeAction): Promise<void> {
  const { world } = client
  const owner = firstAccounts[account]?.id
  const made = await change(client, createApiKey, { account: owner, name: "another" }, key && `${key} create`)
  // Its text is in the first answer alone.
  if (made === null || typeof made.key !== "string") return
  const api = { kind: "single", size: 1, bads: 0, key: null, isOther: false, leaves: false } as const
  const action = { ...api, account, api: value % 3 }
  await call(client, action, hashKey(made.key))
  const revoked = await change(client, revokeKey, { id: made.id }, key && `${key} revoke`)
  if (revoked === null) return
  const reply = await call(client, action, hashKey(made.key))
  if (reply?.status === 200) world.fail(`revoked: the key ${made.id} was served after it was revoked`)
}

/** Closes an account, calls, and opens it again. */
async function closeForAWhile(client: Client, { account, key, value }: ChangeAction): Promise<void> {
  const id = firstAccounts[account]?.id
  const closed = await change(client, closeAccount, { id }, key && `${key} close`)
  if (closed === null) return
  await client.world.kernel.point(null, `${client.name} waits`, 1 + (value % 50))
  await change(client, reopenAccount, { id }, key && `${key} reopen`)
}

const from = { networks: ["192.0.2.0/24"] as const, source: "192.0.2.1", requestId: "r" }
const open = { replacedCookie: null, limit() {} }

/** Signs up as people do: asks for a link, waits for the mail, uses the link, and asks for another one if that fails. */
async function signUp(client: Client, number: number): Promise<void> {
  const { world, name, rng } = client
  const email = `new${number}@example.com`
  const browser = `browser of ${name}`
  for (let attempt = 0; attempt < 8; attempt++) {
    const purpose = rng.chance(0.7) ? "sign-up" : "sign-in"
    const asked = await ask(client, ({ admin }) =>
      admin.signUps.ask({ for: purpose, email, name: "New" }, { ...from, browser }),
    )
    requireKnown(world, asked)
    for (let waits = 0; waits < 10 && !world.mailboxes.has(email); waits++)
      await world.kernel.point(null, `${name} looks for mail`, 200)
    const token = world.mailboxes.get(email)?.at(-1) ?? ""
    const confirm = () =>
      ask(client, ({ admin }) =>
        admin.signUps.confirm({ token }, rng.chance(0.8) ? browser : "another", from, open),
      )
    // Some people press a button twice.
    const answers = await Promise.all(rng.chance(0.3) ? [confirm(), confirm()] : [confirm()])
    for (const answer of answers) {
      requireKnown(world, answer)
      if (answer === null || !("result" in answer)) continue
      world.count("signed in")
      const { account } = answer.result.opened
      if (account) world.signedUp.set(email, account.id)
    }
    if (answers.some((answer) => answer !== null && "result" in answer)) return
    await again(client)
  }
}

/** Ends the run unless a refusal is one that people can understand. */
function requireKnown(world: World, answer: Answer<unknown>): void {
  if (answer === null || "result" in answer) return
  const { refusal } = answer
  const isKnown = [AdminFault, SignInRefused, AccountError, StoreUnavailable].some(
    (kind) => refusal instanceof kind,
  )
  if (isKnown) world.count(refusal instanceof SignInRefused ? refusal.reason : refusal.name)
  else world.fail(`thrown: ${refusal.stack}`)
}
