/**
 * Bugs that are planted to try the oracles: without one for each, nobody would know that it bites. They have no part in the
 * service; `plant.ts` puts one into a file while that is loaded.
 */
export interface PlantedBug {
  readonly name: string
  /** The oracles that may find it, by the word before the colon. */
  readonly oracles: readonly string[]
  /** Options of the command with which it is found: it shows in starts alone, or on PostgreSQL. */
  readonly options?: readonly string[]
  /** The first seed to try; 1 by default. On PostgreSQL they take long. */
  readonly seed?: number
  /** A file of `src`. */
  readonly file: string
  /** Texts that stand in the file once, and what stands there instead. */
  readonly changes: Readonly<Record<string, string>>
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: "a charge is made again when its answer was lost",
    oracles: ["books"],
    file: "call/charges.ts",
    changes: {
      "if (pending.decision) await pending.decision.promise\n":
        "if (pending.decision) try { await pending.decision.promise } catch { continue }\n",
    },
  },
  {
    name: "a charge that was not decided counts as free",
    oracles: ["500", "log", "books"],
    file: "call/charges.ts",
    changes: { "if (pending.decision) await pending.decision.promise\n": "" },
  },
  {
    name: "credits are held for ever when the client leaves",
    oracles: ["hold", "books"],
    file: "call/run.ts",
    changes: {
      "  } finally {\n    hold.release()": "  } finally {\n    if (!request.hasLeft()) hold.release()",
    },
  },
  {
    name: "the last month lasts a millisecond too long",
    oracles: ["month"],
    file: "accounts/credits.ts",
    changes: { "nowMs < known.endMs": "nowMs <= known.endMs" },
  },
  {
    name: "an Idempotency-Key is kept in a transaction after that of its charge",
    oracles: ["key", "outcome", "books"],
    file: "store/sqlite/charge.ts",
    changes: {
      "      if (charge.idempotent) replays.keep(charge.accountId, charge.idempotent, charge.items)\n": "",
      "ledger.transact(() => chargeAll(charges, raised))\n": `ledger.transact(() => chargeAll(charges, raised))
        database.transaction(() => {
          charges.forEach(({ accountId, idempotent, items }, index) => {
            if (idempotent && outcomes[index]?.charged) replays.keep(accountId, idempotent, items)
          })
        }).immediate()\n`,
    },
  },
  {
    name: "a notice counts as raised although the commit failed",
    oracles: ["notice"],
    file: "store/sqlite/charge.ts",
    changes: {
      "  return (entry, { allowance": "  const raised = new Set<string>()\n\n  return (entry, { allowance",
      "      const notice = { id,":
        "      if (raised.has(id)) return []\n      raised.add(id)\n      const notice = { id,",
    },
  },
  {
    name: "the outbox is not looked at again when nothing is due",
    oracles: ["notice", "mail"],
    file: "outbox/delivery-loop.ts",
    changes: {
      "if (nextMs !== null) delayMs = nextMs - clock.now()":
        "if (nextMs === null) continue\n        delayMs = nextMs - clock.now()",
    },
  },
  {
    name: "a start gives up the leases of other instances",
    oracles: ["claim"],
    file: "store/sqlite/sqlite-outbox.ts",
    changes: {
      "  const findDue = database.query": `  database.run("UPDATE notices SET next_attempt_ms = raised_ms WHERE state = 'pending'")\n  const findDue = database.query`,
    },
  },
  {
    name: "a mail is leased for a shorter time than it takes",
    oracles: ["claim"],
    file: "store/mail-outbox.ts",
    changes: {
      "SET next_attempt_ms = $1::bigint + $2::bigint\n":
        "SET next_attempt_ms = $1::bigint + $2::bigint / 300\n",
    },
  },
  {
    name: "a mail that the server did not take counts as sent",
    oracles: ["mail"],
    file: "mail/deliver-mails.ts",
    changes: { 'if (reply.kind === "accepted")': 'if (reply.kind !== "refused")' },
  },
  {
    name: "a rate limit begins anew when the clock was set back",
    oracles: ["rate"],
    file: "store/sqlite/rates.ts",
    changes: { "isMisdated ? minuteUs * perMinute :": "isMisdated ? 0 :" },
  },
  {
    name: "usage of the first of a month is deleted with that of other days",
    oracles: ["usage"],
    file: "store/retention.ts",
    changes: { "`day < $": "`day <= $", " AND substr(day, 9) <> '01'`": "`" },
  },
  {
    name: "the ledger in memory is kept although the commit failed",
    oracles: ["outcome", "ledger", "refused", "below zero"],
    file: "store/sqlite/charge.ts",
    changes: { "        forget()\n        throw cause": "        throw cause" },
  },
  {
    name: "the bonus is not spent when the month is used up",
    oracles: ["refused"],
    file: "store/sqlite/charge.ts",
    changes: { "credits > monthlyLeft + entry.bonus": "credits > Math.max(monthlyLeft, entry.bonus)" },
  },
  {
    name: "a month has a credit more than its plan",
    // Which of the two comes first depends on the seed.
    oracles: ["below zero", "outcome"],
    file: "store/sqlite/charge.ts",
    changes: { "Math.max(0, allowance - used)": "Math.max(0, allowance + 1 - used)" },
  },
  {
    name: "a closed account is charged",
    oracles: ["closed"],
    file: "store/sqlite/charge.ts",
    changes: { "entry === null || entry.closedMs !== null": "entry === null" },
  },
  {
    name: "an instance does not learn of keys that another one revoked",
    oracles: ["revoked"],
    file: "store/sqlite/access-cache.ts",
    changes: { "if (currentRevision !== revision) entries.clear()": "" },
  },
  {
    name: "an account may owe credits although the service does not allow it",
    oracles: ["bonus"],
    file: "admin/credits/adjustment.ts",
    changes: {
      "const { mayOwe, auditRandom, clock, actor } = context":
        "const { auditRandom, clock, actor } = context\n  const mayOwe = true",
    },
  },
  {
    name: "a change that is sent again is made again",
    oracles: ["repeat", "thrown"],
    file: "admin/administration.ts",
    changes: {
      "earlier && earlier.createdMs > clock.now() - replayMs": "earlier && earlier.createdMs > clock.now()",
    },
  },
  {
    name: "a link of a mail can be used twice",
    oracles: ["sign-up"],
    file: "store/change-steps.ts",
    changes: {
      "AND used_ms IS NULL AND expires_ms > $2::bigint RETURNING 1":
        "AND expires_ms > $2::bigint RETURNING 1",
    },
  },
  {
    name: "a statement has the adjustments of the next month",
    oracles: ["statement"],
    file: "admin/statements/make-statement.ts",
    changes: { '[endMs, ""]': '[Number.MAX_SAFE_INTEGER, ""]' },
  },
  {
    name: "a write that waits for a lock is not tried again",
    oracles: ["stuck"],
    file: "store/sqlite/read-write.ts",
    changes: { "if (queue.push(waiting) === 1) timer.after": "if (queue.push(waiting) === 0) timer.after" },
  },
  {
    name: "a write that waited for a lock is done twice",
    oracles: "outcome|key|repeat|books|ledger|claim|rate|below zero|bonus|adjustments".split("|"),
    file: "store/sqlite/read-write.ts",
    changes: {
      "while (queue[0]?.attempt()) queue.shift()": "while (queue[0]?.attempt()) queue.shift()?.attempt()",
    },
  },
  {
    name: "an adjustment is kept with the wrong sign",
    oracles: ["adjustments", "statement"],
    file: "store/account-steps.ts",
    changes: {
      '"adjustments", { ...entry }': '"adjustments", { ...entry, credits: Math.abs(entry.credits) }',
    },
  },
  {
    name: "a move to another plan gives the used credits again",
    oracles: ["ledger", "outcome", "refused"],
    file: "store/account-steps.ts",
    changes: {
      '...(closedMs === undefined ? [] : [update("ledger", { closedMs }':
        '...(set.plan === undefined ? [] : [update("ledger", { used: 0 }',
    },
  },
  {
    name: "a webhook that does not answer is an error of the program",
    oracles: ["log"],
    file: "webhooks/deliver.ts",
    changes: {
      '"error" in response ? response.error : null': "(response as { error: string }).error.trim()",
    },
  },
  {
    name: "somebody who asks for too many links gets an error of the program",
    oracles: ["thrown"],
    file: "admin/sign-up/ask.ts",
    changes: { 'if (outcome === "tooMany") return "limited"\n': "" },
  },
  {
    name: "another process meets a service that is still starting",
    oracles: ["start"],
    options: ["--starts"],
    file: "app/service.ts",
    changes: {
      "  data.listen(work.listeners)\n": "",
      "  const work = await":
        "  data.listen({ onRaised: (raised) => work.listeners.onRaised(raised), onMessage() {}, onConnected() {} })\n  const work = await",
    },
  },
  {
    name: "a start that fails leaves its timers",
    oracles: ["start"],
    options: ["--starts"],
    file: "app/service-parts.ts",
    changes: { "  opening.defer(observability.stopMeasuring)\n": "" },
  },
  {
    name: "plans that cannot be kept end the process",
    oracles: ["unhandled"],
    options: ["--starts"],
    file: "app/start-log.ts",
    changes: {
      '    log.warn("the plans were not kept': '    throw cause\n    log.warn("the plans were not kept',
    },
  },
  {
    name: "a charge of PostgreSQL whose answer is lost counts as not made",
    oracles: ["books"],
    options: ["--store", "pglite"],
    seed: 20,
    file: "store/postgres/postgres-charges.ts",
    changes: { "if (cause instanceof OutcomeUnknown) {": "if (cause === null) {" },
  },
  {
    name: "usage is counted for the API that was called before",
    oracles: ["usage"],
    file: "store/sqlite/charge.ts",
    changes: { "if (entry.api === api && entry.keyId === keyId)": "if (entry.keyId === keyId)" },
  },
  {
    name: "a notice is raised before its threshold",
    oracles: ["notice"],
    file: "store/sqlite/charge.ts",
    changes: { "used * 100 >= allowance * threshold": "used * 100 >= allowance * (threshold - 5)" },
  },
  {
    name: "a new month does not raise the notices that the last one had",
    oracles: ["notice"],
    file: "store/sqlite/charge.ts",
    changes: { "{ periodStartMs, notified: 0 }": "{ periodStartMs }" },
  },
  {
    name: "a start leaves what an earlier process could not send",
    oracles: ["notice", "mail"],
    file: "outbox/delivery-loop.ts",
    changes: { "      if (looks) wake()\n": "" },
  },
  {
    name: "a statement that was sent over a lost connection counts as not sent",
    oracles: ["books"],
    options: ["--store", "pglite"],
    seed: 20,
    file: "store/postgres/connection.ts",
    changes: {
      "throw isKnown ? error : new OutcomeUnknown(error.message, { cause })": "throw isKnown ? error : error",
    },
  },
]
