import { deflateRawSync, inflateRawSync } from "node:zlib"
import type { FaultEffects } from "./faults.ts"

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

/** A kept request. */
export interface JournalRecord {
  readonly number: number
  /** The length of its JSON. */
  readonly characters: number
  /** The inputs are those that its APIs got, by API, as JSON without secrets; null when they are too long to keep. */
  unpack(): { readonly entry: JournalEntry; readonly inputs: string | null }
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
/** The most characters of all records in all journals of a mock, and of one body. */
const maxCharacters = 64 * 1024 * 1024
export const maxBodyCharacters = 65_536

interface Kept {
  /** Without functions that unpack them: those would take as much as the texts. */
  records: (Omit<JournalRecord, "unpack"> & { readonly packed: string })[]
  characters: number
}

/** The memory that the journals of a mock and its sessions share. The dictionary is the first record. */
export function createJournalRoom() {
  return { characters: 0, journals: new Set<Kept>(), dictionary: undefined as Buffer | undefined }
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
      const text = JSON.stringify({ entry: { number: ++total, ...entry }, inputs })
      room.dictionary ??= Buffer.from(text)
      room.journals.add(own)
      own.records.push({ number: total, characters: text.length, packed: pack(text, room.dictionary) })
      grow(own, text.length)
      if (own.records.length > maxEntries) dropOldest(own)
      while (room.characters > maxCharacters)
        dropOldest(
          [...room.journals].reduce((one, other) => (other.characters > one.characters ? other : one)),
        )
    },
    /** Also gives the room back. */
    clear() {
      grow(own, -own.characters)
      room.journals.delete(own)
      own.records = []
      total = 0
    },
    /** The kept records, oldest first, and how many were dropped. */
    records() {
      const records = own.records.map((one) => ({ ...one, unpack: () => read(one.packed, room.dictionary) }))
      return { records, dropped: total - records.length }
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

/** Records are much alike: with another one as dictionary, zlib makes a tenth of one. A string is smaller than a buffer. */
const pack = (text: string, dictionary: Buffer) =>
  deflateRawSync(text, { level: 1, windowBits: 12, memLevel: 4, dictionary }).toString("latin1")

const read = (packed: string, dictionary: Buffer | undefined): ReturnType<JournalRecord["unpack"]> =>
  JSON.parse(inflateRawSync(Buffer.from(packed, "latin1"), { dictionary }).toString())
