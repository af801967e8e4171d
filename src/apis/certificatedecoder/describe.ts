import type { Name, Pkcs10CertificateRequest, X509Certificate } from "@peculiar/x509"
import { reject } from "../contract.ts"
import type { Block } from "./blocks.ts"
import { extensionNames, purposeNames, usageNames } from "./names.ts"

/** What was read of a certificate or a request. */
export type Entry = Awaited<ReturnType<typeof readEntry>>

/**
 * Reads a certificate (RFC 5280 §4.1) or a request (RFC 2986).
 * @throws InputRejected for `certificate`
 */
export async function readEntry({ kind, der }: Block) {
  // The dependency injection of @peculiar/x509 needs it.
  await import("reflect-metadata")
  const x509 = await import("@peculiar/x509")
  const { createHash } = await import("node:crypto")
  try {
    const certificate = kind === "certificate" ? new x509.X509Certificate(der) : null
    const holder = certificate ?? new x509.Pkcs10CertificateRequest(der)
    const digest = (algorithm: string, bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex")
    const key = new Uint8Array(holder.publicKey.rawData)
    return {
      kind,
      der,
      holder,
      certificate,
      subject: holder.subject,
      subject_parts: partsOf(holder.subjectName),
      issuer: certificate?.issuer ?? null,
      serial_number: certificate?.serialNumber.toLowerCase() ?? null,
      not_before: toTime(certificate?.notBefore),
      not_after: toTime(certificate?.notAfter),
      key: await describeKey(key),
      signature_algorithm: signatureOf(holder),
      fingerprints: {
        sha256: digest("sha256", der),
        sha1: digest("sha1", der),
        key_sha256: digest("sha256", key),
      },
      ...(await extensionsOf(holder)),
    }
  } catch {
    return reject(
      "certificate",
      `must have a ${kind} that follows RFC ${kind === "request" ? 2986 : 5280} in each block`,
    )
  }
}

function partsOf(name: Name) {
  return name
    .toJSON()
    .flatMap((relative) =>
      Object.entries(relative).flatMap(([type, values]) => values.map((value) => ({ type, value }))),
    )
}

function toTime(date: Date | undefined): string | null {
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString()
}

/** The public key; a kind that the runtime does not know is `unknown`. */
async function describeKey(der: Uint8Array) {
  const { createPublicKey } = await import("node:crypto")
  try {
    const key = createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" })
    const { modulusLength, namedCurve, publicExponent } = key.asymmetricKeyDetails ?? {}
    return {
      algorithm: key.asymmetricKeyType ?? "unknown",
      bits: modulusLength ?? null,
      curve: namedCurve ?? null,
      exponent: publicExponent === undefined ? null : String(publicExponent),
    }
  } catch {
    return { algorithm: "unknown", bits: null, curve: null, exponent: null }
  }
}

function signatureOf({ signatureAlgorithm }: X509Certificate | Pkcs10CertificateRequest): string {
  const { name = "unknown", hash }: { readonly name?: string; readonly hash?: { readonly name?: string } } =
    signatureAlgorithm
  return hash?.name === undefined ? name : `${name} with ${hash.name}`
}

async function extensionsOf({ extensions }: X509Certificate | Pkcs10CertificateRequest) {
  const x509 = await import("@peculiar/x509")
  const basic = extensions.find((one) => one instanceof x509.BasicConstraintsExtension)
  const usage = extensions.find((one) => one instanceof x509.KeyUsagesExtension)
  const purposes = extensions.find((one) => one instanceof x509.ExtendedKeyUsageExtension)
  const names = extensions.find((one) => one instanceof x509.SubjectAlternativeNameExtension)
  const own = extensions.find((one) => one instanceof x509.SubjectKeyIdentifierExtension)
  const issuer = extensions.find((one) => one instanceof x509.AuthorityKeyIdentifierExtension)
  const access = extensions.find((one) => one instanceof x509.AuthorityInfoAccessExtension)
  const lists = extensions.find((one) => one instanceof x509.CRLDistributionPointsExtension)
  return {
    names: names?.names.toJSON().map(({ type, value }) => ({ type, value: String(value) })) ?? [],
    is_ca: basic?.ca ?? false,
    path_length: basic?.pathLength ?? null,
    key_usage: usage === undefined ? null : usageNames.filter((_, bit) => (usage.usages >> bit) & 1),
    extended_key_usage: purposes?.usages.map((oid) => purposeNames[String(oid)] ?? String(oid)) ?? null,
    subject_key_id: own?.keyId ?? null,
    authority_key_id: issuer?.keyId ?? null,
    ocsp_urls: access?.ocsp.map(({ value }) => String(value)) ?? [],
    issuer_urls: access?.caIssuers.map(({ value }) => String(value)) ?? [],
    crl_urls:
      lists?.distributionPoints.flatMap(({ distributionPoint }) =>
        (distributionPoint?.fullName ?? []).flatMap((one) => one.uniformResourceIdentifier ?? []),
      ) ?? [],
    extensions: extensions.map(({ type, critical }) => ({
      oid: type,
      name: extensionNames[type] ?? null,
      is_critical: critical,
    })),
  }
}
