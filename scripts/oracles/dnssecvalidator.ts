import { once } from "../../src/values/once.ts"
import {
  anyCase,
  type Case,
  differences,
  fixedCases,
  ourVerdict,
  serveZones,
  stubOf,
  toDnsType,
  type Verdict,
} from "../dnssec-zones/serve.ts"
import { answersTo, debianVersion, defineOracle } from "./oracle.ts"

const served = once(() => serveZones(true))

/** unbound says by AD that a reply is secure, and by SERVFAIL that it is bogus. */
async function theirVerdict({ name, type }: Case): Promise<Verdict> {
  const reply = await stubOf((await served()).resolverPort).exchange(name, toDnsType(type))
  if (reply.kind === "failure") return { status: "bogus", result: null }
  const result =
    reply.rcode === "NXDOMAIN"
      ? "nxdomain"
      : reply.answer.some((one) => one.type === type)
        ? "records"
        : "nodata"
  return { status: reply.authenticated ? "secure" : "insecure", result }
}

export const oracle = defineOracle<Case, Verdict>({
  api: "dnssecvalidator",
  against: "unbound",
  cases: 2_000,
  generate: anyCase,
  fixed: fixedCases,
  version: () => debianVersion("unbound"),
  ours: async (test) => ourVerdict(test, (await served()).port),
  async theirs(tests) {
    return answersTo(tests, theirVerdict, 1)
  },
  known: differences,
})
