import type { Clock, Dns, DnsZone, Web, WebFixture } from "../apis/contract.ts"
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

/** DNS from a zone that can be replaced while it is used. Its texts are Unicode, as in a file. */
export interface MockDns extends Dns {
  readonly zone: DnsZone
  /** Answers from this zone from now on. Throws what {@link createZoneDns} throws; the old zone then stays. */
  replace(zone: DnsZone): void
}

/**
 * Returns a function that creates a DNS with a first zone, whose entries must be valid. It is read once, at the first question:
 * that takes milliseconds of a start.
 */
export function prepareMockDns(start: DnsZone, base: DnsZone = {}): () => MockDns {
  const open = (zone: DnsZone) => createZoneDns(encodeTexts({ ...base, ...zone }))
  let first: Dns | undefined
  return () => {
    let zone = start
    let replaced: Dns | undefined
    function dns(): Dns {
      first ??= open(start)
      return replaced ?? first
    }
    return {
      get zone() {
        return zone
      },
      resolve: (name, type, signal) => dns().resolve(name, type, signal),
      exchange: (name, type, options, signal) => dns().exchange(name, type, options, signal),
      replace(next) {
        replaced = open(next)
        zone = next
      },
    }
  }
}

/** HTTPS from a fixture that can be replaced while it is used. */
export interface MockWeb extends Web {
  readonly fixture: WebFixture
  /** Answers from this fixture from now on. Throws what {@link createFixedWeb} throws; the old one then stays. */
  replace(fixture: WebFixture): void
}

/** Reads a first fixture, and returns a function that creates a Web with it. Throws an Error that names an invalid entry. */
export function prepareMockWeb(start: WebFixture): () => MockWeb {
  const first = createFixedWeb(start)
  return () => {
    let fixture = start
    let web = first
    return {
      get fixture() {
        return fixture
      },
      get: (url) => web.get(url),
      replace(next) {
        web = createFixedWeb(next)
        fixture = next
      },
    }
  }
}
