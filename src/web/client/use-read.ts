import { useEffect, useRef, useState } from "preact/hooks"
import { returns } from "./connection.ts"
import type { Problem, Unreachable } from "./problem.ts"
import { type Query, read, toQueryString } from "./request.ts"
import { hasEnded } from "./session.ts"

export interface Reading<T> {
  /** What was read last; null until then. It stays while it is read again. */
  readonly data: T | null
  /** Why the last reading failed; null when it did not. */
  readonly error: Problem | Unreachable | null
  readonly isLoading: boolean
  reload(): void
}

interface State<T> {
  readonly key: string
  readonly data: T | null
  readonly error: Problem | Unreachable | null
  readonly isLoading: boolean
}

/**
 * Reads from an operation when a component is shown, when path or query change, and when the service is back after it was gone.
 * @param path below `/admin/v1` or `/portal/v1`; null reads nothing
 * @param version reads again when it changes
 */
export function useRead<T>(path: string | null, query: Query = {}, version = 0): Reading<T> {
  const key = path === null ? "" : path + toQueryString(query)
  const [state, setState] = useState<State<T>>({ key, data: null, error: null, isLoading: path !== null })
  const [count, setCount] = useState(0)
  const latest = useRef({ path, query })
  latest.current = { path, query }
  const failed = useRef(false)

  // What failed is read again when the service is back, or someone has signed in again.
  useEffect(() => {
    if (failed.current && !hasEnded.value) setCount((before) => before + 1)
  }, [returns.value, hasEnded.value])

  useEffect(() => {
    const { path, query } = latest.current
    if (path === null) return
    const abort = new AbortController()
    setState((before) => {
      const isSamePath = before.key.split("?")[0] === path
      return { key, data: isSamePath ? before.data : null, error: null, isLoading: true }
    })
    read<T>(path, query, abort.signal).then(
      (data) => {
        if (abort.signal.aborted) return
        failed.current = false
        setState({ key, data, error: null, isLoading: false })
      },
      (thrown) => {
        if (abort.signal.aborted) return
        failed.current = true
        setState((before) => ({ ...before, error: thrown, isLoading: false }))
      },
    )
    return () => abort.abort()
  }, [key, count, version])

  return { ...state, reload: () => setCount((before) => before + 1) }
}
