/**
 * Tells the time.
 * @example
 * const today = (clock: Clock) => new Date(clock.now()).toISOString().slice(0, 10)
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch. May jump. */
  now(): number
  /** Milliseconds from an arbitrary origin, for durations. Never runs backwards. */
  monotonicMs(): number
}

/**
 * Sets timers. There are no others, so that tests can move time by hand.
 * @example
 * async function withTimeLimit<T>(timer: Timer, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
 *   const limit = new AbortController()
 *   const cancel = timer.after(20_000, () => limit.abort())
 *   return work(limit.signal).finally(cancel)
 * }
 */
export interface Timer {
  /** Calls `run` once after `delayMs`, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void
  /** Resolves in a later turn of the event loop, so that other work comes in between. @internal */
  turn(): Promise<void>
}

/**
 * Returns random bytes.
 * @example
 * const toToken = (random: Random) => random.bytes(16).toHex()
 */
export interface Random {
  /** `length` bytes from a cryptographic source. */
  bytes(length: number): Uint8Array
}
