/** Does work one after the other, in the order in which it was asked for. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    // Who asked for the work gets its error; the next work begins all the same.
    last = done.catch(() => {})
    return done
  }
}
