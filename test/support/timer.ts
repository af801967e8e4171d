import type { Timer } from "../../src/apis/contract.ts"
import { systemTimer } from "../../src/ports/timer.ts"

/** A timer that skips every wait: it runs in the next turn of the event loop. */
export const noWaitTimer: Timer = {
  after(_, run) {
    const immediate = setImmediate(run)
    return () => clearImmediate(immediate)
  },
  turn: systemTimer.turn,
}

/**
 * The runtime's timers, without those of a minute and longer: on a busy machine, some tests of a file would get what a service
 * does then and others not, such as the deletion of old records.
 */
export const briefTimer: Timer = {
  after: (delayMs, run) => (delayMs < 60_000 ? systemTimer.after(delayMs, run) : () => {}),
  turn: systemTimer.turn,
}

/** A timer whose time the test moves by hand. */
export interface ManualTimer extends Timer {
  /** The delays of everything that waits, as they were asked for. */
  readonly waiting: readonly number[]
  /** Resolves as soon as something waits. */
  asked(): Promise<void>
  /** Calls everything that waits, whatever its delay. */
  fire(): void
  /** Moves time forward, and calls in order what is due by then, what is added meanwhile included. */
  advance(ms: number): void
}

interface Entry {
  readonly delayMs: number
  readonly dueMs: number
  readonly run: () => void
}

export function createManualTimer(): ManualTimer {
  const entries = new Set<Entry>()
  let askers: (() => void)[] = []
  let nowMs = 0

  function nextUntil(endMs: number): Entry | undefined {
    return [...entries].filter(({ dueMs }) => dueMs <= endMs).sort((one, other) => one.dueMs - other.dueMs)[0]
  }

  return {
    turn: systemTimer.turn,
    after(delayMs, run) {
      const entry = { delayMs, dueMs: nowMs + delayMs, run }
      entries.add(entry)
      for (const resolve of askers) resolve()
      askers = []
      return () => entries.delete(entry)
    },
    get waiting() {
      return [...entries].map(({ delayMs }) => delayMs)
    },
    asked() {
      if (entries.size > 0) return Promise.resolve()
      return new Promise((resolve) => askers.push(resolve))
    },
    fire() {
      const due = [...entries]
      entries.clear()
      for (const { run } of due) run()
    },
    advance(ms) {
      const endMs = nowMs + ms
      for (let next = nextUntil(endMs); next; next = nextUntil(endMs)) {
        nowMs = next.dueMs
        entries.delete(next)
        next.run()
      }
      nowMs = endMs
    },
  }
}

/**
 * The runtime's timers, but what waits for `heldMs` waits until the test calls `pass`. `asked` resolves as soon as something
 * waits.
 */
export function createHeldTimer(heldMs: number): Timer & { pass(): void; asked(): Promise<void> } {
  const held = createManualTimer()
  return {
    turn: systemTimer.turn,
    after: (delayMs, run) => (delayMs === heldMs ? held : systemTimer).after(delayMs, run),
    asked: held.asked,
    pass: held.fire,
  }
}
