/**
 * A service whose HTTPS goes to a port of this machine: `bun hostile-web-service.ts DATA-FILE PORT CA-FILE`. Every name `MODE.…`
 * has the records that mtastsvalidator, bimivalidator and mailaudit ask for. Names that begin with `private` have an address that
 * must not be called.
 */
import { readFileSync } from "node:fs"
import type { Dns, DnsType } from "../../src/apis/contract.ts"
import { livePorts } from "../../src/app/live-ports.ts"
import { startService } from "../../src/app/service.ts"
import { loadConfig } from "../../src/config/load.ts"
import { createHttpsClient } from "../../src/ports/web/https-client.ts"

const [db = "", port = "", caFile = ""] = process.argv.slice(2)
const config = loadConfig({ flags: { port: "0", db }, env: {}, file: null })

function textsOf(name: string): readonly string[] {
  if (name.startsWith("_mta-sts.")) return ["v=STSv1; id=1"]
  const domain = name.replace(/^default\._bimi\./, "")
  if (domain !== name) return [`v=BIMI1; l=https://${domain}/logo.svg; a=https://${domain}/mark.pem`]
  if (name.startsWith("_dmarc.")) return ["v=DMARC1; p=reject"]
  return name.startsWith("_") ? [] : ["v=spf1 -all"]
}

function recordsOf(name: string, type: DnsType): readonly unknown[] {
  // A reserved address stands for one that the whole internet reaches: the port calls this machine in its place.
  if (type === "A") return [name.includes("private") ? "10.0.0.1" : "127.0.0.1"]
  if (type === "MX") return [{ preference: 1, exchange: `mail.${name}` }]
  return type === "TXT" ? textsOf(name) : []
}

const resolve = async (name: string, type: DnsType) => {
  const records = recordsOf(name, type)
  return records.length === 0 ? { kind: "nodata" } : { kind: "records", records, messageBytes: 100 }
}
const exchange: Dns["exchange"] = async () => ({ kind: "failure", reason: "refused" })

const ports = livePorts(config)
const dns: Dns = {
  // The records above are those of the type that is asked for.
  resolve: resolve as Dns["resolve"],
  exchange,
}
const web = createHttpsClient({
  dns,
  timer: ports.timer,
  forTests: {
    port: Number(port),
    allows: (address) => address === "127.0.0.1",
    ca: readFileSync(caFile, "utf8"),
  },
})
const service = await startService(config, {
  ports: { ...ports, dns, web },
  logOutput: { write() {}, flush() {}, close: async () => {}, dropped: () => 0 },
})
process.stdout.write(`${JSON.stringify({ event: "listening", url: service.server.url })}\n`)
