import { expect, test } from "bun:test"
import { everything, failure } from "../../test/data/envelope-samples.ts"
import { encodeJson } from "./json.ts"

test("the envelope is its three members, in order", () => {
  expect(encodeJson({ status: "ok", error: null, data: { hmac: "ab" } })).toBe(
    '{"status":"ok","error":null,"data":{"hmac":"ab"}}',
  )
  expect(JSON.parse(encodeJson(failure))).toEqual(failure)
})

test("half a surrogate pair stays readable for a UTF-8 reader", () => {
  const bytes = new TextEncoder().encode(encodeJson(everything))
  expect(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)).data.awkward).toContain(
    "lone \uD83D and \uDE00 and \uDE00\uD83D",
  )
})
