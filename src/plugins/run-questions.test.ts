import { expect, test } from "bun:test"
import { createManualClock } from "../../test/support/clock.ts"
import { createManualTimer } from "../../test/support/timer.ts"
import type { Ports } from "../apis/contract.ts"
import { prepareMockDns } from "../ports/mock-ports.ts"
import { createSeededRandom } from "../ports/random.ts"
import { systemTimer } from "../ports/timer.ts"
import { webOff } from "../ports/web/fixed-web.ts"
import { createRunQuestions } from "./run-questions.ts"

/** Questions that get their answers when the test gives them. */
function createTrial(maxMs: number) {
  const clock = createManualClock()
  const timer = createManualTimer()
  const answers = { dns: prepareMockDns({})(), web: webOff }
  const ports: Ports = { clock, timer, random: createSeededRandom("a"), ...answers }
  const steps: string[] = []
  const entering = Promise.withResolvers<void>()
  const place = {
    leave: () => void steps.push("leave"),
    enter() {
      steps.push("enter")
      return entering.promise
    },
  }
  const questions = createRunQuestions(ports, place, maxMs)
  return {
    ...{ steps, questions, enter: entering.resolve },
    ask(name: string) {
      const { promise, resolve } = Promise.withResolvers<string>()
      const send = (_: Ports, signal: AbortSignal) => {
        if (signal.aborted) resolve("none")
        signal.addEventListener("abort", () => resolve("none"))
        return promise
      }
      void questions.ask(send, (answer) => steps.push(`${name} ${answer}`))
      return resolve
    },
    async advance(ms: number) {
      clock.advance(ms)
      timer.advance(ms)
      await systemTimer.turn()
    },
  }
}

test("a run leaves its place with its first question, and gets the last answer when it has a place again", async () => {
  const { ask, steps, enter, advance } = createTrial(1_000)
  const [first, second] = [ask("first"), ask("second")]
  first("one")
  await advance(1)
  expect(steps).toEqual(["leave", "first one"])
  second("two")
  await advance(1)
  expect(steps).toEqual(["leave", "first one", "enter"])
  enter()
  await advance(1)
  expect(steps).toEqual(["leave", "first one", "enter", "second two"])
})

test("questions that are open for too long in all end without an answer, and so do later ones", async () => {
  const { ask, steps, enter, advance } = createTrial(1_000)
  enter()
  const first = ask("first")
  await advance(600)
  first("one")
  await advance(0)
  // The time of the run itself does not count.
  await advance(5_000)
  ask("second")
  await advance(399)
  expect(steps).toEqual(["leave", "enter", "first one", "leave"])
  await advance(1)
  ask("third")
  await advance(0)
  expect(steps.filter((step) => step.includes(" "))).toEqual(["first one", "second none", "third none"])
})

test("a run that is over gets no answer, and its questions end", async () => {
  const { ask, steps, enter, advance, questions } = createTrial(1_000)
  enter()
  ask("first")
  questions.end()
  await advance(1)
  expect(steps).toEqual(["leave", "enter"])
})
