/** Tables of records that mox, a mail server in Go, takes or refuses. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dkimvalidator } from "../../src/apis/dkimvalidator/index.ts"
import { dmarcvalidator } from "../../src/apis/dmarcvalidator/index.ts"
import { readId, readPolicy } from "../../src/apis/mail/mta-sts-policy.ts"
import { isRecordOf } from "../../src/apis/mail/text-records.ts"
import { parseRecord } from "../../src/apis/spfvalidator/parse.ts"
import { isSpf } from "../../src/apis/spfvalidator/session.ts"
import { tlsrptvalidator } from "../../src/apis/tlsrptvalidator/index.ts"
import { isValid } from "../../src/values/problems.ts"
import { portsFor } from "../../test/support/zone-ports.ts"
import type { Result, Suite } from "./oracle.ts"

/** The rows of a table in a test of Go: calls of `good`, `valid`, `bad` and `test` with a text. */
function rowsOf(file: string, from: string): readonly { readonly text: string; readonly isGood: boolean }[] {
  const source = readFileSync(file, "utf8").split(`func ${from}(`)[1]?.split("\nfunc ")[0] ?? ""
  const calls = source.matchAll(/^\t(good|valid|bad|test)\((?:("(?:[^"\\]|\\.)*")|`([^`]*)`)(, nil[),])?/gm)
  return [...calls].map(([, call, quoted, raw = "", none]) => ({
    text: quoted === undefined ? raw : (JSON.parse(quoted.replaceAll("\t", "\\t")) as string),
    isGood: call !== "bad" && none === undefined,
  }))
}

const context = (name: string, TXT: string) => ({
  ports: portsFor({ given: { dns: { [name]: [{ TXT }] } } }),
  giveWay: () => undefined,
  premium: false,
})

interface Table {
  readonly api: string
  readonly file: string
  readonly function: string
  /** Whether a text is taken, as the suite means it. */
  readonly isTaken: (text: string, isGood: boolean) => Promise<boolean> | boolean
  /** Why rows have another result. */
  readonly known?: readonly (readonly [text: RegExp, reason: string])[]
}

const tables: readonly Table[] = [
  {
    api: "dkimvalidator",
    file: "dkim/txt_test.go",
    function: "TestParseRecord",
    async isTaken(text) {
      const ports = context("s._domainkey.a.example", text)
      const { problems } = await dkimvalidator.run({ domain: "a.example", selector: "s" }, ports)
      return problems.every(({ code, severity }) => severity !== "error" || code === "revoked")
    },
    known: [
      [
        /^v=DKIM1; p=; $/,
        "a blank after the last semicolon, which RFC 6376 §3.2 does not have, changes nothing",
      ],
      [/k=unknown; p=$/, "RFC 6376 §3.6.1: an empty key was revoked, of whatever kind it is"],
      [/SHA256/, "RFC 6376 §3.2: values are case-sensitive, so that no hash with this name is allowed"],
    ],
  },
  {
    api: "dmarcvalidator",
    file: "dmarc/parse_test.go",
    function: "TestParse",
    async isTaken(text, isGood) {
      const { policy, is_valid } = await dmarcvalidator.run(
        { domain: "a.example" },
        context("_dmarc.a.example", text),
      )
      // A record with a mistake may have a policy that counts, and it is not valid nevertheless.
      return isGood ? policy !== null : is_valid
    },
    known: [
      [/^v=DMARC1; sp=reject; p=reject$/, "RFC 9989 §4.8 has p in any place; RFC 7489 wanted it second"],
      [/!9{20}/, "RFC 7489 §6.4 has any number of digits in a size, which receivers ignore"],
    ],
  },
  {
    api: "spfvalidator",
    file: "spf/parse_test.go",
    function: "TestParse",
    isTaken: (text) => isSpf(text) && parseRecord(text).problems.length === 0,
    known: [
      [/ a:x /, "RFC 7208 §7.1: a domain-spec ends in a dot and a top label, so that `x` alone is an error"],
    ],
  },
  {
    api: "mtastsvalidator, records",
    file: "mtasts/parse_test.go",
    function: "TestRecord",
    isTaken(text) {
      const read = isRecordOf("mtaSts", text) ? readId(text) : null
      return read !== null && read.id !== null && isValid(read.problems)
    },
  },
  {
    api: "mtastsvalidator, policies",
    file: "mtasts/parse_test.go",
    function: "TestParsePolicy",
    isTaken: (text) => isValid(readPolicy(text).problems),
  },
  {
    api: "tlsrptvalidator",
    file: "tlsrpt/parse_test.go",
    function: "TestRecord",
    async isTaken(text) {
      const answer = await tlsrptvalidator.run({ domain: "a.example" }, context("_smtp._tls.a.example", text))
      return answer.is_valid
    },
    known: [[/^v=TLSRPTv1 ;/, "RFC 8460 §3: records that do not begin with `v=TLSRPTv1;` are discarded"]],
  },
]

export const suites: readonly Suite[] = tables.map((table) => ({
  api: table.api,
  name: "mox",
  get: "git clone https://github.com/mjl-/mox",
  async run(folder) {
    const results: Result[] = []
    for (const { text, isGood } of rowsOf(join(folder, table.file), table.function)) {
      const isRight = (await table.isTaken(text, isGood)) === isGood
      results.push({ test: text, isRight, reason: table.known?.find(([form]) => form.test(text))?.[1] })
    }
    return results
  },
}))
