import { Type } from "@sinclair/typebox"
import { nullableText } from "../apis/contract.ts"
import { closeAccount, reopenAccount, updateAccount } from "./accounts/change-account.ts"
import { requirePermission } from "./administration.ts"
import { adjustCredits } from "./credits/adjust-credits.ts"
import { grantCredits } from "./credits/change-credits.ts"
import { type AdminFault, invalid } from "./fault.ts"
import { idText, listOf } from "./fields.ts"
import { revokeKey, updateKey } from "./keys/change-key.ts"
import { disableKey, enableKey } from "./keys/disable.ts"
import { defineOperation } from "./operation.ts"
import { wholeList } from "./pages.ts"

/** The operations on offer: each changes one thing, by its id, and answers no secret. */
const offered = [
  updateAccount,
  closeAccount,
  reopenAccount,
  grantCredits,
  adjustCredits,
  updateKey,
  disableKey,
  enableKey,
  revokeKey,
] as const

export const runBulk = defineOperation({
  id: "bulk.run",
  title: "Run an operation for many things",
  description:
    "Runs an operation for each item as if it was sent alone: with its own check, audit record and result. A refused item stops " +
    "no other one. Each thing can be named once. It needs the permission of the operation.",
  permission: null,
  method: "POST",
  path: "/bulk",
  isLong: true,
  command: {
    words: "bulk",
    args: ["operation"],
    example: `keys.disable --item '{"id": "key_1234567890abcdef"}'`,
    columns: ["id", "problem", "detail"],
  },
  example: { operation: "keys.disable", items: [{ id: "key_1234567890abcdef" }] },
  input: Type.Object({
    operation: Type.Union(
      offered.map(({ id }) => Type.Literal(id)),
      { description: "The operation to run." },
    ),
    items: Type.Array(Type.Object({ id: idText("The thing's id.") }, { additionalProperties: true }), {
      minItems: 1,
      maxItems: 500,
      description: "The parameters of each run, at most 500.",
      "x-requirement": "must be a list of 1 to 500 objects, each with an `id`",
    }),
  }),
  output: listOf(
    Type.Object({
      id: Type.String({ description: "The `id` of the item." }),
      problem: nullableText("The end of the problem's type, such as `conflict`; null if it was done."),
      detail: nullableText("What to change; null if it was done."),
      parameter: nullableText("The parameter to change, where there is one."),
    }),
  ),
  run: {
    kind: "bulk",
    async runAll({ operation: id, items }, { actor }, runOne) {
      const [operation] = offered.filter((one) => one.id === id)
      if (!operation) throw new Error(`'${id}' is not on offer, which its schema has let pass`)
      requirePermission(operation, actor)
      // With an Idempotency-Key the second run would be taken for the first one sent again, and not be done.
      const [twice] = items.filter(({ id }, at) => items.findIndex((one) => one.id === id) < at)
      if (twice)
        throw invalid("items", `The 'items' parameter must name each thing once, not '${twice.id}' twice.`)
      const results = []
      let fault: AdminFault | null = null
      for (const item of items) {
        // After a store that does not answer, each further item would wait as long for it.
        if (fault?.code !== "unavailable") fault = await runOne(operation, item)
        const { code: problem = null, message: detail = null, parameter = null } = fault ?? {}
        results.push({ id: item.id, problem, detail, parameter })
      }
      return wholeList(results)
    },
  },
})
