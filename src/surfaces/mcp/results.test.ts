import { expect, test } from "bun:test"
import { fixedFault } from "../../call/fault.ts"
import { toReply } from "../../call/pipeline.ts"
import { toToolResult } from "./results.ts"

const period = { startMs: 0, endMs: 1 }
const usage = { plan: "pro", rate: null, balance: { period, allowance: 10, used: 3, bonus: 0, remaining: 7 } }

test.each([
  ["storeUnavailable", 0, "Nothing was charged"],
  ["chargeUnknown", "unknown", "may have been charged"],
] as const)("a call that ended with %s tells as its charge: %p", (code, charged, text) => {
  const result = toToolResult({ ...toReply(fixedFault(code)), usage })
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(text) }],
    _meta: { "penknife/credits": { charged } },
  })
})
