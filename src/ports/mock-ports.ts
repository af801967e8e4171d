import type { Clock, Dns, DnsZone, Web, WebFixture } from "../apis/contract.ts"
import { once } from "../values/once.ts"
import { createZoneDns } from "./dns/zone.ts"
import { encodeTexts } from "./dns/zone-entry.ts"
import { createFixedWeb } from "./web/fixed-web.ts"

/** A clock that can be moved. */
export interface MockClock extends Clock {
  /** Sets the wall clock, also backwards. `monotonicMs` never goes back. */
  set(nowMs: number): void
}

/**
 * Creates a clock at `startMs`, milliseconds since the Unix epoch. It stands still until it is moved.
 * @param elapsedMs the time that runs on its own, if it does; read in whole milliseconds, since the wall clock has no others
 */
export function createMockClock(startMs: number, elapsedMs: () => number = () => 0): MockClock {
  const beganMs = elapsedMs()
  const passedMs = () => Math.floor(elapsedMs() - beganMs)
  let movedMs = 0
  let movedForwardMs = 0
  const now = () => startMs + movedMs + passedMs()
  return {
    now,
    monotonicMs: () => movedForwardMs + passedMs(),
    set(nextMs) {
      const moveMs = nextMs - now()
      movedMs += moveMs
      movedForwardMs += Math.max(0, moveMs)
    },
  }
}

/** A port that answers from a source, which can be replaced while it is used. */
type Replaceable<Port, Source> = Port & {
  readonly source: Source
  /** Answers from this source from now on. Throws an Error that names an invalid entry; the old source then stays. */
  replace(source: Source): void
}

export type MockDns = Replaceable<Dns, DnsZone>
export type MockWeb = Replaceable<Web, WebFixture>

/**
 * Returns a function that creates a port with a first source.
 * @param first opens that source
 * @param toPort makes a port of the present one
 */
function prepare<Port, Source>(
  start: Source,
  { first, open }: { first(): Port; open(source: Source): Port },
  toPort: (present: () => Port) => Port,
): () => Replaceable<Port, Source> {
  return () => {
    let source = start
    let present = first
    return {
      ...toPort(() => present()),
      get source() {
        return source
      },
      replace(next) {
        const opened = open(next)
        present = () => opened
        source = next
      },
    }
  }
}

/**
 * Returns a function that creates a DNS with a first zone, whose entries must be valid. It is read once, at the first question:
 * that takes milliseconds of a start.
 */
export function prepareMockDns(start: DnsZone, base: DnsZone = {}): () => MockDns {
  const open = (zone: DnsZone): Dns => createZoneDns(encodeTexts({ ...base, ...zone }))
  return prepare(start, { first: once(() => open(start)), open }, (present) => ({
    resolve: (name, type, signal) => present().resolve(name, type, signal),
    exchange: (name, type, options, signal) => present().exchange(name, type, options, signal),
  }))
}

/** Reads a first fixture, and returns a function that creates a Web with it. Throws an Error that names an invalid entry. */
export function prepareMockWeb(start: WebFixture): () => MockWeb {
  const web = createFixedWeb(start)
  const parts = { first: () => web, open: createFixedWeb }
  return prepare<Web, WebFixture>(start, parts, (present) => ({ get: (url) => present().get(url) }))
}
