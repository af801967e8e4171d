/**
 * Postfix, in whose client its author's reading of RFC 7672 is: `posttls-finger` looks up the TLSA records of a host as mail
 * servers do.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { danelookup } from "../../src/apis/danelookup/index.ts"
import { once } from "../../src/values/once.ts"
import { testAnchor } from "../../test/support/signed-zones.ts"
import {
  nameIn,
  nsdConfig,
  portsAsking,
  serveZones,
  unboundConfig,
  write,
  zones,
} from "../dnssec-zones/serve.ts"
import { ask, debianVersion, defineOracle, MissingTool, run } from "./oracle.ts"

interface Answer {
  /** `tls`: over TLS alone. Postfix tells only after the handshake whether it authenticates. */
  readonly action: "tls" | "ordinary" | "avoid"
  /** The secure records, sorted. */
  readonly records: readonly string[]
  /** Records with a usage that mail servers do not use, sorted. */
  readonly otherUsages: readonly string[]
}

const hosts = "www mail alias lost missing x.wild wild ns b.ent ".split(" ")
const daneHosts =
  "good both rollover long mixed pkix odd none nohost star shared tounsigned tobogus alias ownalias bothalias outalias outalone badalias all some nomail itself twice badmx aliasmx toexpired missing m1".split(
    " ",
  )
const aliases = "secure plain expired missing nodata loop1 one x.any tree mail.tree mail.bad".split(" ")

const everyHost: readonly string[] = [
  ...new Set([
    ...zones.flatMap((zone) => hosts.map((host) => nameIn(host, zone))),
    ...["dane.test", "dane3.test"].flatMap((zone) => daneHosts.map((host) => nameIn(host, zone))),
    ...aliases.map((label) => `${label}.alias.test`),
  ]),
].filter((name) => name !== ".")

const served = once(() => serveZones(false))

async function ourAnswer(host: string): Promise<Answer> {
  const ports = portsAsking((await served()).port)
  const found = await ask(danelookup, { host, trust_anchor: testAnchor }, ports)
  if (!found) throw new Error(`${host} was refused`)
  const isTls = found.action === "authenticate" || found.action === "encrypt"
  const records = isTls ? found.records : []
  const isUsed = ({ usage }: { usage: number }) => usage === 2 || usage === 3
  return {
    action: isTls ? "tls" : found.action === "avoid" ? "avoid" : "ordinary",
    records: records
      .filter(isUsed)
      .map(({ value }) => value)
      .sort(),
    otherUsages: records
      .filter((one) => !isUsed(one))
      .map(({ value }) => value)
      .sort(),
  }
}

/** In a network of its own, where the resolver has port 53, and where nothing listens on the addresses of the zones. */
async function theirAnswers(names: readonly string[]): Promise<ReadonlyMap<string, Answer>> {
  const dir = mkdtempSync(join(tmpdir(), "dane-oracle-"))
  const config = {
    nsd: write(dir, "nsd.conf", nsdConfig(dir, 5353)),
    unbound: write(dir, "unbound.conf", unboundConfig(53, 5353)),
    resolv: write(dir, "resolv.conf", "nameserver 127.0.0.1\noptions edns0 trust-ad timeout:5 attempts:1\n"),
    hosts: write(dir, "hosts", `${names.join("\n")}\n`),
  }
  write(dir, "main.cf", "compatibility_level = 3.6\nmyhostname = client.test\n")
  const script = `set -e
ip link set lo up
ip addr add 192.0.2.1/24 dev lo
mount --bind ${config.resolv} /etc/resolv.conf
nsd -d -c ${config.nsd} >${dir}/nsd.log 2>&1 & nsd=$!
unbound -d -c ${config.unbound} >${dir}/unbound.log 2>&1 & unbound=$!
sleep 2
while read -r host; do
  echo "@@ $host"
  MAIL_CONFIG=${dir} timeout 20 posttls-finger -c -l dane -L verbose,summary "[$host]" 2>&1 || true
done <${config.hosts}
kill $nsd $unbound
`
  for (const tool of ["nsd", "unbound", "unshare", "ip"])
    if (Bun.which(tool) === null)
      throw new MissingTool(tool, "apt-get install nsd unbound util-linux iproute2")
  const { out, err } = await run(["unshare", "--mount", "--net", "bash", write(dir, "run.sh", script)], "")
  const parts = out.split("@@ ").slice(1)
  if (parts.length !== names.length) throw new Error(`posttls-finger: ${parts.length} answers\n${err}`)
  return new Map(
    parts.map((part) => {
      const [host = "", ...lines] = part.split("\n")
      return [host, readAnswer(lines.join("\n"))]
    }),
  )
}

function readAnswer(text: string): Answer {
  if (/fatal:|panic:/.test(text)) throw new Error(text)
  const valuesOf = (pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, value = ""]) => value))].sort()
  const records = valuesOf(/DNSSEC-signed TLSA record: \S+: (.*)$/gm)
  const otherUsages = valuesOf(/unsupported TLSA certificate usage: (.*)$/gm)
  if (/Destination address lookup failed|TLSA lookup error/.test(text))
    return { action: "avoid", records: [], otherUsages: [] }
  return { action: records.length + otherUsages.length > 0 ? "tls" : "ordinary", records, otherUsages }
}

const inZone = (host: string, zone: string) => host === zone || host.endsWith(`.${zone}`)

export const oracle = defineOracle<string, Answer>({
  api: "danelookup",
  against: "posttls-finger of Postfix, with unbound and nsd",
  cases: 2_000,
  generate: fc.constantFrom(...everyHost),
  fixed: everyHost,
  version: () => debianVersion("postfix"),
  ours: ourAnswer,
  async theirs(tests) {
    const found = await theirAnswers(everyHost)
    return tests.map((host) => {
      const answer = found.get(host)
      if (!answer) throw new Error(`no answer for ${host}`)
      return answer
    })
  },
  known: [
    {
      reason: "a DS record with SHA-1 does not count beside one with SHA-256 (RFC 4509 §3)",
      fits: (host, ours, theirs) =>
        inZone(host, "downgrade.test") && ours.action === "avoid" && theirs.action === "ordinary",
    },
    {
      reason: "RSASHA1 makes a zone insecure (RFC 9905 §2, of 2025)",
      fits: (host, ours, theirs) =>
        inZone(host, "rsasha1.test") && ours.action === "ordinary" && theirs.action === "tls",
    },
  ],
})
