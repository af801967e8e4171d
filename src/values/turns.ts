/** Returns a function that does work one after the other, in the order of its calls. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    // The caller gets the error; the next work begins all the same.
    last = done.catch(() => {})
    return done
  }
}
