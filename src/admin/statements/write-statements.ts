import {
  accountsAtOnce,
  isWorthKeeping,
  keepStatement,
  makeStatements,
  type StatementParts,
} from "./make-statement.ts"
import { isOver, monthOf } from "./month.ts"

/**
 * Creates what writes the statements of the last month, once it is over. Others are written when they are first read. Each
 * process makes the pass once a month and after its start; statements that are there are left alone.
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
      const found = await admin.accountsByStatement(month.name, place, Math.min(limit, accountsAtOnce))
      const without = found.filter(({ hasStatement }) => !hasStatement)
      const accounts = await Promise.all(without.map(({ id }) => admin.findAccount(id)))
      const there = accounts.flatMap((one) => (one !== null && one.createdMs < month.endMs ? [one] : []))
      const statements = (await makeStatements(there, month, parts)).filter(isWorthKeeping)
      for (const statement of statements) await keepStatement(statement, month, parts, clock.now())
      const last = found.at(-1)
      if (last === undefined) doneMonth = month.name
      return { rows: statements.length, next: last?.id ?? null }
    },
  }
}
