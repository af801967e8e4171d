/** One request and its answer. Keys are shown as {@link shownKey} shows them. */
export interface JournalEntry {
  /** 1, 2, … since the start or the last reset; what was dropped keeps its number. */
  readonly number: number
  /** The mock's clock when it came. */
  readonly at: string
  readonly method: string
  /** With the query string. */
  readonly path: string
  /** APIs it called; none for usage and other paths. */
  readonly apis: readonly string[]
  readonly key: string | null
  /** What a fault did to it; null without one. */
  readonly fault: {
    readonly status?: number
    readonly delay_ms?: number
    readonly reset?: true
    readonly malformed?: true
  } | null
  readonly request: Message
  /** Null when the connection was reset. */
  readonly response: (Message & { readonly status: number }) | null
}

export interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether the body was longer than the journal keeps. */
  readonly cut: boolean
}

export interface JournalFilter {
  readonly api?: string
  readonly status?: number
  readonly key?: string
}

export interface Journal {
  add(entry: Omit<JournalEntry, "number">): void
  clear(): void
  /** What is kept and matches, oldest first; how many came in all; how many of those are no longer kept. */
  read(filter: JournalFilter): {
    readonly requests: readonly JournalEntry[]
    readonly total: number
    readonly dropped: number
  }
}

/** Requests that are kept; the oldest go first. */
export const maxEntries = 10_000
/** Characters of all bodies together. */
const maxCharacters = 64 * 1024 * 1024
/** Characters of one body. */
export const maxBodyCharacters = 65_536

export function createJournal(): Journal {
  let entries: JournalEntry[] = []
  let total = 0
  let characters = 0

  return {
    add(entry) {
      entries.push({ number: ++total, ...entry })
      characters += sizeOf(entry)
      while (entries.length > maxEntries || characters > maxCharacters) {
        const oldest = entries.shift()
        if (!oldest) break
        characters -= sizeOf(oldest)
      }
    },
    clear() {
      entries = []
      total = 0
      characters = 0
    },
    read({ api, status, key }) {
      const requests = entries.filter(
        (entry) =>
          (api === undefined || entry.apis.includes(api)) &&
          (status === undefined || entry.response?.status === status) &&
          (key === undefined || entry.key === shownKey(key)),
      )
      return { requests, total, dropped: total - entries.length }
    },
  }
}

/** A body as the journal keeps it. */
export function toMessage(headers: Readonly<Record<string, string>>, body: string): Message {
  const cut = body.length > maxBodyCharacters
  return { headers, body: cut ? body.slice(0, maxBodyCharacters) : body, cut }
}

/** The mock's own keys as they are. Of any other key, which may be a real one sent here by mistake, the start alone. */
export function shownKey(key: string): string {
  return key.startsWith("mock-") || key.length <= 9 ? key : `${key.slice(0, 9)}…`
}

function sizeOf({ request, response }: Omit<JournalEntry, "number">): number {
  return request.body.length + (response?.body.length ?? 0)
}
