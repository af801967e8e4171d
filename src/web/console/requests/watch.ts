import { useEffect, useRef, useState } from "preact/hooks"
import { after } from "../../client/browser.ts"
import { Problem, Unreachable } from "../../client/problem.ts"
import { type Query, readEvents, toQueryString } from "../../client/request.ts"
import { hasEnded } from "../../client/session.ts"
import type { LiveRequest } from "../../client/types.ts"

/** So many requests are kept; older ones go. */
export const maxShown = 200
/** New requests are shown together, so that many of them do not keep the browser busy. */
const showEveryMs = 250
/** Between the end of a connection and the next one. */
const retryMs = 2_000

/** A request with a number, since clients may give many requests one id. */
export interface ShownRequest extends LiveRequest {
  readonly number: number
}

export interface Watched {
  /** Newest first. */
  readonly requests: readonly ShownRequest[]
  readonly state: "connecting" | "live" | "lost"
  /** Why the service refuses; null when it does not. */
  readonly problem: Problem | null
  /** Requests that came while the screen was paused, at most {@link maxShown}. */
  readonly held: number
  /** Requests that were too many to be sent. */
  readonly lost: number
  clear(): void
  retry(): void
}

/** Watches the requests that fit a choice, and begins again when the connection breaks. */
export function useWatch(query: Query, isPaused: boolean): Watched {
  const [requests, setRequests] = useState<readonly ShownRequest[]>([])
  const [state, setState] = useState<Watched["state"]>("connecting")
  const [problem, setProblem] = useState<Problem | null>(null)
  const [held, setHeld] = useState(0)
  const [lost, setLost] = useState(0)
  const [attempt, setAttempt] = useState(0)
  const waiting = useRef<ShownRequest[]>([])
  const count = useRef(0)
  const paused = useRef(isPaused)
  paused.current = isPaused
  const choice = toQueryString(query)
  const latest = useRef(query)
  latest.current = query

  useEffect(() => {
    setRequests([])
    setLost(0)
    waiting.current = []
  }, [choice])

  useEffect(() => {
    if (hasEnded.value) return
    const abort = new AbortController()
    let cancelShow: (() => void) | null = null
    let cancelRetry = () => {}

    function show(): void {
      cancelShow = null
      setHeld(paused.current ? waiting.current.length : 0)
      if (paused.current) return
      const fresh = waiting.current.reverse()
      waiting.current = []
      setRequests((before) => [...fresh, ...before].slice(0, maxShown))
    }

    function onEvent(name: string, data: unknown): void {
      if (name === "message") {
        waiting.current.push({ ...(data as LiveRequest), number: ++count.current })
        if (waiting.current.length > maxShown) waiting.current.shift()
        cancelShow ??= after(showEveryMs, show)
      } else if (name === "lost") setLost((before) => before + (data as { count: number }).count)
    }

    function onOpen(): void {
      setState("live")
      setProblem(null)
    }

    function again(): void {
      setState("lost")
      cancelRetry = after(retryMs, () => setAttempt((before) => before + 1))
    }

    setState("connecting")
    readEvents("/requests", latest.current, abort.signal, { onOpen, onEvent }).then(again, (thrown) => {
      if (thrown instanceof Unreachable) again()
      else if (thrown instanceof Problem) {
        setProblem(thrown)
        setState("lost")
        if (thrown.status >= 500) again()
      } else if (!abort.signal.aborted) throw thrown
    })
    return () => {
      abort.abort()
      cancelShow?.()
      cancelRetry()
    }
  }, [choice, attempt, hasEnded.value])

  // What was held is shown when the pause ends.
  useEffect(() => {
    if (isPaused || waiting.current.length === 0) return
    const fresh = waiting.current.reverse()
    waiting.current = []
    setHeld(0)
    setRequests((before) => [...fresh, ...before].slice(0, maxShown))
  }, [isPaused])

  return {
    requests,
    state,
    problem,
    held,
    lost,
    clear: () => setRequests([]),
    retry: () => setAttempt((before) => before + 1),
  }
}
