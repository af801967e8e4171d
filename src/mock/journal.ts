import type { FaultEffects } from "./faults.ts"
import { keyMatches } from "./keys.ts"

/** One request and its answer. */
export interface JournalEntry {
  /** 1, 2, … since the start or the last reset; dropped entries keep theirs. */
  readonly number: number
  /** Time of the mock's clock, ISO 8601. */
  readonly at: string
  readonly method: string
  /** With the query string. */
  readonly path: string
  readonly apis: readonly string[]
  /** The request's key, in the form of {@link shownKey}. */
  readonly key: string | null
  /** The fault that the request got; null without one. */
  readonly fault: FaultEffects | null
  readonly request: Message
  /** Null when the connection was reset. */
  readonly response: (Message & { readonly status: number }) | null
}

/** A request with what its reader does not see. */
export interface JournalRecord {
  readonly entry: JournalEntry
  /** The inputs that its APIs got, by API, as JSON without secrets; null when they are too long to keep. */
  readonly inputs: string | null
}

interface Message {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether the body was longer than the journal keeps. */
  readonly cut: boolean
}

export type Journal = ReturnType<typeof createJournal>

/** The most entries that are kept; the oldest are dropped first. */
export const maxEntries = 10_000
/** The most characters of all requests in all journals of a mock, and of one body. */
const maxCharacters = 64 * 1024 * 1024
export const maxBodyCharacters = 65_536

interface Kept {
  records: (JournalRecord & { readonly characters: number })[]
  characters: number
}

/** The memory that the journals of a mock and its sessions share. */
export function createJournalRoom() {
  return { characters: 0, journals: new Set<Kept>() }
}

/** Creates an empty journal. Without room, the journal that takes the most of it drops its oldest records. */
export function createJournal(room = createJournalRoom()) {
  const own: Kept = { records: [], characters: 0 }
  let total = 0

  function grow(kept: Kept, characters: number): void {
    kept.characters += characters
    room.characters += characters
  }

  const dropOldest = (kept: Kept) => grow(kept, -(kept.records.shift()?.characters ?? 0))

  return {
    add(entry: Omit<JournalEntry, "number">, inputs: string | null) {
      const record = { entry: { number: ++total, ...entry }, inputs, characters: sizeOf(entry, inputs) }
      room.journals.add(own)
      own.records.push(record)
      grow(own, record.characters)
      if (own.records.length > maxEntries) dropOldest(own)
      while (room.characters > maxCharacters) {
        dropOldest(
          [...room.journals].reduce((one, other) => (other.characters > one.characters ? other : one)),
        )
      }
    },
    /** Also gives the room back. */
    clear() {
      grow(own, -own.characters)
      room.journals.delete(own)
      own.records = []
      total = 0
    },
    /** A copy of the kept records, oldest first, and how many were dropped. */
    records: () => ({ records: [...own.records], dropped: total - own.records.length }),
    /** The kept entries that match, oldest first; how many requests came; how many of them were dropped. */
    read({ api, status, key }: { readonly api?: string; readonly status?: number; readonly key?: string }) {
      const entries = own.records.map(({ entry }) => entry)
      const requests = entries.filter(
        (entry) =>
          (api === undefined || entry.apis.includes(api)) &&
          (status === undefined || entry.response?.status === status) &&
          (key === undefined || keyMatches(shownKey(key), entry.key)),
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

/** Shows the mock's keys whole, and only the start of others: they may be real keys, sent here by mistake. */
export function shownKey(key: string): string {
  return key.startsWith("mock-") || key.length <= 9 ? key : `${key.slice(0, 9)}…`
}

function sizeOf({ path, request, response }: Omit<JournalEntry, "number">, inputs: string | null): number {
  const headers = [request, response].flatMap((message) => Object.values(message?.headers ?? {}))
  const texts = [path, request.body, response?.body ?? "", inputs ?? "", ...headers]
  return texts.reduce((sum, { length }) => sum + length, 0)
}
