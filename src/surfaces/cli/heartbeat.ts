import type { Timer } from "../../apis/contract.ts"

interface HeartbeatParts<Process> {
  readonly timer: Timer
  readonly intervalMs: number
  ask(one: Process): void
  /** Called once for a process that has been silent for {@link maxSilent} intervals. After that it is not asked again. */
  onSilent(one: Process): void
}

/** Intervals without an answer after which a process counts as stuck. */
export const maxSilent = 10

/**
 * Asks processes at every interval. Intervals are counted instead of time: after the whole machine slept, much time has passed
 * but only one interval.
 */
export function startHeartbeat<Process>({ timer, intervalMs, ask, onSilent }: HeartbeatParts<Process>) {
  /** The intervals in which each process was asked and silent. */
  const silent = new Map<Process, number>()
  let cancel = timer.after(intervalMs, beat)

  function beat(): void {
    cancel = timer.after(intervalMs, beat)
    for (const [one, count] of silent) {
      if (count + 1 >= maxSilent) {
        silent.delete(one)
        onSilent(one)
      } else {
        silent.set(one, count + 1)
        ask(one)
      }
    }
  }

  return {
    /** Begins to ask a process that listens. */
    watch: (one: Process) => silent.set(one, 0),
    /** Notes that a process has sent something. */
    heard(one: Process): void {
      if (silent.has(one)) silent.set(one, 0)
    },
    forget: (one: Process) => silent.delete(one),
    stop(): void {
      cancel()
      silent.clear()
    },
  }
}
