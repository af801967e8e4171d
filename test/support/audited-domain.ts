/** A domain with all that an audit looks for and that needs no signatures. */
import type { mailaudit } from "../../src/apis/catalog.ts"
import { auditGiven } from "../../src/apis/mailaudit/example-domains.ts"
import type { audit, Zone } from "./audits.ts"

export type Input = Parameters<typeof mailaudit.run>[0]

export const key = auditGiven.dns["s1._domainkey.all.dane.test"]
export const policyUrl = "https://mta-sts.firm.example/.well-known/mta-sts.txt"
export const policy = (mode: string, host = "mx.firm.example") => ({
  [policyUrl]: { body: `version: STSv1\nmode: ${mode}\nmx: ${host}\nmax_age: 604800\n` },
})

/** A domain with all that needs no signatures. */
export const kept: Zone = {
  "firm.example": [
    { MX: [10, "mx.firm.example"] },
    { TXT: "v=spf1 mx -all" },
    { CAA: '0 issue "ca.example"' },
  ],
  "mx.firm.example": [{ A: "198.51.100.25" }],
  "25.100.51.198.in-addr.arpa": [{ PTR: "mx.firm.example" }],
  "s1._domainkey.firm.example": key ?? [],
  "_dmarc.firm.example": [{ TXT: "v=DMARC1; p=reject; rua=mailto:d@firm.example" }],
  "_mta-sts.firm.example": [{ TXT: "v=STSv1; id=1" }],
  "_smtp._tls.firm.example": [{ TXT: "v=TLSRPTv1; rua=mailto:t@firm.example" }],
}
export const without = (...names: readonly string[]): Zone =>
  Object.fromEntries(Object.entries(kept).filter(([name]) => !names.includes(name)))

/** The checks of an answer by their status. */
export const idsWith = (answer: Awaited<ReturnType<typeof audit>>, ...found: readonly string[]) =>
  answer.checks.filter(({ status }) => found.includes(status)).map(({ id }) => id)
