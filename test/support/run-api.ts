import type { Static, TObject } from "@sinclair/typebox"
import type { ApiDefinition, Dns, DnsZone, Ports } from "../../src/apis/contract.ts"
import { portsFor } from "./zone-ports.ts"

/** Runs an API that answers without waiting and uses no port other than the given ones. */
export function runApi<Input extends TObject, Output extends TObject>(
  api: ApiDefinition<Input, Output>,
  input: Static<Input>,
  ports: Partial<Ports> = {},
): Static<Output> {
  const answer = api.run(input, { ports: { ...closedPorts, ...ports }, giveWay() {}, premium: true })
  if (answer instanceof Promise) throw new Error(`${api.id} did not answer at once`)
  return answer
}

interface Given {
  /** The records of the DNS, or the DNS itself. Nothing by default. */
  readonly dns?: DnsZone | Dns
  readonly premium?: boolean
}

/** Runs an API that may ask the DNS. The answer comes with the codes of its problems, in their order. */
export async function askApi<Input extends TObject, Output extends TObject>(
  api: ApiDefinition<Input, Output>,
  input: Static<Input>,
  { dns = {}, premium = true }: Given = {},
): Promise<Static<Output> & { readonly codes: string[] }> {
  const ports = isDns(dns) ? { ...portsFor({}), dns } : portsFor({ given: { dns } })
  const answer = await api.run(input, { ports, giveWay: () => undefined, premium })
  const problems = answer.problems as readonly { readonly code: string }[]
  return { ...answer, codes: problems.map(({ code }) => code) }
}

function isDns(dns: DnsZone | Dns): dns is Dns {
  return typeof dns.resolve === "function"
}

function closed(): never {
  throw new Error("this port must not be used")
}

const closedPorts: Ports = {
  clock: { now: closed, monotonicMs: closed },
  random: { bytes: closed },
  dns: { resolve: closed, exchange: closed },
  web: { get: closed },
  timer: { turn: closed, after: closed },
}
