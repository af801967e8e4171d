/** Which certificates of other hosts are taken, on real connections, and what answers have of them. */
import { afterAll, expect, test } from "bun:test"
import { createHash, X509Certificate } from "node:crypto"
import { join } from "node:path"
import { createServer, rootCertificates, type SecureVersion } from "node:tls"
import "reflect-metadata"
import * as x509 from "@peculiar/x509"
import { tempDir } from "../../../test/support/temp.ts"
import { webAuthorities } from "../../apis/mail/server-certificate.ts"
import { createZoneDns } from "../dns/zone.ts"
import { systemTimer } from "../timer.ts"
import { createHttpsClient } from "./https-client.ts"

const host = "mta-sts.a.example"
const dayMs = 86_400_000
const now = Date.now()
const ec = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
const rsa = (modulusLength: number, hash = "SHA-256") => ({
  ...{ name: "RSASSA-PKCS1-v1_5", publicExponent: new Uint8Array([1, 0, 1]), modulusLength, hash },
})
type Kind = typeof ec | ReturnType<typeof rsa>
type Party = { readonly certificate: x509.X509Certificate; readonly keys: CryptoKeyPair; readonly kind: Kind }

let serial = 16
async function make(name: string, kind: Kind, issuer: Party | null, more: x509.Extension[]): Promise<Party> {
  const keys = (await crypto.subtle.generateKey(kind, true, ["sign", "verify"])) as CryptoKeyPair
  const subject = `CN=${name}`
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ serialNumber: (serial++).toString(16), subject, issuer: issuer?.certificate.subject ?? subject },
    ...{ notBefore: new Date(now - dayMs), notAfter: new Date(now + 90 * dayMs) },
    publicKey: keys.publicKey,
    signingKey: (issuer?.keys ?? keys).privateKey,
    signingAlgorithm: issuer?.kind ?? kind,
    extensions: more,
  })
  return { certificate, keys, kind }
}
const authority = (name: string, kind: Kind, issuer: Party | null = null) =>
  make(name, kind, issuer, [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
  ])
const leaf = (kind: Kind, issuer: Party, names: readonly string[] = [host]) =>
  make(host, kind, issuer, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    ...(names.length === 0
      ? []
      : [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: "dns", value })))]),
  ])

const root = await authority("Root", ec)
const between = await authority("Between", ec, root)
const unrelated = await authority("Unrelated", ec)
const pemOf = ({ certificate }: Party) => `${certificate.toString("pem")}\n`
const base64Of = ({ certificate }: Party) => Buffer.from(certificate.rawData).toString("base64")

const servers: { close(): void }[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** Serves a text with these certificates, and asks for it. `requests` is what the server was sent. */
async function ask(chain: readonly Party[], maxVersion: SecureVersion = "TLSv1.3", ca = pemOf(root)) {
  const [own] = chain
  if (!own) throw new Error("a server needs a certificate")
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", own.keys.privateKey)
  const key = x509.PemConverter.encode(pkcs8, "PRIVATE KEY")
  const requests: string[] = []
  const server = createServer({ cert: chain.map(pemOf).join(""), key, maxVersion }, (socket) => {
    socket.on("error", () => {})
    socket.on("data", (data) => {
      requests.push(String(data))
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext")
    })
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  servers.push(server)
  await promise
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  const dns = createZoneDns({ [host]: [{ A: "127.0.0.1" }] })
  const web = createHttpsClient({ dns, timer: systemTimer, forTests: { port, allows: () => true, ca } })
  return { answer: await web.get(`https://${host}/`), requests, port }
}

const versions: SecureVersion[] = ["TLSv1.2", "TLSv1.3"]

test.each(versions)(
  "an answer by %s has the certificates in the order in which they came",
  async (version) => {
    const own = await leaf(ec, between)
    for (const others of [[between], [unrelated, between], [between, root]]) {
      const { answer } = await ask([own, ...others], version)
      const certificates = [own, ...others].map(base64Of)
      expect(answer).toMatchObject({ kind: "reply", status: 200, certificates })
    }
  },
)

test.each(versions)("an answer by %s has the certificates also when it is refused", async (version) => {
  const own = await leaf(ec, between)
  const { answer, requests } = await ask([own], version)
  const certificates = [base64Of(own)]
  expect(answer).toEqual({ kind: "failure", reason: "untrusted-certificate", certificates })
  expect(requests).toEqual([])
})

const signedBy = async (kind: Kind) => {
  const weak = await authority("Weak", kind, root)
  return [await leaf(ec, weak), weak]
}
test.each<[string, () => Promise<readonly Party[]>, readonly SecureVersion[]]>([
  // TLS 1.3 has no signature that fits into so short a key (RFC 8446 §4.2.3), so its handshake fails by itself.
  ["with an RSA key of 512 bits", async () => [await leaf(rsa(512), root)], ["TLSv1.2"]],
  ["with an RSA key of 1,024 bits", async () => [await leaf(rsa(1_024), root)], versions],
  ["that an authority with an RSA key of 512 bits signed", () => signedBy(rsa(512)), versions],
  ["that an authority with an RSA key of 1,024 bits signed", () => signedBy(rsa(1_024)), versions],
  ["that is signed with SHA-1", () => signedBy(rsa(2_048, "SHA-1")), versions],
])("a certificate of a trusted authority is refused before anything is sent: %s", async (_, chainOf, by) => {
  const chain = await chainOf()
  for (const version of by) {
    const { answer, requests } = await ask(chain, version)
    const certificates = chain.map(base64Of)
    expect(answer).toEqual({ kind: "failure", reason: "weak-certificate", certificates })
    expect(requests).toEqual([])
  }
})

test.each<[string, readonly string[]]>([
  ["whose only name is its common name", []],
  ["whose names are others, although its common name fits", ["other.example"]],
  ["with a star for a part of a label", ["mta-*.a.example"]],
])("a certificate of a trusted authority is refused before anything is sent: %s", async (_, names) => {
  const { answer, requests } = await ask([await leaf(ec, root, names)])
  expect(answer).toMatchObject({ kind: "failure", reason: "wrong-certificate" })
  expect(requests).toEqual([])
})

test.each<[string, () => Promise<readonly Party[]>]>([
  ["with a star for the first label", async () => [await leaf(ec, root, ["*.a.example"])]],
  ["with an RSA key of 2,048 bits", async () => [await leaf(rsa(2_048), root)]],
  [
    "beside a weak one that leads nowhere",
    async () => [await leaf(ec, root), await authority("Aside", rsa(1_024))],
  ],
])("a certificate is taken: %s", async (_, chainOf) =>
  expect((await ask(await chainOf())).answer).toMatchObject({ kind: "reply", status: 200 }),
)

test("a certificate is taken of an authority whose own signature is old, since that proves nothing", async () => {
  const old = await authority("Old root", rsa(2_048, "SHA-1"))
  const strong: Party = { ...old, kind: rsa(2_048) }
  const pkcs8 = await crypto.subtle.exportKey("pkcs8", old.keys.privateKey)
  const privateKey = await crypto.subtle.importKey("pkcs8", pkcs8, strong.kind, true, ["sign"])
  const own = await leaf(ec, { ...strong, keys: { ...old.keys, privateKey } })
  for (const chain of [[own], [own, old]])
    expect((await ask(chain, "TLSv1.3", pemOf(old))).answer).toMatchObject({ kind: "reply" })
})

test.each(["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"])("%s of the machine changes no verdict", async (name) => {
  const { port } = await ask([await leaf(ec, root)])
  const file = join(tempDir(), "root.pem")
  await Bun.write(file, pemOf(root))
  const program = `
    import { createZoneDns } from ${JSON.stringify(join(import.meta.dir, "../dns/zone.ts"))}
    import { systemTimer as timer } from ${JSON.stringify(join(import.meta.dir, "../timer.ts"))}
    import { createHttpsClient } from ${JSON.stringify(join(import.meta.dir, "https-client.ts"))}
    const dns = createZoneDns({ "${host}": [{ A: "127.0.0.1" }] })
    const forTests = { port: ${port}, allows: () => true }
    console.log(JSON.stringify(await createHttpsClient({ dns, timer, forTests }).get("https://${host}/")))
    process.exit()`
  const child = Bun.spawn([process.execPath, "-e", program], {
    ...{ env: { ...process.env, [name]: file }, stdout: "pipe", stderr: "pipe" },
  })
  expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({
    ...{ kind: "failure", reason: "untrusted-certificate" },
  })
})

test("the date of the authorities, which answers have, is that of those that the runtime carries", () => {
  const digests = rootCertificates.map((pem) => new X509Certificate(pem).fingerprint256).toSorted()
  // When Bun brings others: take the date of its list from its history, and then these.
  expect([
    digests.length,
    createHash("sha256").update(digests.join()).digest("hex"),
    webAuthorities.date,
  ]).toEqual([118, "fecfd4d4fe643f46b5568ef311f3b99952e95f776a8aa6e7fbc8eca662a3718d", "2026-09"])
})
