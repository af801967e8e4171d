/** The clients' figures of one account. */
interface Seen {
  readonly key: string
  /** Answers by status. */
  readonly statuses: Map<number, number>
  /** Calls that were sent and have been neither answered nor lost. */
  underWay: number
  /** Calls whose answer never came, by the client's error. */
  readonly lost: Map<string, number>
}

export interface Load {
  readonly seen: readonly Seen[]
  /** Answers by process, which is the first part of a request id. */
  readonly processes: ReadonlyMap<string, number>
  /** The number of answered calls. */
  total(): number
  /** Resolves once that many calls have been answered. */
  answered(count: number): Promise<void>
  /** Sends nothing more. */
  stop(): void
  /** Resolves when every client has stopped: at its last call, or when the server was gone. */
  readonly done: Promise<void>
}

interface LoadOptions {
  /** Clients that call at the same time. */
  readonly clients: number
  /** The number of calls, by each account in turn. A client whose call is lost sends no more. */
  readonly calls: number
}

const path = "/v1/bluetoothlookup?companyid=76"

export function startLoad(url: string, keys: readonly string[], { clients, calls }: LoadOptions): Load {
  const seen = keys.map((key): Seen => ({ key, statuses: new Map(), underWay: 0, lost: new Map() }))
  const processes = new Map<string, number>()
  const waiting: { count: number; resolve: () => void }[] = []
  let stopped = false
  let sent = 0
  let total = 0

  async function call(account: Seen): Promise<void> {
    const answer = await fetch(url + path, { headers: { "x-api-key": account.key } })
    await answer.arrayBuffer()
    countIn(account.statuses, answer.status)
    countIn(processes, answer.headers.get("x-request-id")?.split(".")[0] ?? "")
    total++
    for (const { count, resolve } of waiting) if (total >= count) resolve()
  }

  async function client(): Promise<void> {
    while (sent < calls && !stopped) {
      const account = seen[sent++ % seen.length]
      if (!account) return
      account.underWay++
      try {
        await call(account)
      } catch (cause) {
        countIn(account.lost, String((cause as { code?: string }).code ?? cause))
        return
      } finally {
        account.underWay--
      }
    }
  }

  return {
    seen,
    processes,
    total: () => total,
    answered: (count) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (total >= count) resolve()
      waiting.push({ count, resolve })
      return promise
    },
    stop() {
      stopped = true
    },
    done: Promise.all(Array.from({ length: clients }, client)).then(() => undefined),
  }
}

export const successes = ({ statuses }: Seen): number => statuses.get(200) ?? 0

function countIn<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
