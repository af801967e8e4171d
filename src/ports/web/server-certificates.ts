import { X509Certificate } from "node:crypto"
import { rootCertificates, type TLSSocket } from "node:tls"
import type { WebFailure } from "../../apis/contract.ts"
import { elementsOf } from "../../values/der.ts"

/**
 * Judges the certificates of other servers by roots of its own. The runtime's own judgement takes keys and signatures that can be
 * forged, and a common name in place of a DNS name.
 * @param roots the trusted authorities in PEM; those that the runtime carries, unless a test has others
 */
export function createTrust(roots = rootCertificates.join("\n")) {
  const anchors = [...roots.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)].map(
    ([pem]) => new X509Certificate(pem),
  )
  const isIssuedBy = (one: X509Certificate, other: X509Certificate) =>
    one.checkIssued(other) && one.verify(other.publicKey)

  return {
    roots,
    sentChain,
    /**
     * Judges what leads to a trusted authority.
     * @param host the name that was asked for
     * @param chain as `sentChain` returns it
     * @returns the failure, or null
     */
    judge(host: string, chain: readonly string[]): WebFailure | null {
      const [own, ...others] = chain.map((der) => new X509Certificate(Buffer.from(der, "base64")))
      // RFC 9525 §6.3: names are compared with those in subjectAltName alone.
      if (!own?.checkHost(host.replace(/\.$/, ""), { subject: "never" })) return "wrong-certificate"
      const isAnchored = (one: X509Certificate) =>
        anchors.some((anchor) => anchor.raw.equals(one.raw) || isIssuedBy(one, anchor))
      for (let one: X509Certificate | undefined = own; one; ) {
        if (isWeak(one)) return "weak-certificate"
        // The signature of a trusted authority on itself proves nothing, so it may be old.
        if (isAnchored(one)) return null
        const child: X509Certificate = one
        const index = others.findIndex((other) => isIssuedBy(child, other))
        // Each is taken once, so that two that signed each other have an end.
        one = index < 0 ? undefined : others.splice(index, 1)[0]
      }
      return null
    },
  }
}

const leastRsaBits = 2_048

/** RSA under 2,048 bits, or signed with MD5 or SHA-1 (CA/Browser Forum, Baseline Requirements §6.1.5 and §7.1.3.2). */
function isWeak({ publicKey, signatureAlgorithm }: X509Certificate): boolean {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? leastRsaBits
  return bits < leastRsaBits || /MD5|SHA-?1(?!\d)/i.test(signatureAlgorithm ?? "")
}

/** More than any server needs. */
const maxCertificates = 8
/** The certificate of the server, and those it sent with it, in an SSL_SESSION of BoringSSL (`ssl_asn1.cc`). */
const [ownTag, othersTag] = [0xa3, 0xb3]

/**
 * The certificates that a server sent, in its order: DER in base64. `getPeerCertificate` would add the trusted authority.
 * @param socket after its handshake
 */
function sentChain(socket: TLSSocket): readonly string[] {
  const session = Uint8Array.from(socket.getSession() ?? [])
  const fields = elementsOf(elementsOf(session)[0]?.content ?? new Uint8Array())
  return [ownTag, othersTag]
    .flatMap((wanted) => elementsOf(fields.find(({ tag }) => tag === wanted)?.content ?? new Uint8Array()))
    .slice(0, maxCertificates)
    .map(({ whole }) => Buffer.from(whole).toString("base64"))
}
