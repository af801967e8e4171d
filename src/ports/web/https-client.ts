import type { ClientRequest, IncomingMessage } from "node:http"
import type { LookupFunction } from "node:net"
import type { TLSSocket } from "node:tls"
import type { Dns, Timer, Web, WebAnswer, WebFailed, WebFailure } from "../../apis/contract.ts"
import { isPublicDestination, parseDestination } from "../../values/ip.ts"
import { once } from "../../values/once.ts"
import { checkAddresses, type HostAddress, limitReceived } from "../checked-addresses.ts"
import { createFairQueue } from "../dns/fair-queue.ts"
import { domainOf, toWireName } from "../dns/name.ts"

type Trust = ReturnType<typeof import("./server-certificates.ts").createTrust>

/** The longest body that is read. */
const maxBodyBytes = 65_536
/** The most pieces that a body may come in. A few are usual; each takes time, however small it is. */
const maxPieces = 2_000
/** The most bytes of a reply: head, body and the lengths of its pieces. */
const maxReplyBytes = 2 * maxBodyBytes
/** Time for one request, from the question for addresses to the last byte. */
const limitMs = 10_000
/** Bytes of the headers of a reply; the runtime's own limit would depend on its flags. */
const maxHeaderBytes = 16_384
/**
 * Each connection costs about a millisecond for its certificates, in which nothing else runs. A host gets more than one account
 * may open, so that one account keeps no other from it.
 */
const slots = { slots: 32, slotsPerCaller: 4, slotsPerAccount: 8, slotsPerPlace: 12, startsPerTurn: 2 }

interface HttpsClientOptions {
  readonly dns: Pick<Dns, "resolve">
  readonly timer: Timer
  /** For tests: another port than 443, other addresses than public ones, other authorities than the runtime's. */
  readonly forTests?: {
    readonly port: number
    allows(address: string): boolean
    /** PEM certificates. */
    readonly ca?: string
    readonly landmarks?: readonly string[]
  }
}

/**
 * HTTPS to servers that strangers name. Each is called only at addresses that the whole internet can reach, and shows a valid
 * certificate for its name before anything is sent. Trusts the authorities that the runtime carries: `SSL_CERT_FILE` and
 * `NODE_EXTRA_CA_CERTS` of the machine change no verdict. Follows no redirects, and uses no proxies.
 */
export function createHttpsClient({ dns, timer, forTests }: HttpsClientOptions): Web {
  const queue = createFairQueue<WebAnswer>({ ...slots, timer })
  const { port = 443, allows = isPublicDestination, ca, landmarks = rootServers } = forTests ?? {}
  // Loaded with the first request, as is Node's HTTP: both would take a tenth of each start.
  const loadTrust = once(async () => (await import("./server-certificates.ts")).createTrust(ca))

  async function get(target: URL, account: string | undefined): Promise<WebAnswer> {
    const limit = new AbortController()
    const { signal } = limit
    const cancel = timer.after(limitMs, () => limit.abort())
    try {
      const addresses = await addressesOf(target.hostname, signal, account)
      if (addresses === null) return failed(signal.aborted ? "timeout" : "dns")
      const checked = checkAddresses(addresses, allows)
      if (checked.kind === "none") return failed("no-address")
      if (checked.kind === "refused") return failed("private-address")
      const place = { target, port, lookup: checked.lookup, signal, trust: await loadTrust() }
      const answer = await request(place)
      if (signal.aborted) return failed("timeout")
      if (answer.kind === "reply") return answer
      if (/certificate$/.test(answer.reason))
        return { ...answer, certificates: await shownCertificates(place) }
      if (await hasRoute(addresses.map(({ address }) => address))) return answer
      return failed((await hasRoute(landmarks)) ? "no-route" : "offline")
    } finally {
      cancel()
      limit.abort()
    }
  }

  /** Null when the DNS does not answer for either family, and gives nothing for the other. */
  async function addressesOf(host: string, signal: AbortSignal, account: string | undefined) {
    const [four, six] = await Promise.all([
      dns.resolve(host, "A", signal, account),
      dns.resolve(host, "AAAA", signal, account),
    ])
    const addresses: HostAddress[] = [
      ...(four.kind === "records" ? four.records.map((address) => ({ address, family: 4 })) : []),
      ...(six.kind === "records" ? six.records.map((address) => ({ address, family: 6 })) : []),
    ]
    const isUnknown = four.kind === "failure" || six.kind === "failure"
    return addresses.length === 0 && isUnknown ? null : addresses
  }

  return {
    async get(url, signal, account) {
      const target = readUrl(url)
      if (target === null) return failed("url")
      const asked = { key: target.href, place: domainOf(toWireName(target.hostname) ?? "") }
      return (await queue.run(asked, () => get(target, account), signal, account)) ?? failed("aborted")
    },
  }
}

/** Addresses of `a.root-servers.net`, to which every machine on the internet has a route. */
const rootServers = ["198.41.0.4", "2001:503:ba3e::2:30"]

/**
 * Whether this machine could send to any of these addresses; nothing is sent. The runtime reports a missing route, a missing
 * descriptor and a firewall's rule as a refusal by the host, but for UDP as they are.
 */
async function hasRoute(addresses: readonly string[]): Promise<boolean> {
  for (const address of addresses) {
    const local = address.includes(":") ? "::" : "0.0.0.0"
    const connect = { hostname: address, port: 443 }
    try {
      const socket = await Bun.udpSocket({ hostname: local, connect })
      socket.close()
      return true
    } catch {
      // The error is the answer: to this address there is no way.
    }
  }
  return false
}

/** The URL of a document, without its fragment; null for one that must not be asked. */
export function readUrl(text: string): URL | null {
  const url = URL.parse(text)
  if (url === null || url.protocol !== "https:" || url.port !== "") return null
  if (url.username !== "" || url.password !== "") return null
  if (url.hostname.startsWith("[") || parseDestination(url.hostname) !== null) return null
  url.hash = ""
  return url
}

export function failed(reason: WebFailure): WebFailed {
  return { kind: "failure", reason, certificates: [] }
}

interface Place {
  readonly target: URL
  readonly port: number
  readonly lookup: LookupFunction
  readonly signal: AbortSignal
  readonly trust: Trust
}

async function request({ target, port, lookup, signal, trust }: Place): Promise<WebAnswer> {
  const { hostname, pathname, search } = target
  const https = await import("node:https")
  const { promise, resolve } = Promise.withResolvers<WebAnswer>()
  let refusal: WebFailure | null = null
  const sent: ClientRequest = https.request({
    method: "GET",
    protocol: "https:",
    hostname,
    servername: hostname,
    port,
    path: `${pathname}${search}`,
    headers: { host: hostname, accept: "*/*", "accept-encoding": "identity", "user-agent": "penknife" },
    // A kept connection may have been made under another check.
    agent: false,
    rejectUnauthorized: true,
    maxHeaderSize: maxHeaderBytes,
    lookup,
    signal,
    ca: trust.roots,
    // Called once the chain is trusted, and before anything is sent.
    checkServerIdentity(host) {
      refusal = trust.judge(host, trust.sentChain(sent.socket as TLSSocket))
      return refusal === null ? undefined : new Error(refusal)
    },
  })
  sent.on("response", (response) => void readReply(response, trust).then(resolve))
  limitReceived(sent, maxReplyBytes, () => resolve(failed("too-large")))
  sent.on("error", (cause) => resolve(failed(refusal ?? reasonOf(cause))))
  sent.on("close", () => resolve(failed("broken")))
  sent.end()
  return promise
}

/** Never rejects. */
function readReply(response: IncomingMessage, trust: Trust): Promise<WebAnswer> {
  const { promise, resolve } = Promise.withResolvers<WebAnswer>()
  // The client makes TLS connections only.
  const certificates = trust.sentChain(response.socket as TLSSocket)
  const chunks: Uint8Array[] = []
  let bytes = 0
  response.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes <= maxBodyBytes && chunks.length < maxPieces) chunks.push(chunk)
    else {
      resolve(failed("too-large"))
      response.destroy()
    }
  })
  response.on("end", () => {
    const { statusCode: status = 0, headers } = response
    if (!response.complete) resolve(failed("broken"))
    const body = new Uint8Array(Buffer.concat(chunks))
    resolve({ kind: "reply", status, contentType: headers["content-type"] ?? null, body, certificates })
  })
  for (const end of ["error", "close"]) response.on(end, () => resolve(failed("broken")))
  return promise
}

/** Connects once more without trusting the server, sends nothing, and returns the certificates that it shows. */
async function shownCertificates({ target, port, lookup, signal, trust }: Place): Promise<readonly string[]> {
  const tls = await import("node:tls")
  const { promise, resolve } = Promise.withResolvers<readonly string[]>()
  const { hostname: host } = target
  const socket = tls.connect({ host, servername: host, port, lookup, rejectUnauthorized: false })
  socket.on("secureConnect", () => resolve(trust.sentChain(socket)))
  socket.on("error", () => resolve([]))
  socket.on("close", () => resolve([]))
  const end = () => socket.destroy()
  signal.addEventListener("abort", end)
  if (signal.aborted) end()
  const shown = await promise
  end()
  signal.removeEventListener("abort", end)
  return shown
}

function reasonOf(cause: Error): WebFailure {
  const code = "code" in cause ? String(cause.code) : ""
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return "expired-certificate"
  if (/CERT|SELF_SIGNED|UNABLE_TO|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|CRL/.test(code))
    return "untrusted-certificate"
  if (/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT|EACCES|EPERM)$/.test(code))
    return "unreachable"
  return /SSL|TLS|EPROTO/.test(code) ? "tls" : "broken"
}
