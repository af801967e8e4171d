/** Frees the memory of values that are no longer used. Nothing else runs meanwhile, for longer the more is in use: call it seldom. */
export function collectGarbage(): void {
  Bun.gc(true)
}
