export type Term = { readonly name: string; readonly description: string; readonly full_description: string }

export type Field = "usage" | "selector" | "matching"

/** Explains a field's number (RFC 6698 §2.1, RFC 7671), with the names of RFC 7218 and digests as commonly written. */
export function toTerm(field: Field, value: number): Term {
  const term = assigned[field][value]
  if (term !== undefined) return term
  const { noun, privateName } = nouns[field]
  if (value === 255)
    return {
      name: privateName,
      description: `A ${noun} for private use.`,
      full_description: `The ${noun} 255 is reserved for private use (RFC 7218). Only clients that were set up for it know what it means; all others treat the record as unusable.`,
    }
  if (value >= 0 && value < 255)
    return {
      name: "Unassigned",
      description: `An unassigned ${noun}.`,
      full_description: `No standard gives the ${noun} ${value} a meaning. Clients treat the record as unusable (RFC 6698 §4.1).`,
    }
  return {
    name: "Out of range",
    description: `A ${noun} that no record can hold.`,
    full_description: `The ${noun} is one byte, 0 to 255 (RFC 6698 §2.1). Name servers refuse ${value} or store another number.`,
  }
}

const nouns: Readonly<Record<Field, { noun: string; privateName: string }>> = {
  usage: { noun: "certificate usage", privateName: "PrivCert" },
  selector: { noun: "selector", privateName: "PrivSel" },
  matching: { noun: "matching type", privateName: "PrivMatch" },
}

const assigned: Readonly<Record<Field, Readonly<Record<number, Term>>>> = {
  usage: {
    0: {
      name: "PKIX-TA",
      description: "CA constraint: a certification authority in the server's chain must match.",
      full_description:
        "The record names a certification authority, a root or an intermediate one. The server's certificate has to pass ordinary PKIX validation, with a CA that the client trusts, and its chain has to contain the named CA. The record narrows down who may issue certificates for the service (RFC 6698 §2.1.1, RFC 7671 §5.4).",
    },
    1: {
      name: "PKIX-EE",
      description: "Service certificate constraint: the server's own certificate must match.",
      full_description:
        "The record names the server's own certificate or key. The certificate has to match it and also pass ordinary PKIX validation, with a CA that the client trusts. The record narrows down which of the valid certificates the service uses (RFC 6698 §2.1.1, RFC 7671 §5.3).",
    },
    2: {
      name: "DANE-TA",
      description: "Trust anchor assertion: the record itself names the trust anchor.",
      full_description:
        "The record names the trust anchor at which the server's chain has to end; the client's own list of CAs does not matter. The server has to send the anchor's certificate in its chain. Names and dates in the certificates are checked (RFC 6698 §2.1.1, RFC 7671 §5.2).",
    },
    3: {
      name: "DANE-EE",
      description: "Domain-issued certificate: the record itself vouches for the server's certificate.",
      full_description:
        "The server's certificate or key has to match the record, and nothing else counts: no CA is needed, the certificate may be self-signed, and its names and dates are not checked (RFC 6698 §2.1.1, RFC 7671 §5.1).",
    },
  },
  selector: {
    0: {
      name: "Cert",
      description: "The full certificate is matched.",
      full_description:
        "The record is compared with the whole certificate in DER. Every renewal makes a new certificate and so needs a new record, even with the same key (RFC 6698 §2.1.2).",
    },
    1: {
      name: "SPKI",
      description: "The public key is matched (SubjectPublicKeyInfo).",
      full_description:
        "The record is compared with the certificate's SubjectPublicKeyInfo in DER: the public key and its algorithm. A renewed certificate with the same key still matches (RFC 6698 §2.1.2).",
    },
  },
  matching: {
    0: {
      name: "Full",
      description: "The data is the selected content itself, not a digest.",
      full_description:
        "The record holds the whole certificate or public key. DNS answers become large, may be cut off over UDP and need TCP (RFC 6698 §2.1.3, RFC 7671 §10.1).",
    },
    1: {
      name: "SHA-256",
      description: "The data is a SHA-256 digest of the selected content.",
      full_description:
        "The record holds the SHA-256 digest: 32 bytes, 64 hexadecimal digits. Every DANE client has to support it (RFC 6698 §2.1.3 and §6).",
    },
    2: {
      name: "SHA-512",
      description: "The data is a SHA-512 digest of the selected content.",
      full_description:
        "The record holds the SHA-512 digest: 64 bytes, 128 hexadecimal digits. Clients should support it but do not have to, so it belongs beside a SHA-256 record (RFC 6698 §2.1.3 and §6).",
    },
  },
}
