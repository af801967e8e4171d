import { expect, test } from "bun:test"
import type { Admission } from "./admission.ts"
import { admit, type Pipeline, type Progress } from "./pipeline.ts"

test("a client who has left is not told to call from a forbidden address, which is not known any more", async () => {
  const caller = { key: { id: "key_1", allowIps: ["192.0.2.1"] }, account: { id: "acc_1" } }
  const admission: Pick<Admission, "identify" | "requireAddress"> = {
    identify: async () => caller as never,
    requireAddress() {
      throw new Error("its address is looked at")
    },
  }
  const request = { requestId: "r", key: "k", hasTwoKeys: false, address: () => "", hasLeft: () => true }
  const progress: Progress = { caller: null, rate: null }
  const admitted = admit(request, [], { admission } as unknown as Pipeline, progress)
  await expect(admitted).rejects.toMatchObject({ code: "callerLeft" })
  expect(progress.caller?.key.id).toBe("key_1")
})
