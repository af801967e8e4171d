import type { RunContext } from "../../src/apis/contract.ts"

const context: RunContext = {
  ports: {
    clock: { now: closed, monotonicMs: closed },
    random: { bytes: closed },
    dns: { resolve: closed, exchange: closed },
    web: { get: closed },
    timer: { turn: closed, after: closed },
  },
  giveWay() {},
  premium: true,
}

/** Runs the code of an isolated API in this thread, without ports. */
export const runIsolated = async <Input, Output>(
  run: (input: Input, context: RunContext) => Output | Promise<Output>,
  input: Input,
  premium = true,
): Promise<Output> => run(input, { ...context, premium })

function closed(): never {
  throw new Error("this port must not be used")
}
