import type { ApiDefinition, Example } from "../../src/apis/contract.ts"
import { isolatedRuns } from "../../src/apis/isolated-runs.ts"
import { compileInput } from "../../src/call/input.ts"
import { portsFor } from "./zone-ports.ts"

/** The data that an API answers an example with, including premium fields. An isolated API runs in this thread. */
export async function runExample(api: ApiDefinition, example: Example, ports = portsFor(example)) {
  const input = compileInput(api.input)({ kind: "typed", values: example.input })
  const { run } = api.isolated ? await isolatedRun(api.id) : api
  return run((await api.isolated?.prepare?.(input)) ?? input, { ports, giveWay() {}, premium: true })
}

async function isolatedRun(id: string): Promise<Pick<ApiDefinition, "run">> {
  const load = isolatedRuns[id]
  if (!load) throw new Error(`isolated-runs.ts lacks '${id}'`)
  return load()
}
