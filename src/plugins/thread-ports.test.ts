import { expect, test } from "bun:test"
import type { DnsAnswer } from "../apis/contract.ts"
import { createThreadDns, protectProcess } from "./thread-ports.ts"

const nothing: DnsAnswer = { kind: "nodata" }

function createTrial() {
  const asked: number[] = []
  const questions: unknown[] = []
  const dns = createThreadDns((question, what) => {
    asked.push(question)
    questions.push(what)
  })
  return { dns, asked, questions }
}

test("of many questions few are with the service at a time, and all are asked, in their order", async () => {
  const { dns, asked } = createTrial()
  const { resolve } = dns.begin()
  const answers = Promise.all(Array.from({ length: 240 }, (_, i) => resolve(`a${i}.example`, "A")))
  expect(asked).toHaveLength(16)
  // One answer lets one more question through.
  for (let answered = 0; answered < asked.length; answered++) {
    dns.take(asked[answered] ?? 0, nothing)
    expect(asked.length - answered - 1).toBeLessThanOrEqual(16)
  }
  expect(asked).toEqual(Array.from({ length: 240 }, (_, i) => i + 1))
  expect(await answers).toEqual(new Array(240).fill(nothing))
})

test("an exchange is sent as such, and both operations refuse what cannot be asked", async () => {
  const { dns, asked, questions } = createTrial()
  const { resolve, exchange } = dns.begin()
  const signed = exchange("a.example", "HTTPS", { dnssec: true })
  const answers = [signed, exchange(".", "TYPE61"), resolve("b", "CAA")]
  for (const question of [...asked]) dns.take(question, nothing)
  await Promise.all(answers)
  expect(questions).toEqual([
    { name: "a.example", type: "HTTPS", exchange: { dnssec: true } },
    { name: ".", type: "TYPE61", exchange: { dnssec: false } },
    { name: "b", type: "CAA", exchange: null },
  ])
  for (const ask of [resolve, exchange]) {
    const said = /answers for the types A, NS, .*, CAA, and TYPE and/
    await expect(ask("a.example", "TYPE255")).rejects.toThrow(said)
    await expect(ask("a".repeat(1_001), "A")).rejects.toThrow("needs a name")
  }
})

test("questions that can get no answer are not sent", async () => {
  const { dns, asked } = createTrial()
  const { resolve } = dns.begin()
  const answers = Array.from({ length: 20_000 }, (_, i) => resolve(`a${i}.example`, "A"))
  for (let answered = 0; answered < asked.length; answered++) dns.take(asked[answered] ?? 0, nothing)
  // One more than the service answers, so that it knows of them.
  expect(asked).toHaveLength(241)
  expect(await answers.at(-1)).toEqual({ kind: "failure", reason: "aborted" })
})

test("questions of an earlier run that wait hold up no question of the next, and are not asked any more", async () => {
  const { dns, asked } = createTrial()
  const { resolve: resolveBefore } = dns.begin()
  for (let i = 0; i < 100; i++) void resolveBefore("before.example", "A")
  const { resolve } = dns.begin()
  const answer = resolve("now.example", "A")
  expect(asked).toHaveLength(17)
  for (const question of [...asked]) dns.take(question, nothing)
  expect(await answer).toEqual(nothing)
  expect(asked).toHaveLength(17)
  expect(await resolveBefore("late.example", "A")).toEqual({ kind: "failure", reason: "aborted" })
})

test("an API can send signals to other processes, but not to its own, its parent or groups of processes", () => {
  const sent: unknown[] = []
  const kill = (pid: number, signal?: string | number) => sent.push([pid, signal]) > 0
  const target = { pid: 70, ppid: 7, kill, _kill: kill }
  protectProcess(target)
  for (const pid of [70, 7, 0, -1, -70])
    for (const method of [target.kill, target._kill])
      expect(() => method(pid, "SIGKILL")).toThrow(`process.kill(${pid}) is not for an API`)
  target.kill(71, "SIGTERM")
  // This only asks whether it runs.
  target.kill(70, 0)
  expect(sent).toEqual([
    [71, "SIGTERM"],
    [70, 0],
  ])
})
