type Timer = { after(delayMs: number, run: () => void): () => void }

/**
 * Waits for work, but not longer than a limit.
 * @param onLate runs when the limit is over, and gives or throws the result
 */
export async function within<Result, Late>(
  { timer, limitMs }: { readonly timer: Timer; readonly limitMs: number },
  work: Promise<Result>,
  onLate: () => Late,
): Promise<Result | Late> {
  const { promise, resolve, reject } = Promise.withResolvers<Late>()
  const cancel = timer.after(limitMs, () => Promise.try(onLate).then(resolve, reject))
  return Promise.race([work, promise]).finally(cancel)
}
