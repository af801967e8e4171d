/**
 * Puts work off until its result is first needed, so that a start does not wait for it. The result is kept; work that throws is
 * tried again.
 * @example const check = once(() => TypeCompiler.Compile(schema))
 */
export function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | null = null
  return () => {
    done ??= { result: work() }
    return done.result
  }
}
