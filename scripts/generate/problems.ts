import { type ProblemCode, problems } from "../../src/surfaces/http/admin/admin-problem.ts"
import { toTable } from "./table.ts"

/** The problems that the admin API answers with, by status. */
export function problemTable(): string {
  const codes = Object.keys(problems) as ProblemCode[]
  const rows = codes.map((code) => [`\`${code}\``, String(problems[code].status), problems[code].title])
  return toTable(
    ["type ends in", "status", "meaning"],
    rows.sort(([, one = ""], [, other = ""]) => one.localeCompare(other)),
  )
}
