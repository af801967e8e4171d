import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseAllDocuments } from "yaml"
import { type DnsZone, InputRejected } from "../../../src/apis/contract.ts"
import { maxAskingMs } from "../../../src/apis/isolated-runs.ts"
import { createRun } from "../../../src/apis/messageauth/run.ts"
import { checkSender } from "../../../src/apis/spfvalidator/check-host.ts"
import { portsFor } from "../../../test/support/zone-ports.ts"
import type { Suite, SuiteResult } from "../suite.ts"

interface Scenario {
  readonly tests: Readonly<Record<string, { readonly message: string; readonly cv?: string | null }>>
  readonly "txt-records"?: Readonly<Record<string, string>>
}

/** Why tests have another result. */
const known: Readonly<Record<string, string>> = {
  ams_fields_c_na:
    "a signature without `c=` is simple/simple (RFC 8617 §4.1.2, RFC 6376 §3.5); that of the suite is made as relaxed",
  ams_fields_h_empty:
    "a signature that covers no field, From neither: RFC 6376 §3.5 and §5.4 forbid it, and the suite takes it",
}

const run = createRun(checkSender, maxAskingMs)

/** Tests of the validation of ARC chains, by ValiMail. Keys and messages are of 2017. */
const arc: Suite = {
  api: "messageauth, ARC",
  name: "arc_test_suite",
  get: "git clone https://github.com/ValiMail/arc_test_suite",
  async run(folder) {
    const text = readFileSync(join(folder, "tests", "arc-draft-validation-tests.yml"), "utf8")
    const results: SuiteResult[] = []
    for (const document of parseAllDocuments(text)) {
      const scenario = document.toJS() as Scenario | null
      for (const [test, { message, cv }] of Object.entries(scenario?.tests ?? {})) {
        // A test without an expected status takes any.
        const wanted = cv?.toLowerCase()
        const status = await statusOf(message, scenario?.["txt-records"] ?? {})
        const isRight = !wanted || status === wanted
        results.push({ test: `${test} is ${status} instead of ${wanted}`, isRight, reason: known[test] })
      }
    }
    return results
  },
}

export const suites: readonly Suite[] = [arc]

async function statusOf(message: string, records: Readonly<Record<string, string>>): Promise<string> {
  const dns: DnsZone = Object.fromEntries(Object.entries(records).map(([name, TXT]) => [name, [{ TXT }]]))
  const context = { ports: portsFor({ given: { dns } }), giveWay: () => undefined, premium: false }
  try {
    const { results } = await run({ message }, context)
    return results.find(({ method }) => method === "arc")?.result ?? "none"
  } catch (error) {
    // Text that is no message has no chain.
    if (error instanceof InputRejected) return "none"
    throw error
  }
}
