import { useEffect, useRef, useState } from "preact/hooks"
import { returns } from "./connection.ts"
import type { Problem, Unreachable } from "./problem.ts"
import { type Query, read, toQueryString } from "./request.ts"
import { hasEnded } from "./session.ts"

export interface Reading<T> {
  /** What was read last; null until then. It stays while it is read again, also with another query. */
  readonly data: T | null
  /** Why the last reading failed; null when it did not. */
  readonly error: Problem | Unreachable | null
  /** True as long as `data` is not the answer to what is asked for now. */
  readonly isLoading: boolean
  reload(): void
}

export interface ChangeableReading<T> extends Reading<T> {
  /** Shows what a change has answered, so that nobody goes on with the values before it, and reads again. */
  show(data: T): void
}

interface State<T> {
  /** The reading that has come to its end, with an answer or without. */
  readonly ended: string
  /** Path and query that `data` belongs to. */
  readonly key: string
  readonly data: T | null
  readonly error: Problem | Unreachable | null
}

/**
 * Reads from an operation when a component is shown, when path or query change, and when the service is back after it was gone.
 * @param path below `/admin/v1` or `/portal/v1`; null reads nothing
 * @param version reads again when it changes
 */
export function useRead<T>(path: string | null, query: Query = {}, version = 0): ChangeableReading<T> {
  const key = path === null ? "" : path + toQueryString(query)
  const [state, setState] = useState<State<T>>({ ended: "", key, data: null, error: null })
  const [count, setCount] = useState(0)
  const reading = `${count} ${version} ${key}`
  const latest = useRef({ path, query, key })
  latest.current = { path, query, key }
  const failed = useRef(false)

  // What failed is read again when the service is back, or someone has signed in again.
  useEffect(() => {
    if (failed.current && !hasEnded.value) setCount((before) => before + 1)
  }, [returns.value, hasEnded.value])

  useEffect(() => {
    const { path, query, key } = latest.current
    if (path === null) return
    const abort = new AbortController()
    read<T>(path, query, abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return
        failed.current = false
        setState({ ended: reading, key, data, error: null })
      },
      (error) => {
        if (abort.signal.aborted) return
        failed.current = true
        // The answer to another query would look like the answer to this one.
        setState((before) => ({
          ended: reading,
          key,
          data: before.key === key ? before.data : null,
          error,
        }))
      },
    )
    return () => abort.abort()
  }, [reading])

  const isLoading = path !== null && state.ended !== reading
  const isSamePath = path !== null && state.key.split("?")[0] === path
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
