import { signal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"
import { returns } from "./connection.ts"
import { type AnswerOf, addressOfRead, type ReadId, type ReadInput } from "./operations.ts"
import { hasEnded, type Problem, read, type Unreachable } from "./request.ts"

/** Data read from the service, and whether a read is under way or failed. */
export interface Reading<T> {
  /** The last answer; null until there is one. It stays while it is read again, also with other parameters. */
  readonly data: T | null
  /** Why the last attempt failed; null if it did not. */
  readonly error: Problem | Unreachable | null
  /** True as long as `data` is not the answer for the present parameters. */
  readonly isLoading: boolean
  reload(): void
  /** Shows the answer of a change instead of the values before it, and reads again. */
  show(data: T): void
}

interface State<T> {
  /** The last attempt that has ended, with an answer or without. */
  readonly ended: string
  /** The key that `data` was loaded with. */
  readonly key: string | null
  readonly data: T | null
  readonly error: Problem | Unreachable | null
}

const changes = signal(0)

/** Reads again all that is shown, such as after a change. */
export function readAgain(): void {
  changes.value++
}

/**
 * Reads from an operation as {@link useLoad} does.
 * @param id null reads nothing
 */
export function useRead<Id extends ReadId>(id: Id | null, input: ReadInput<Id>): Reading<AnswerOf<Id>> {
  const key = id === null ? null : addressOfRead(id, input)
  return useLoad(key, (signal) => (id === null ? Promise.reject() : read(id, input, signal)))
}

/**
 * Loads something when a component is shown, when `key` changes, after {@link readAgain}, and when the service is back after it
 * was gone.
 * @param key says what is loaded; null loads nothing. If only its query string changes, data stay until the answer.
 * @param load rejects with a Problem or Unreachable
 */
export function useLoad<T>(key: string | null, load: (signal: AbortSignal) => Promise<T>): Reading<T> {
  const [state, setState] = useState<State<T>>({ ended: "", key, data: null, error: null })
  const [count, setCount] = useState(0)
  const reading = `${count} ${changes.value} ${key}`
  const latest = useRef({ key, load })
  latest.current = { key, load }
  const failed = useRef(false)

  // A failed reading is repeated when the service is back or someone has signed in again.
  useEffect(() => {
    if (failed.current && !hasEnded.value) setCount((before) => before + 1)
  }, [returns.value, hasEnded.value])

  useEffect(() => {
    const { key, load } = latest.current
    if (key === null) return
    const abort = new AbortController()
    load(abort.signal).then(
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

  const isLoading = key !== null && state.ended !== reading
  const isSamePath = key !== null && state.key?.split("?")[0] === key.split("?")[0]
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
