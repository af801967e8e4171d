import { useEffect, useRef, useState } from "preact/hooks"
import { returns } from "./connection.ts"
import { type AnswerOf, addressOfRead, type ReadId, type ReadInput } from "./operations.ts"
import type { Problem, Unreachable } from "./problem.ts"
import { read } from "./request.ts"
import { hasEnded } from "./session.ts"

/** Data read from the service, and whether a read is under way or failed. */
export interface Reading<T> {
  /** The last answer; null until there is one. It stays while it is read again, also with other parameters. */
  readonly data: T | null
  /** Why the last attempt failed; null if it did not. */
  readonly error: Problem | Unreachable | null
  /** True as long as `data` is not the answer for the present parameters. */
  readonly isLoading: boolean
  reload(): void
}

interface ChangeableReading<T> extends Reading<T> {
  /** Shows the answer of a change instead of the values before it, and reads again. */
  show(data: T): void
}

interface State<T> {
  /** The last attempt that has ended, with an answer or without. */
  readonly ended: string
  /** The address that `data` was read from. */
  readonly key: string
  readonly data: T | null
  readonly error: Problem | Unreachable | null
}

/**
 * Reads from an operation when a component is shown, when the parameters change, and when the service is back after it was gone.
 * @param id null reads nothing
 * @param version reads again when it changes
 */
export function useRead<Id extends ReadId>(
  id: Id | null,
  input: ReadInput<Id>,
  version = 0,
): ChangeableReading<AnswerOf<Id>> {
  const key = id === null ? "" : addressOfRead(id, input)
  const [state, setState] = useState<State<AnswerOf<Id>>>({ ended: "", key, data: null, error: null })
  const [count, setCount] = useState(0)
  const reading = `${count} ${version} ${key}`
  const latest = useRef({ id, input, key })
  latest.current = { id, input, key }
  const failed = useRef(false)

  // A failed reading is repeated when the service is back or someone has signed in again.
  useEffect(() => {
    if (failed.current && !hasEnded.value) setCount((before) => before + 1)
  }, [returns.value, hasEnded.value])

  useEffect(() => {
    const { id, input, key } = latest.current
    if (id === null) return
    const abort = new AbortController()
    read(id, input, abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return
        failed.current = false
        setState({ ended: reading, key, data, error: null })
      },
      (error) => {
        if (abort.signal.aborted) return
        failed.current = true
        // Data for other parameters would look like data for these.
        setState((before) => ({ ended: reading, key, data: before.key === key ? before.data : null, error }))
      },
    )
    return () => abort.abort()
  }, [reading])

  const isLoading = id !== null && state.ended !== reading
  const isSamePath = id !== null && state.key.split("?")[0] === key.split("?")[0]
  const reload = () => setCount((before) => before + 1)
  return {
    data: isSamePath ? state.data : null,
    error: isLoading || !isSamePath ? null : state.error,
    isLoading,
    reload,
    show(data) {
      setState((before) => ({ ...before, key: latest.current.key, data }))
      reload()
    },
  }
}
