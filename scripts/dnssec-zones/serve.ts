/** Serves test/data/dnssec by nsd, and validates it by unbound and delv, for the comparison of dnssecvalidator with them. */
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import fc from "fast-check"
import type { DnsType } from "../../src/apis/contract.ts"
import { dnssecvalidator } from "../../src/apis/dnssecvalidator/index.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { typeNameOf, typeNumberOf } from "../../src/ports/dns/record-types.ts"
import { createResolver } from "../../src/ports/dns/resolver.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { webOff } from "../../src/ports/web/fixed-web.ts"
import { noExchange } from "../../test/support/dns.ts"
import { freePort } from "../../test/support/free-port.ts"
import { testAnchor } from "../../test/support/signed-zones.ts"
import { ask, type Judgement, MissingTool } from "../oracles/oracle.ts"

const folder = resolve(import.meta.dir, "../../test/data/dnssec")
const files = readdirSync(folder).filter((file) => file.endsWith(".zone"))
/** The names of all zones. */
export const zones = files.map((file) => (file === "root.zone" ? "." : file.slice(0, -".zone".length)))

/** One question. */
export interface Case {
  readonly name: string
  readonly type: string
}

/** A validator's result for it. */
export interface Verdict {
  readonly status: "secure" | "insecure" | "bogus" | "indeterminate"
  /** Null when the status is bogus: the others do not say. */
  readonly result: "records" | "nodata" | "nxdomain" | null
}

/** The result of dnssecvalidator when it asks the server on a port of loopback. */
export async function ourVerdict({ name, type }: Case, port: number): Promise<Verdict> {
  const report = await ask(dnssecvalidator, { name, type, trust_anchor: testAnchor }, portsAsking(port))
  if (!report) throw new Error(`${name} ${type} was refused`)
  const { status, result } = report
  return { status, result: status === "bogus" ? null : result }
}

/** The type with this name. */
export const toDnsType = (name: string): DnsType => typeNameOf(typeNumberOf(name) ?? 0)

const inZone = ({ name }: Case, zone: string) => name === zone || name.endsWith(`.${zone}`)

/** Why the validators differ. */
export const differences: readonly Judgement<Case, Verdict>[] = [
  {
    reason: "RSASHA1 makes a zone insecure (RFC 9905 §2, of 2025)",
    fits: (test, ours, theirs) =>
      inZone(test, "rsasha1.test") && ours.status === "insecure" && theirs.status === "secure",
  },
  {
    reason: "a DS record with SHA-1 does not count beside one with SHA-256 (RFC 4509 §3)",
    fits: (test, ours, theirs) =>
      inZone(test, "downgrade.test") && ours.status === "bogus" && theirs.status === "secure",
  },
  {
    reason: "a CNAME that a DNAME makes needs no signature of its own (RFC 6672 §5.3.1)",
    fits: ({ name, type }, ours, theirs) =>
      /\.(?:tree|bad)\.alias\.test$/.test(name) &&
      type === "CNAME" &&
      ours.status === "secure" &&
      theirs.status === "bogus",
  },
  {
    reason: "aliases in a circle are signed, but lead nowhere: indeterminate",
    fits: (test, ours, theirs) =>
      /^loop1\./.test(test.name) && ours.status === "indeterminate" && theirs.result !== "nodata",
  },
]

const labels =
  " www mail missing a.b.c x.wild x.y.wild wild alias lost b.ent a.b.ent c.ent _25._tcp.mail _tcp.mail ns zzz plain child deep".split(
    " ",
  )
/** Names in the zone that has all kinds of aliases. */
const aliases =
  "secure plain expired missing nodata loop1 one x.any tree www.tree missing.tree x.wild.tree www.bad mail.bad".split(
    " ",
  )
const types = ["A", "AAAA", "MX", "TXT", "TLSA", "SOA", "NS", "DS", "DNSKEY", "CNAME", "CAA"]

/** Questions for each zone that show what is special about it. */
export const fixedCases: readonly Case[] = [
  ...zones.flatMap((zone) =>
    "www A,www MX,missing A,a.b.c A,x.wild TXT,x.wild A,alias A,b.ent A, SOA, DS, DNSKEY,_25._tcp.mail TLSA"
      .split(",")
      .map((question) => question.split(" "))
      .map(([label = "", type = ""]) => ({ name: nameIn(label, zone), type })),
  ),
  ...aliases.flatMap((label) => ["A", "TXT"].map((type) => ({ name: `${label}.alias.test`, type }))),
]

/** Questions by chance. */
export const anyCase: fc.Arbitrary<Case> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      name: fc
        .tuple(fc.constantFrom(...labels), fc.constantFrom(...zones))
        .map(([label, zone]) => nameIn(label, zone)),
      type: fc.constantFrom(...types),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      name: fc.constantFrom(...aliases).map((label) => `${label}.alias.test`),
      type: fc.constantFrom(...types),
    }),
  },
)

/** A name in a zone; `.` for the root. */
export function nameIn(label: string, zone: string): string {
  const name = [label, zone].filter((part) => part !== "" && part !== ".").join(".")
  return name === "" ? "." : name
}

/**
 * Starts nsd with all zones, and unbound in front of it if it is wanted. They end with this process.
 * @throws MissingTool
 */
export async function serveZones(withUnbound: boolean) {
  const dir = mkdtempSync(join(tmpdir(), "dnssec-oracle-"))
  const port = freePort()
  start(["nsd", "-d", "-c", write(dir, "nsd.conf", nsdConfig(dir, port))], "nsd")
  const resolverPort = withUnbound ? freePort() : port
  if (withUnbound)
    start(["unbound", "-d", "-c", write(dir, "unbound.conf", unboundConfig(resolverPort, port))], "unbound")
  await answering(resolverPort)
  return { port, resolverPort }
}

const machine = { clock: systemClock, random: systemRandom, timer: systemTimer }

/** A stub of the server on a port of loopback. */
export const stubOf = (port: number) =>
  createResolver({ ...machine, servers: [{ host: "127.0.0.1", port, family: 4 }] })

/** The ports of an API that exchanges with that server alone. */
export function portsAsking(port: number) {
  return { ...machine, dns: { resolve: noExchange, exchange: stubOf(port).exchange }, web: webOff }
}

function start(command: string[], debianPackage: string) {
  if (Bun.which(command[0] ?? "") === null)
    throw new MissingTool(debianPackage, `apt-get install ${debianPackage}`)
  const child = Bun.spawn(command, { stdout: "ignore", stderr: "ignore" })
  // The comparison ends without it.
  child.unref()
  process.on("exit", () => child.kill())
}

async function answering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    if ((await stubOf(port).exchange("test", "SOA")).kind === "reply") return
    await Bun.sleep(100)
  }
  throw new Error("the servers do not answer")
}

/** Writes a file and returns its path. */
export function write(dir: string, name: string, text: string): string {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}

/** The configuration of nsd with all zones. */
export function nsdConfig(dir: string, port: number): string {
  const entries = files.map((file, index) => `zone:\n  name: "${zones[index]}"\n  zonefile: "${file}"\n`)
  return `server:
  ip-address: 127.0.0.1@${port}
  username: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: ""
  zonelistfile: "${dir}/zone.list"
  xfrdfile: "${dir}/xfrd.state"
  xfrdir: "${dir}"
  server-count: 1
  rrl-ratelimit: 0
remote-control:
  control-enable: no
${entries.join("")}`
}

/** The configuration of unbound in front of nsd. */
export const unboundConfig = (port: number, nsdPort: number): string => `server:
  interface: 127.0.0.1@${port}
  username: ""
  chroot: ""
  pidfile: ""
  do-daemonize: no
  do-ip6: no
  do-not-query-localhost: no
  qname-minimisation: no
  local-zone: "test." nodefault
  trust-anchor: ". DS ${testAnchor}"
remote-control:
  control-enable: no
forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${nsdPort}
`
