import { isWorthKeeping, keepStatement, makeStatement, type StatementParts } from "./make-statement.ts"
import { isOver, monthOf } from "./month.ts"

/**
 * Creates what writes the statements of the last month, once it is over. Others are written when they are first read. Each process
 * makes the pass once a month and after its start; statements that are there are left alone.
 */
export function createStatementWriter(parts: StatementParts) {
  const { admin, clock } = parts
  let doneMonth = ""
  const lastMonth = () => monthOf(monthOf(clock.now()).startMs - 1)
  return {
    /** Whether there may be statements to write. */
    isDue: () => isOver(lastMonth(), clock.now()) && lastMonth().name !== doneMonth,
    /** Writes those of some accounts after a place; the pass begins with the place `""`. */
    async step(place: string, limit: number) {
      const month = lastMonth()
      const accounts = await admin.accountsByStatement(month.name, place, limit)
      let rows = 0
      for (const { id, hasStatement } of accounts) {
        const account = hasStatement ? null : await admin.findAccount(id)
        if (account === null || account.createdMs >= month.endMs) continue
        const statement = await makeStatement(account, month, parts)
        if (!isWorthKeeping(statement)) continue
        await keepStatement(statement, month, parts, clock.now())
        rows++
      }
      const last = accounts.at(-1)
      if (last === undefined) doneMonth = month.name
      return { rows, next: last?.id ?? null }
    },
  }
}
