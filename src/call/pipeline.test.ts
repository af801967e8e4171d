import { expect, test } from "bun:test"
import { giveWayWhilePresent } from "./pipeline.ts"

/** A turn of the scheduler during which the client may leave. */
function during(leaves: boolean) {
  let isGone = false
  const scheduler = {
    giveWay: async () => {
      isGone = leaves
    },
  }
  return giveWayWhilePresent({ hasLeft: () => isGone }, "one", { scheduler })
}

test("a call whose client leaves while it gives way ends there, before its body is parsed", async () => {
  await during(false)
  await expect(during(true)).rejects.toMatchObject({ code: "callerLeft" })
})
