import { parseAddress } from "../../values/ip.ts"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
const dayMs = 86_400_000
/** Some clients refuse certificates that are valid for longer. */
const validDays = 397

/**
 * Makes an authority (RFC 5280 §4.2.1.9) and a certificate signed by it, for `names`, `localhost` and its addresses. The
 * authority's key is discarded, so that it can sign nothing else.
 * @param names domain names or IP addresses
 * @param nowMs the real time, since clients compare it with theirs
 * @returns the certificate and its key, and the certificate of the authority that signed it, in PEM
 */
export async function createSelfSigned(names: readonly string[], nowMs: number) {
  const x509 = await loadX509()
  const validity = { notBefore: new Date(nowMs - dayMs), notAfter: new Date(nowMs + validDays * dayMs) }
  const authorityKeys = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"])
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: "01",
    name: "CN=penknife mock CA",
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  })

  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const all = [...new Set([...names, "localhost", "127.0.0.1", "::1"])]
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: "02",
    subject: "CN=penknife mock",
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        all.map((value) => ({ type: parseAddress(value) ? ("ip" as const) : ("dns" as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  })
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY")
  return { ca: text(authority.toString("pem")), cert: text(certificate.toString("pem")), key: text(key) }
}

/** Loaded only when needed, since it takes longer to load than all the rest. It needs reflect-metadata first. */
async function loadX509() {
  await import("reflect-metadata")
  return import("@peculiar/x509")
}

function text(pem: string): string {
  return pem.endsWith("\n") ? pem : `${pem}\n`
}
