import type { Static, TObject } from "@sinclair/typebox"
import type { ApiDefinition, Ports } from "../../src/apis/contract.ts"

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
