import { expect, test } from "bun:test"
import type { Actor } from "./operation.ts"
import { createListTurns } from "./reader-limits.ts"

const actor = (change: Partial<Actor>): Actor => {
  return { id: "a", name: "a", permissions: ["*"], account: null, source: "", requestId: "", ...change }
}
const session = (id: string, owner: string) => ({ id, owner, keyHash: null })

test.each([
  ["a key", { adminKeyId: "adm_1" }, { id: "console:b", adminKeyId: "adm_1" }],
  [
    "an administrator",
    { id: "console:a", session: session("ses_1", "ann") },
    { id: "console:a", session: session("ses_2", "ann") },
  ],
  ["an account", { account: "acc_1", adminKeyId: "adm_1" }, { account: "acc_1", adminKeyId: null }],
])("lists of %s run one after the other, beside those of others", async (_, one, same) => {
  const inTurn = createListTurns()
  const events: string[] = []
  const first = Promise.withResolvers<void>()
  const list = (name: string, end?: Promise<void>) => async () => {
    events.push(`${name} begins`)
    await end
    events.push(`${name} ends`)
  }
  const failing = inTurn(
    actor(one),
    list(
      "1",
      first.promise.then(() => Promise.reject(new Error("broken"))),
    ),
  )
  const second = inTurn(actor(same), list("2"))
  const third = inTurn(actor(one), list("3"))
  await inTurn(actor({ id: "other" }), list("other"))
  expect(events).toEqual(["1 begins", "other begins", "other ends"])
  first.resolve()
  await expect(failing).rejects.toThrow("broken")
  await Promise.all([second, third])
  expect(events.slice(3)).toEqual(["2 begins", "2 ends", "3 begins", "3 ends"])
})
