import { maxCredits } from "../accounts/plan.ts"
import { AccountError } from "../accounts/requirements.ts"
import { type GiveWay, InputRejected } from "../apis/contract.ts"
import { compileInput, type RawInput, type ReadInput } from "../call/input.ts"
import type { AdminStore } from "../store/admin-reads.ts"
import type { AdminOutcome, NewReplay, ReplayRecord } from "../store/admin-store.ts"
import { ClocksDiffer, ReadRefused, StoreUnavailable } from "../store/store.ts"
import { createAuditRecords } from "./audit/record.ts"
import { AdminFault, conflict, forbidden, invalid, requireKnownNames } from "./fault.ts"
import type {
  Actor,
  AdminContext,
  Change,
  ChangedThing,
  OpenFile,
  Operation,
  PreparedChange,
} from "./operation.ts"
import { itemOf } from "./pages.ts"
import type { AdminParts } from "./parts.ts"
import { allows } from "./permission.ts"
import { requireOwn, withOwnAccount } from "./portal-access.ts"
import { createListTurns, createWatchLimit } from "./reader-limits.ts"
import { forCustomers, withoutSecrets } from "./show.ts"

/** Options that a client may send with an operation, besides its input. */
export interface RunOptions {
  /** The version of the target that the client wants to change (If-Match). */
  readonly ifVersion?: number | null
  /** A second request with the same key, operation and input gets the first answer (Idempotency-Key). */
  readonly idempotencyKey?: string | null | undefined
  /** Called before each run of a bulk. */
  readonly giveWay?: GiveWay
}

interface OperationAnswer {
  readonly output: unknown
  /** Whether this is the answer of an earlier request. */
  readonly isReplay: boolean
}

/** The most times that a change is prepared, if its row was changed meanwhile. */
const maxPreparations = 5

const replayMs = 24 * 3_600_000
/** How often expired replays are deleted; only keyed changes do it. */
const deleteReplaysEveryMs = 3_600_000
/** The most that one change deletes. After 100,000 changes in a day, deleting all at once would hold up calls for a second. */
const maxDeletedReplays = 200

/** Runs operations for every surface: HTTP, command line, console. */
export type Administration = ReturnType<typeof createAdministration>

/** Creates the administration of one store. Every surface runs its operations through it. */
export function createAdministration(parts: AdminParts) {
  const { admin, clock } = parts
  const newAuditRecord = createAuditRecords(parts.auditRandom)
  const listInTurn = createListTurns()
  const limitWatches = createWatchLimit()
  /** Idempotency-Keys whose first request this process is carrying out. */
  const inProgress = new Set<string>()
  let replaysDeletedMs = Number.NEGATIVE_INFINITY

  function auditRecord(
    { id, output }: Operation,
    { target, before = null, after = null }: ChangedThing,
    { actor }: AdminContext,
    atMs = clock.now(),
  ) {
    const shown = <T>(fields: T) => withoutSecrets(output, fields) as T
    return newAuditRecord(id, { target, before: shown(before), after: shown(after) }, actor, atMs)
  }

  async function deleteOldReplays(): Promise<void> {
    const nowMs = clock.now()
    if (nowMs < replaysDeletedMs + deleteReplaysEveryMs) return
    const deleted = await admin.deleteReplaysBefore(nowMs - replayMs, maxDeletedReplays)
    // The next change goes on with what is left.
    if (deleted < maxDeletedReplays) replaysDeletedMs = nowMs
  }

  async function change(
    operation: Operation,
    run: Change<Operation["input"], Operation["output"]>,
    input: Record<string, unknown>,
    context: AdminContext,
    idempotencyKey: string | null,
  ): Promise<OperationAnswer> {
    const replay = idempotencyKey === null ? null : newReplay(operation, input, context, idempotencyKey)
    if (replay) {
      await deleteOldReplays()
      const earlier = await admin.findReplay(replay.actor, replay.key)
      if (earlier && earlier.createdMs > clock.now() - replayMs)
        return answerAgain(earlier, replay.payloadHash, run, context)
      if (earlier) await admin.forgetReplay(earlier)
    }
    for (let preparations = 1; ; preparations++) {
      const prepared = await run.prepare(input, context)
      const answer = () => prepared.answer?.() ?? run.recall(prepared.target.id, context)
      if (prepared.isTrial) return { output: await answer(), isReplay: false }
      const { mutations, parts: things = [] } = prepared
      const atMs = clock.now()
      const toRecord = (thing: ChangedThing) => auditRecord(operation, thing, context, atMs)
      const auditParts = things.map(toRecord)
      const audit = toRecord(prepared)
      const outcome = await admin.apply({ mutations, auditParts, audit, replay })
      if (outcome === "applied") {
        const output = await answerOf(operation, { ...prepared, answer }, replay, context)
        if (replay) await keep(operation, output, replay, admin)
        return { output, isReplay: false }
      }
      if (outcome === "replayed" && replay) {
        const earlier = await admin.findReplay(replay.actor, replay.key)
        if (earlier) return answerAgain(earlier, replay.payloadHash, run, context)
      }
      const isOutdated = outcome === "conflict" || (outcome === "taken" && things.length > 0)
      if (isOutdated && context.ifVersion === null && preparations < maxPreparations) continue
      throw refused(outcome, prepared)
    }
  }

  async function answerOf<Output>(
    operation: Operation,
    prepared: PreparedChange<Output> & { readonly answer: () => Output | Promise<Output> },
    replay: NewReplay | null,
    context: AdminContext,
  ): Promise<Output> {
    try {
      return await prepared.answer()
    } catch (thrown) {
      if (!prepared.isOutside) throw thrown
      const notDone = thrown instanceof AdminFault ? thrown.code : "internal"
      const record = { ...prepared, before: null, after: { not_done: notDone } }
      const audit = auditRecord(operation, record, context)
      await admin.apply({ mutations: [], audit })
      if (replay) await admin.forgetReplay(replay)
      throw thrown
    }
  }

  async function runOnce(
    operation: Operation,
    input: Record<string, unknown>,
    context: AdminContext,
    { idempotencyKey = null, giveWay }: RunOptions,
  ): Promise<OperationAnswer> {
    const { run } = operation
    if (run.kind === "read") {
      const read = () => run.read(input, context)
      const output = await (itemOf(operation.output) ? listInTurn(context.actor, read) : read())
      return { output, isReplay: false }
    }
    if (run.kind === "bulk") {
      const { actor, ifVersion } = context
      const output = await run.runAll(input, context, async (one, values) => {
        await giveWay?.()
        const key = idempotencyKey && `${idempotencyKey} ${values.id}`
        const options = { ifVersion, idempotencyKey: key }
        return runOperation(one, { kind: "typed", values }, actor, options).then(() => null, requireFault)
      })
      return { output, isReplay: false }
    }
    if (run.kind === "watch") throw new Error(`${operation.id} has no answer: watch it`)
    if (run.kind === "file") throw new Error(`${operation.id} is a file: open it`)
    if (idempotencyKey === null) return change(operation, run, input, context, null)
    const lock = `${context.actor.id} ${idempotencyKey}`
    if (inProgress.has(lock))
      throw new AdminFault("in-progress", "Wait for the first request's answer, then try again.")
    inProgress.add(lock)
    return change(operation, run, input, context, idempotencyKey).finally(() => inProgress.delete(lock))
  }

  /**
   * Checks permission and input, runs the operation, and writes its audit record in the same transaction as its effect.
   * @throws AdminFault
   */
  async function runOperation(operation: Operation, raw: RawInput, actor: Actor, options: RunOptions = {}) {
    requirePermission(operation, actor)
    const context: AdminContext = { ...parts, actor, ifVersion: options.ifVersion ?? null }
    let input: Record<string, unknown> = {}
    try {
      const { account } = actor
      input = readInput(operation, account === null ? raw : withOwnAccount(operation, raw, account))
      if (account !== null) await requireOwn(operation, input, account, context)
      const answer = await runOnce(operation, input, context, options)
      if (account === null) return answer
      return { ...answer, output: forCustomers(operation.output, answer.output) }
    } catch (thrown) {
      throw withParameter(toAdminFault(thrown), input)
    }
  }

  return {
    run: runOperation,
    /**
     * Checks permission and input of an operation that watches, and begins it. End the result when nobody reads it any more.
     * @param onReady is called when there is something to take
     * @throws AdminFault
     */
    watch(operation: Operation, raw: RawInput, actor: Actor, onReady: () => void) {
      requirePermission(operation, actor)
      const { run } = operation
      if (run.kind !== "watch") throw new Error(`${operation.id} cannot be watched`)
      if (actor.account !== null) throw new Error("what a customer watches would have to be their own")
      try {
        const input = readInput(operation, raw)
        return limitWatches(actor, () => run.watch(input, { ...parts, actor, ifVersion: null }, onReady))
      } catch (thrown) {
        throw toAdminFault(thrown)
      }
    },
    /**
     * Checks permission and input of an operation that sends a file, writes its audit record, and opens it. Close the result when
     * done.
     * @throws AdminFault
     */
    async open(operation: Operation, raw: RawInput, actor: Actor) {
      requirePermission(operation, actor)
      const { run } = operation
      if (run.kind !== "file") throw new Error(`${operation.id} is no file`)
      const context: AdminContext = { ...parts, actor, ifVersion: null }
      let file: OpenFile | null = null
      try {
        file = await run.open(readInput(operation, raw), context)
        const { target, name, bytes } = file
        // The audit record comes first: what was begun may have been read.
        const audit = auditRecord(operation, { target, after: { name, bytes } }, context)
        await admin.apply({ mutations: [], audit })
        return file
      } catch (thrown) {
        await file?.close()
        throw toAdminFault(thrown)
      }
    },
  }
}

/**
 * Checks the permission before the input is read.
 * @throws AdminFault
 */
export function requirePermission({ permission, portal }: Operation, { permissions, account }: Actor): void {
  if (account !== null && portal === undefined)
    throw forbidden("This is for the operator of this service alone.")
  if (permission === null || allows(permissions, permission)) return
  throw forbidden(`This needs the permission '${permission}'.`)
}

const readers = new WeakMap<Operation["input"], ReadInput>()

function readInput({ input }: Operation, raw: RawInput): Record<string, unknown> {
  const given = raw.kind === "text" ? raw.parameters.map(({ name }) => name) : Object.keys(raw.values)
  requireKnownNames(Object.keys(input.properties), given)
  // Compiled on first use: the mock must start fast, and uses few.
  return readers.getOrInsertComputed(input, compileInput)(raw)
}

/** A dry run counts as the same request: with the key of a change that was made, it is answered with that change. */
function newReplay({ id }: Operation, input: object, { actor, clock, ifVersion }: AdminContext, key: string) {
  const payload = JSON.stringify([id, ifVersion, { ...input, dry_run: undefined }])
  return {
    actor: actor.id,
    key,
    payloadHash: new Bun.CryptoHasher("sha256").update(payload).digest("hex"),
    createdMs: clock.now(),
  }
}

async function answerAgain(
  { payloadHash, answer, targetId }: ReplayRecord,
  expectedHash: string,
  run: Change<Operation["input"], Operation["output"]>,
  context: AdminContext,
): Promise<OperationAnswer> {
  if (payloadHash !== expectedHash)
    throw new AdminFault(
      "idempotency-mismatch",
      "Send a new Idempotency-Key: this one was used for a request with other contents.",
    )
  const output = answer === null ? await run.recall(targetId, context) : JSON.parse(answer)
  return { output, isReplay: true }
}

async function keep(
  { output: schema }: Operation,
  output: unknown,
  { actor, key }: { actor: string; key: string },
  admin: AdminStore,
): Promise<void> {
  await admin.keepAnswer(actor, key, JSON.stringify(withoutSecrets(schema, output)))
}

/** The refusal of a change whose e-mail address or external id another account or key has. */
function takenBy(after: PreparedChange<unknown>["after"]): AdminFault {
  const given = ["external_id", "email"].filter((name) => typeof after?.[name] === "string")
  const [parameter = "external_id"] = given
  const text =
    given.length > 1
      ? "Choose another 'email' or 'external_id': one of them is taken."
      : `Choose another '${parameter}': this one is taken.`
  return conflict(text, parameter)
}

/** The fault of a change that was not kept. Replays do not come here, unless they were deleted just now. */
function refused(outcome: Exclude<AdminOutcome, "applied">, { target, after }: PreparedChange<unknown>) {
  const name = `${target.kind} '${target.id}'`
  if (outcome === "missing") return new AdminFault("not-found", `There is no ${name}.`)
  if (outcome === "taken") return takenBy(after)
  if (outcome === "tooMuch")
    return conflict(`The bonus of an account can be ${maxCredits} credits at most. Grant fewer.`, "credits")
  if (outcome === "tooLittle")
    return conflict("The account has fewer bonus credits now. Take fewer.", "credits")
  if (outcome === "tooMany")
    return conflict("Revoke a key first: the account has as many keys as it may have.")
  if (outcome === "noOwner")
    return conflict(
      "Nobody else could do everything then. Give someone else every permission ('*') first: an admin key, or a person who has added a passkey. Or run the command on the machine.",
    )
  return new AdminFault("version-mismatch", `Read the ${name} again: it was changed meanwhile.`)
}

/** Adds the name of the parameter with the refused id, so that a form shows the message at its field. */
function withParameter(thrown: unknown, input: Readonly<Record<string, unknown>>): unknown {
  if (!(thrown instanceof AdminFault) || thrown.id === null) return thrown
  const { code, message, id } = thrown
  const parameter = Object.keys(input).find((name) => input[name] === id)
  return parameter === undefined ? thrown : new AdminFault(code, message, { parameter })
}

function requireFault(thrown: unknown): AdminFault {
  if (thrown instanceof AdminFault) return thrown
  throw thrown
}

/** Turns known errors into faults. Others are returned unchanged. */
export function toAdminFault(thrown: unknown): unknown {
  if (thrown instanceof InputRejected) return invalid(thrown.parameter, thrown.message)
  if (thrown instanceof AccountError)
    return new AdminFault(thrown.code, thrown.message, { parameter: thrown.parameter })
  if (thrown instanceof StoreUnavailable) {
    const tells = thrown instanceof ReadRefused || thrown instanceof ClocksDiffer
    const detail = tells ? thrown.message : "Try again soon: the store does not answer."
    return new AdminFault("unavailable", detail, {
      retryAfterSeconds: 1,
      cause: thrown,
    })
  }
  return thrown
}
