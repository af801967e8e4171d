/** Checks at rest: failures have stopped, both instances are up, and all waiting work is done. */
import type { Database } from "bun:sqlite"
import type { Caller } from "../../src/call/caller.ts"
import type { Books } from "./model.ts"
import type { World } from "./world.ts"

/** Compares what is stored with the books and with what clients were told. */
export function checkAtRest(world: World, database: Database): void {
  checkBooks(world, database)
  checkNotices(world, database)
  checkMails(world, database)
  checkChanges(world, database)
  checkMemory(world, world.model.accounts.values())
}

function checkBooks({ model, fail, answered, answeredKeys, lost }: World, database: Database): void {
  const ledger = database.query<{ period: number; used: number; bonus: number }, [string]>(
    "SELECT period_start_ms AS period, used, bonus FROM ledger WHERE account_id = ?1",
  )
  const usage = database.query<{ name: string; credits: number }, [string]>(
    `SELECT period_start_ms || ' ' || api AS name, sum(credits) AS credits FROM all_usage WHERE account_id = ?1
     GROUP BY 1 HAVING sum(credits) > 0`,
  )
  for (const books of model.accounts.values()) {
    const { id, keys, total } = books
    const row = ledger.get(id)
    if (row?.used !== books.used || row.bonus !== books.bonus || row.period !== books.periodMs)
      fail(
        `ledger: ${id} has ${JSON.stringify(row)}, the books ${books.used} ${books.bonus} ${books.periodMs}`,
      )
    const booked = usage.all(id)
    for (const { name, credits } of booked)
      if (books.byPeriod.get(name) !== credits)
        fail(`usage: ${id} has ${credits} in ${name}, the books ${books.byPeriod.get(name)}`)
    const sum = booked.reduce((all, { credits }) => all + credits, 0)
    if (sum !== total) fail(`usage: ${id} has ${sum}, the books ${total}`)

    let least = answered.get(id) ?? 0
    const named = [...answeredKeys].filter((name) => name.startsWith(`${id} `))
    const hashes = new Set(named.map((name) => Bun.SHA256.hash(name.slice(id.length + 1), "hex")))
    for (const hash of hashes) {
      const charged = keys.get(hash)
      if (charged) least += charged.credits
      else fail(`books: ${id} was answered and not charged under the key ${hash}`)
    }
    const unheard = [...keys].filter(([hash]) => !hashes.has(hash))
    const isTwice = [...keys.values()].some(({ times }) => times > 1)
    const most =
      least + (lost.get(id) ?? 0) + unheard.reduce((all, [, { credits }]) => all + credits, isTwice ? 1e6 : 0)
    if (least > sum || sum > most) fail(`books: ${id} was answered ${least}, booked ${sum}, at most ${most}`)
  }
}

interface Row {
  readonly id: string
  readonly state: string
}

function checkNotices({ model, fail, sent }: World, database: Database): void {
  const rows = database
    .query<Row & { accountId: string; period: number; threshold: number | null }, []>(
      `SELECT id, account_id AS accountId, period_start_ms AS period, threshold, state FROM notices
       WHERE threshold IS NOT NULL`,
    )
    .all()
  const raised = new Set(
    rows.map(({ accountId, period, threshold }) => `${accountId} ${period} ${threshold}`),
  )
  for (const { id, accountId, period, threshold, state } of rows) {
    if (!model.notices.has(`${accountId} ${period} ${threshold}`)) fail(`notice: ${id} has no reason`)
    if (state === "unsent") continue
    if (state !== "delivered") fail(`notice: ${id} is ${state} at rest`)
    else if (!sent.has(id)) fail(`notice: ${id} is delivered and was never sent`)
  }
  for (const [name, { accountId, periodMs, threshold }] of model.notices) {
    const hash = new Bun.CryptoHasher("sha256").update(`${accountId} ${periodMs} ${threshold}`).digest("hex")
    // Old ones are deleted.
    if (!raised.has(name) && !sent.has(`msg_${hash.slice(0, 32)}`)) fail(`notice: ${name} was not raised`)
  }
}

function checkMails({ fail, sent }: World, database: Database): void {
  for (const { id, state } of database.query<Row, []>("SELECT id, state FROM mails").all()) {
    if (state === "pending" || state === "failed") fail(`mail: ${id} is ${state} at rest`)
    if (state === "delivered" && !sent.has(id)) fail(`mail: ${id} is delivered and was never sent`)
  }
}

/** Each statement is what happened in its month. */
export async function checkStatements({ instances: [instance], model, fail }: World): Promise<void> {
  const all = [...model.accounts.values()]
  const months = new Set(all.flatMap(({ byMonth, adjusted }) => [...byMonth.keys(), ...adjusted.keys()]))
  for (const month of months) {
    const statements = (await instance?.readStatements(month)) ?? []
    if (statements.length < all.length)
      fail(`statement: of ${all.length} accounts ${statements.length} have one`)
    for (const { account, used, granted, adjusted } of statements) {
      const books = model.of(account)
      const spent = books.byMonth.get(month) ?? 0
      const added = books.adjusted.get(month) ?? 0
      if (used !== spent) fail(`statement: ${account} used ${spent} in ${month}, not ${used}`)
      if (granted + adjusted !== added)
        fail(`statement: ${account} was given ${added} in ${month}, not ${granted} and ${adjusted}`)
    }
  }
}

/** Each change that was answered was made, and each adjustment is in the books. */
function checkChanges({ model, fail, signedUp, answeredChanges }: World, database: Database): void {
  const sums = database
    .query<{ account: string; credits: number }, []>(
      "SELECT account_id AS account, sum(credits) AS credits FROM adjustments GROUP BY 1",
    )
    .all()
  for (const { account, credits } of sums) {
    const added = [...model.of(account).adjusted.values()].reduce((sum, one) => sum + one, 0)
    if (credits !== added) fail(`adjustments: ${account} has ${credits}, the books ${added}`)
  }
  for (const name of answeredChanges)
    if (!model.isMade(name)) fail(`repeat: ${name} was answered and not made`)
  const emails = database.query<{ count: number }, [string, string]>(
    "SELECT count(*) AS count FROM accounts WHERE email = ?1 AND id = ?2",
  )
  for (const [email, id] of signedUp)
    if (emails.get(email, id)?.count !== 1) fail(`sign-up: ${email} has not the account ${id}`)
}

/** Nothing is held in memory for calls that are over. */
export function checkMemory(
  { instances, fail }: World,
  accounts: Iterable<Pick<Books, "id" | "createdMs" | "periodMs" | "used" | "bonus">>,
): void {
  for (const { id, createdMs, periodMs, used, bonus } of accounts)
    for (const { name, findLive } of instances) {
      const account = { id, createdMs, periodStartMs: periodMs, used, bonus }
      const { heldCredits, idempotentUnderWay } = findLive({ account, revision: -1 } as unknown as Caller)
      if (heldCredits !== 0) fail(`hold: ${name} holds ${heldCredits} credits of ${id} at rest`)
      if (idempotentUnderWay && idempotentUnderWay.size > 0)
        fail(`hold: ${name} has keys of ${id} under way at rest`)
    }
}
