import type { Case } from "../case.ts"
import { compareMetered } from "../compare-metered.ts"
import { lookUp } from "../loads.ts"

export const get: Case = {
  name: "get",
  title: "Metered GET: bluetoothlookup",
  run: (bench) => compareMetered(bench, lookUp),
}
