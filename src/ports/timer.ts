/** Runs something later, once. */
export interface Timer {
  /** Calls `run` after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void
}

/** The runtime's timers. They do not keep a process alive that has nothing else to do. */
export const systemTimer: Timer = {
  after(delayMs, run) {
    const timeout = setTimeout(run, delayMs)
    timeout.unref()
    return () => clearTimeout(timeout)
  },
}
