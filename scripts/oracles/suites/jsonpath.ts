import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { InputRejected } from "../../../src/apis/contract.ts"
import { run } from "../../../src/apis/jsonpath/run.ts"
import { runIsolated } from "../../../test/support/run-isolated.ts"
import type { Suite } from "../suite.ts"

interface Query {
  readonly id: string
  readonly selector: string
  readonly document: unknown
  /** The answer of most implementations; absent where they differ. */
  readonly consensus?: unknown
  /** False where the order of the values is open. */
  readonly ordered?: boolean
}

async function answerTo({ document, selector }: Query): Promise<unknown> {
  try {
    return (await runIsolated(run, { document, path: selector })).values
  } catch (error) {
    if (error instanceof InputRejected) return "NOT_SUPPORTED"
    throw error
  }
}

/** -0 and 0 are equal numbers. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const sorted = (values: unknown) =>
  Array.isArray(values) ? values.map((one) => JSON.stringify(one)).toSorted() : values

const comparison: Suite = {
  api: "jsonpath",
  name: "json-path-comparison",
  get: "git clone https://github.com/cburgmer/json-path-comparison",
  async run(folder) {
    const text = readFileSync(join(folder, "regression_suite/regression_suite.yaml"), "utf8")
    const { queries }: { queries: readonly Query[] } = parse(text)
    return Promise.all(
      queries
        .filter(({ consensus }) => consensus !== undefined)
        .map(async (query) => {
          const got = await answerTo(query)
          const { id, selector, consensus, ordered } = query
          const isRight =
            Bun.deepEquals(plain(got), plain(consensus)) ||
            (ordered === false && Bun.deepEquals(sorted(got), sorted(consensus)))
          const test = `${id} ${selector}: ${JSON.stringify(got)}, and not ${JSON.stringify(consensus)}`
          return { test, isRight, reason: got === "NOT_SUPPORTED" ? olderSyntax : undefined }
        }),
    )
  },
}

const olderSyntax =
  "a name after a dot has letters, digits and _, and does not begin with a digit (RFC 9535, 2.5.1.1); older implementations take others"

export const suites = [comparison]
