import { expect, test } from "bun:test"
import type { SQL } from "bun"
import { createManualTimer } from "../../../test/support/timer.ts"
import { until } from "../../../test/support/until.ts"
import { startListener } from "./listener.ts"
import { migratedChannel } from "./migrations.ts"

/** A listener whose own messages come back while `isShared` is false, as behind a pooler that keeps sessions apart. */
function setUp() {
  const timer = createManualTimer()
  const state = {
    isShared: false,
    connections: 0,
    gaps: 0,
    sent: 0,
    read: 0,
    readsFail: false,
    reading: null as Promise<void> | null,
    lose() {},
    problems: [] as string[],
    nowMs: 0,
    delayMs: 0,
    confirmed: [] as number[],
    migrated: [] as (readonly [number, number])[],
  }
  const handlers = new Map<string, (payload: string) => void>()
  const client = {
    async listen(channel: string, onMessage: (payload: string) => void) {
      handlers.set(channel, onMessage)
    },
    async close() {},
  } as unknown as SQL
  const listener = startListener({
    timer,
    clock: { monotonicMs: () => state.nowMs },
    async connect(onClose, listen) {
      state.connections++
      state.lose = onClose
      await listen(client)
      return client
    },
    async notify(channel, text) {
      state.sent++
      state.nowMs += state.delayMs
      if (!state.isShared) handlers.get(channel)?.(text)
    },
    instance: "one",
    onChanged() {},
    onConfirmed: (ms) => void state.confirmed.push(ms),
    async onRaised() {},
    onMigrated: (...versions) => void state.migrated.push(versions),
    onMessage() {},
    async onConnected() {
      await state.reading
      if (state.readsFail) throw new Error("nothing can be read")
      state.read++
    },
    onGap: () => void state.gaps++,
    onProblem: (cause) => void state.problems.push(String(cause)),
  })
  const tell = (channel: string, payload: string) => handlers.get(channel)?.(payload)
  return { timer, state, tell, stop: () => listener.stop() }
}

test("versions of tables that are no numbers are ignored: any role of the database may send on the channel", async () => {
  const { timer, state, tell, stop } = setUp()
  await timer.asked()
  for (const payload of ["", "null", "not json", "99 x", "{}", "2", "NaN NaN", "1e400 0", "-1 2", "2 1 3"])
    tell(migratedChannel, payload)
  expect(state.migrated).toEqual([])
  tell(migratedChannel, "12 3")
  expect(state.migrated).toEqual([[12, 3]])
  await stop()
})

test("an instance notifies itself every four seconds, not each second: every notification wakes up all sessions", async () => {
  const { timer, state, stop } = setUp()
  await timer.asked()
  for (let beats = 1; beats <= 5; beats++) {
    expect([state.sent, [...timer.waiting]]).toEqual([beats, [4_000]])
    timer.fire()
    await timer.asked()
  }
  expect(state).toMatchObject({ connections: 1, gaps: 0, problems: [] })
  await stop()
})

test("when its own message does not come back the connection is replaced, what is in memory is dropped, and the log names poolers", async () => {
  const { timer, state, stop } = setUp()
  await timer.asked()
  state.isShared = true
  for (const waiting of [4_000, 1_000]) {
    timer.fire()
    await timer.asked()
    expect([...timer.waiting]).toEqual([waiting])
  }
  expect(state).toMatchObject({ connections: 1, gaps: 1, problems: [expect.stringContaining("A pooler")] })
  state.isShared = false
  timer.fire()
  await timer.asked()
  expect(state).toMatchObject({ connections: 2, gaps: 1 })
  await stop()
})

test("a message that comes back confirms the time at which it was sent, and one that does not confirms nothing", async () => {
  const { timer, state, stop } = setUp()
  await timer.asked()
  state.nowMs = 4_000
  state.delayMs = 300
  timer.fire()
  await timer.asked()
  expect(state).toMatchObject({ nowMs: 4_300, confirmed: [0, 4_000] })
  state.isShared = true
  timer.fire()
  await timer.asked()
  expect(state).toMatchObject({ sent: 3, confirmed: [0, 4_000] })
  await stop()
})

test("a connection that is lost between two messages is made again after a second", async () => {
  const { timer, state, stop } = setUp()
  await timer.asked()
  expect([...timer.waiting]).toEqual([4_000])
  state.lose()
  expect([...timer.waiting]).toEqual([1_000])
  expect(state).toMatchObject({ connections: 1, gaps: 1 })
  timer.fire()
  await timer.asked()
  expect(state).toMatchObject({ connections: 2, read: 2, sent: 2, problems: [] })
  expect([...timer.waiting]).toEqual([4_000])
  await stop()
})

test("what changed while nothing was heard is read at each new connection; one that cannot read it is made again", async () => {
  const { timer, state, stop } = setUp()
  state.readsFail = true
  await timer.asked()
  expect(state).toMatchObject({ connections: 1, read: 0, gaps: 1, problems: ["Error: nothing can be read"] })
  state.readsFail = false
  expect([...timer.waiting]).toEqual([1_000])
  timer.fire()
  await timer.asked()
  expect(state).toMatchObject({ connections: 2, read: 1, gaps: 1, sent: 1 })
  await stop()
})

test("a connection that is lost while something is read is made again, without a word about poolers", async () => {
  const { timer, state, stop } = setUp()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.reading = promise
  await until(() => state.connections === 1)
  state.lose()
  resolve()
  await timer.asked()
  expect([state.sent, [...timer.waiting]]).toEqual([0, [1_000]])
  timer.fire()
  await timer.asked()
  expect(state).toMatchObject({ connections: 2, sent: 1, problems: [] })
  expect([...timer.waiting]).toEqual([4_000])
  await stop()
})
