/** What clients saw of one account. */
export interface Seen {
  readonly key: string
  /** Answers by status. */
  readonly statuses: Map<number, number>
  /** Calls whose answer never came. */
  lost: number
}

export interface Load {
  readonly seen: readonly Seen[]
  /** Resolves once that many calls have been answered, in all. */
  answered(count: number): Promise<void>
  /** Resolves when every client has stopped: at its last call, or when the server was gone. */
  readonly done: Promise<void>
}

const path = "/v1/bluetoothlookup?companyid=76"

/** Sends `calls` calls from `clients` clients side by side, over the accounts in turn. */
export function startLoad(url: string, keys: readonly string[], clients: number, calls: number): Load {
  const seen = keys.map((key): Seen => ({ key, statuses: new Map(), lost: 0 }))
  const waiting: { count: number; resolve: () => void }[] = []
  let sent = 0
  let total = 0

  async function client(): Promise<void> {
    while (sent < calls) {
      const account = seen[sent++ % seen.length]
      if (!account) return
      try {
        const answer = await fetch(url + path, { headers: { "x-api-key": account.key } })
        await answer.arrayBuffer()
        account.statuses.set(answer.status, (account.statuses.get(answer.status) ?? 0) + 1)
        total++
        for (const { count, resolve } of waiting) if (total >= count) resolve()
      } catch {
        account.lost++
        return
      }
    }
  }

  return {
    seen,
    answered: (count) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      return promise
    },
    done: Promise.all(Array.from({ length: clients }, client)).then(() => undefined),
  }
}

export function successes({ statuses }: Seen): number {
  return statuses.get(200) ?? 0
}
