import type { Dns, DnsAnswer, DnsType, DnsZone, Ports, RunContext } from "../../src/apis/contract.ts"
import type { SpfInput, SpfReport } from "../../src/apis/spfvalidator/schema.ts"
import { validate } from "../../src/apis/spfvalidator/validate.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { webOff } from "../../src/ports/web/fixed-web.ts"
import { createManualClock } from "../support/clock.ts"
import { noExchange } from "../support/dns.ts"

/** Ports with this DNS and a fixed time. */
export function portsWith(dns: Dns): Ports {
  return { clock: createManualClock(), random: systemRandom, dns, web: webOff, timer: systemTimer }
}

/** The same for a run with nothing beside it. */
export const contextWith = (dns: Dns): RunContext => ({ ports: portsWith(dns), giveWay() {}, premium: true })

/** Validates against a zone or another DNS. */
export function validateIn(zone: DnsZone | Dns, input: SpfInput, signal?: AbortSignal): Promise<SpfReport> {
  const dns = isDns(zone) ? zone : createZoneDns(zone)
  return validate(input, contextWith(dns), signal ?? new AbortController().signal)
}

/** A zone whose names have nothing but an SPF record. */
export const records = (texts: Readonly<Record<string, string>>): DnsZone =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, [{ TXT: text }]]))

/** Records every question as "TYPE name". */
export function recording(dns: Dns): Dns & { readonly questions: string[] } {
  const questions: string[] = []
  return {
    questions,
    resolve(name, type, signal) {
      questions.push(`${type} ${name}`)
      return dns.resolve(name, type, signal)
    },
    exchange: noExchange,
  }
}

/** Answers any question by a function of name and type. */
export function answering(answer: (name: string, type: DnsType) => DnsAnswer): Dns {
  return { resolve: async (name, type) => answer(name, type) as never, exchange: noExchange }
}

/** A TXT answer. */
export const txt = (...texts: string[]): DnsAnswer => ({ kind: "records", records: texts, messageBytes: 0 })

function isDns(value: DnsZone | Dns): value is Dns {
  return typeof value.resolve === "function"
}

/**
 * Holds every answer back until all that can be asked has been asked, then sends them all: one round after the other. `rounds`
 * has the questions of each.
 */
export function inRounds(dns: Dns): Dns & { readonly rounds: string[][] } {
  const rounds: string[][] = []
  let release: Promise<void> | null = null
  return {
    rounds,
    async resolve(name, type, signal) {
      if (release === null) {
        rounds.push([])
        // The next turn of the event loop comes when everything else is done.
        release = new Promise((resolve) => {
          setImmediate(() => {
            release = null
            resolve()
          })
        })
      }
      rounds.at(-1)?.push(`${type} ${name}`)
      await release
      return dns.resolve(name, type, signal)
    },
    exchange: noExchange,
  }
}
