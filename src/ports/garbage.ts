/** Frees the memory of values that are no longer used. It takes 10 to 20 ms, so call it seldom. */
export function collectGarbage(): void {
  Bun.gc(true)
}
