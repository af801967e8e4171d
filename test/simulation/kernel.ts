/**
 * The heart of the simulation: a queue of steps, a list of timers, and a seed that chooses between them. All waits of the tried
 * code end here, so that a whole run is one synchronous function, and the same seed gives the same steps.
 */
import { drainMicrotasks } from "bun:jsc"

/** Chance from a seed: splitmix32. */
export function createRng(seed: number) {
  let state = seed | 0
  const next = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  return {
    /** An integer from 0 to below `end`. */
    int: (end: number) => next() % end,
    chance: (share: number) => next() / 2 ** 32 < share,
    pick: <T>(list: readonly T[]): T => list[next() % list.length] as T,
    bytes: (length: number) => Uint8Array.from({ length }, () => next() & 255),
  }
}

export type Rng = ReturnType<typeof createRng>

/** Who a step belongs to. The steps of a dead owner never run, as those of a process that was killed. */
export interface Owner {
  isDead: boolean
  readonly name: string
}

/** Something does not hold. The text begins with the name of the oracle that found it. */
export class Violation extends Error {
  override readonly name = "Violation"
}

interface Step {
  readonly label: string
  readonly owner: Owner | null
  readonly run: () => void
  readonly dueMs: number
  isCancelled: boolean
}

/** A timer runs before what is ready, now and then: what is ready counts as slow. */
const earlyTimerChance = 0.05
const earlyTimerMs = 1_000

/**
 * Creates the kernel of one run.
 * @param trace gets each step, if there is somebody to read it
 */
export function createKernel(seed: number, startMs: number, trace?: (line: string) => void) {
  const rng = createRng(Math.imul(seed, 0x85ebca6b) ^ 0x1234567)
  const ready: Step[] = []
  /** The next one is the last of the list. */
  const timers: Step[] = []
  let nowMs = startMs
  let steps = 0
  let hash = 0n

  function addTimer(step: Step): void {
    let place = timers.length
    while (place > 0 && (timers[place - 1]?.dueMs ?? 0) <= step.dueMs) place--
    timers.splice(place, 0, step)
  }

  function takeReady(): Step | undefined {
    const place = rng.int(ready.length)
    const step = ready[place]
    const last = ready.pop()
    if (last && place < ready.length) ready[place] = last
    return step
  }

  function next(untilMs: number): Step | null {
    for (;;) {
      while (timers.at(-1)?.isCancelled) timers.pop()
      const timer = timers.at(-1)
      const isEarly =
        timer !== undefined &&
        ready.length > 0 &&
        timer.dueMs - nowMs < earlyTimerMs &&
        rng.chance(earlyTimerChance)
      let step: Step | undefined
      if (ready.length > 0 && !isEarly) step = takeReady()
      else if (timer && timer.dueMs <= untilMs) {
        step = timers.pop()
        nowMs = Math.max(nowMs, timer.dueMs)
      } else return null
      if (step && !step.isCancelled && !step.owner?.isDead) return step
    }
  }

  const kernel = {
    rng,
    /** Chances of faults are multiplied by it; 0 for none. */
    faults: 1,
    startMs,
    now: () => nowMs,
    steps: () => steps,
    /** A hash of all steps so far: the same seed gives the same. */
    hash: () => hash.toString(16),
    /** Moves the clock of the world forward. */
    jump(ms: number) {
      nowMs += ms
    },
    note(line: string) {
      hash = Bun.hash.xxHash64(line, hash)
      trace?.(`${String(steps).padStart(5)} ${String(nowMs - startMs).padStart(7)} ms  ${line}`)
    },
    /** Whether a fault happens now. */
    fault: (share: number) => kernel.faults > 0 && rng.chance(share * kernel.faults),
    /** Resolves when the seed chooses it, and not before the delay is over. */
    point: (owner: Owner | null, label: string, delayMs = 0): Promise<void> =>
      new Promise((resolve) => void kernel.later(owner, label, delayMs, resolve)),
    /** Runs something later; the result cancels it. */
    later(owner: Owner | null, label: string, delayMs: number, run: () => void): () => void {
      const step: Step = { label, owner, run, dueMs: nowMs + Math.max(0, delayMs), isCancelled: false }
      if (delayMs > 0) addTimer(step)
      else ready.push(step)
      return () => {
        step.isCancelled = true
      }
    },
    /** How many steps of an owner wait under a label. */
    waiting(owner: Owner, label: string): number {
      const isWaiting = (step: Step) => step.owner === owner && step.label === label && !step.isCancelled
      return [...ready, ...timers].filter(isWaiting).length
    },
    /** Runs one step, and all that follows from it without a wait. False when there is none until then. */
    step(untilMs = Number.POSITIVE_INFINITY): boolean {
      const step = next(untilMs)
      if (step === null) return false
      steps++
      kernel.note(`${step.owner?.name ?? "-"} ${step.label}`)
      step.run()
      drainMicrotasks()
      return true
    },
  }
  return kernel
}

export type Kernel = ReturnType<typeof createKernel>
