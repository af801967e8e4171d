import { useEffect, useRef, useState } from "preact/hooks"
import { toQueryString } from "../../client/address.ts"
import { after, openEvents } from "../../client/browser.ts"
import { type AnswerOf, addressOfRead } from "../../client/operations.ts"
import { answerTo, hasEnded, type Problem, problemIn, Unreachable } from "../../client/request.ts"

/** The most requests that are kept; older ones are dropped. */
export const maxShown = 200
/** New requests are shown together, so that many of them do not keep the browser busy. */
const showEveryMs = 250
/** The pause between the end of a connection and the next one. */
const retryMs = 2_000

/** A request with a number, since clients may give many requests one id. */
export interface ShownRequest extends AnswerOf<"requests.tail"> {
  readonly number: number
}

export type Watched = ReturnType<typeof useWatch>

/** The state of a watch. */
interface Shown {
  /** The filters of these requests. */
  readonly choice: string
  /** Newest first. */
  readonly requests: readonly ShownRequest[]
  readonly state: "connecting" | "live" | "lost"
  /** Why the service refuses; null if it does not. */
  readonly problem: Problem | null
  /** Requests that came while the screen was paused, at most {@link maxShown}. */
  readonly held: number
  /** Requests that were left out because there were too many. */
  readonly lost: number
}

const nothing = { requests: [], state: "connecting", problem: null, held: 0, lost: 0 } as const

type Filters = Readonly<Record<"status" | "api" | "account" | "key" | "fault", string | null>>

/** The operation takes several values of each parameter. */
function listsOf({ status, api, account, key, fault }: Filters) {
  const list = (value: string | null) => (value === null ? null : [value])
  return { status: list(status), api: list(api), account: list(account), key: list(key), fault: list(fault) }
}

/** Watches the requests that fit a choice, and begins again when the connection breaks. */
export function useWatch(filters: Filters, isPaused: boolean) {
  const choice = toQueryString(filters)
  const [last, setLast] = useState<Shown>({ ...nothing, choice })
  const [attempt, setAttempt] = useState(0)
  const waiting = useRef<ShownRequest[]>([])
  const count = useRef(0)
  const paused = useRef(isPaused)
  paused.current = isPaused
  const latest = useRef(filters)
  latest.current = filters
  // Requests of other filters are not shown for these.
  const shown = last.choice === choice ? last : nothing

  function update(change: (before: Omit<Shown, "choice">) => Partial<Shown>): void {
    setLast((before) => {
      const present = before.choice === choice ? before : nothing
      return { ...present, ...change(present), choice }
    })
  }

  function showWaiting(): void {
    const fresh = waiting.current.reverse()
    waiting.current = []
    update(({ requests }) => ({ held: 0, requests: [...fresh, ...requests].slice(0, maxShown) }))
  }

  useEffect(() => {
    waiting.current = []
  }, [choice])

  useEffect(() => {
    if (hasEnded.value) return
    const address = addressOfRead("requests.tail", listsOf(latest.current))
    const events = openEvents(address)
    let isOver = false
    let cancelShow: (() => void) | null = null
    let cancelRetry = () => {}

    function show(): void {
      cancelShow = null
      if (paused.current) update(() => ({ held: waiting.current.length }))
      else showWaiting()
    }

    /** @param problem why the service refuses; null if it does not */
    function again(problem: Problem | null): void {
      if (isOver) return
      update(() => ({ problem }))
      if (problem && problem.status < 500) return
      cancelRetry = after(retryMs, () => setAttempt((before) => before + 1))
    }

    update(() => ({ state: "connecting" }))
    events.onopen = () => update(() => ({ state: "live", problem: null }))
    events.onmessage = ({ data }) => {
      waiting.current.push({ ...JSON.parse(data), number: ++count.current })
      if (waiting.current.length > maxShown) waiting.current.shift()
      cancelShow ??= after(showEveryMs, show)
    }
    events.addEventListener("lost", ({ data }) => {
      update(({ lost }) => ({ lost: lost + JSON.parse(data).count }))
    })
    events.onerror = () => {
      events.close()
      update(() => ({ state: "lost" }))
      problemAt(address).then(again)
    }
    return () => {
      isOver = true
      events.close()
      cancelShow?.()
      cancelRetry()
    }
  }, [choice, attempt, hasEnded.value])

  // Held requests are shown when the pause ends.
  useEffect(() => {
    if (!isPaused && waiting.current.length > 0) showWaiting()
  }, [isPaused])

  return {
    ...shown,
    clear: () => update(() => ({ requests: [] })),
    retry: () => setAttempt((before) => before + 1),
  }
}

/** Why the service refuses to be watched, which no browser tells; null if it does not, or cannot be reached. */
async function problemAt(address: string): Promise<Problem | null> {
  const abort = new AbortController()
  try {
    const response = await answerTo(address, { signal: abort.signal })
    return response.ok ? null : await problemIn(response)
  } catch (thrown) {
    if (thrown instanceof Unreachable) return null
    throw thrown
  } finally {
    abort.abort()
  }
}
