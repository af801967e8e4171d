import type { Case } from "../case.ts"
import { compareMetered } from "../compare-metered.ts"
import { sign } from "../loads.ts"

export const post: Case = {
  name: "post",
  title: "Metered POST: hmac",
  run: (bench) => compareMetered(bench, sign),
}
