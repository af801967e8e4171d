import { expect, test } from "bun:test"
import { systemTimer } from "./timer.ts"

test("calls after the delay, and not at all when cancelled before", async () => {
  const called: string[] = []
  systemTimer.after(1, () => called.push("cancelled"))()
  await new Promise<void>((resolve) => systemTimer.after(2, resolve))
  expect(called).toEqual([])
})

test("a turn lets other work come in between", async () => {
  const order: string[] = []
  setImmediate(() => order.push("other"))
  await Promise.resolve().then(() => order.push("no turn"))
  await systemTimer.turn()
  expect(order).toEqual(["no turn", "other"])
})

test("what lies in a socket is read before a timer that is due calls: the process may have been paused", async () => {
  const order: string[] = []
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const { promise: accepted, resolve: accept } = Promise.withResolvers<Bun.Socket>()
  const note = (what: string) => {
    order.push(what)
    if (order.length === 2) end()
  }
  const first = listen({ open: accept })
  const reading = await connect(first.port, { data: () => note("answer") })
  const answering = await accepted
  // In the callback of another socket, what is written is not read before timers that are due.
  const second = listen({
    open() {
      answering.write("answer")
      systemTimer.after(1, () => note("timer"))
      Bun.sleepSync(5)
    },
  })
  const other = await connect(second.port, {})
  await ended
  expect(order).toEqual(["answer", "timer"])
  for (const one of [reading, other]) one.end()
  for (const one of [first, second]) one.stop(true)
})

test("a timer that is cancelled while input is read does not call", async () => {
  const order: string[] = []
  const cancel = systemTimer.after(0, () => order.push("cancelled"))
  setTimeout(() => setImmediate(cancel))
  // Both are due when the loop looks next, however far apart they were set.
  Bun.sleepSync(20)
  await new Promise<void>((resolve) => systemTimer.after(2, resolve))
  expect(order).toEqual([])
})

const hostname = "127.0.0.1"

const listen = (handlers: { open(socket: Bun.Socket): void }) =>
  Bun.listen({ hostname, port: 0, socket: { data() {}, ...handlers } })

const connect = (port: number, handlers: { data?(): void }) =>
  Bun.connect({ hostname, port, socket: { data() {}, ...handlers } })
