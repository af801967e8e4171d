import { expect, test } from "bun:test"
import type { Dns } from "../apis/contract.ts"
import { countDnsQuestions, limitDns } from "./dns-questions.ts"

test("both operations ask for the account, and share the questions of a call", async () => {
  const asked: unknown[] = []
  const dns: Dns = {
    async resolve(...question) {
      asked.push(question)
      return { kind: "nodata" }
    },
    async exchange(...question) {
      asked.push(question)
      return { kind: "failure", reason: "timeout" }
    },
  }
  const { signal } = new AbortController()
  const questions = countDnsQuestions()
  const limited = limitDns(dns, "acc", questions, () => undefined)
  questions.left = 2
  expect(await limited.resolve("a", "A", signal, "other")).toEqual({ kind: "nodata" })
  const answer = await limited.exchange("b", "CAA", { dnssec: true }, signal)
  expect(answer).toEqual({ kind: "failure", reason: "timeout" })
  expect(questions).toEqual({ left: 0, isExceeded: false, isDead: false })
  expect(await limited.exchange("c", "CAA")).toEqual({ kind: "failure", reason: "aborted" })
  expect(await limited.resolve("d", "A")).toEqual({ kind: "failure", reason: "aborted" })
  expect(questions.isExceeded).toBe(true)
  expect(asked).toEqual([
    ["a", "A", signal, "acc"],
    ["b", "CAA", { dnssec: true }, signal, "acc"],
  ])
})
