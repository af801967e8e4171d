import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, nullable, premium } from "../contract.ts"
import { problemList } from "./checks.ts"
import { examples } from "./examples.ts"

const text = (description: string) => nullable(Type.String(), { description })
const texts = (description: string) => Type.Array(Type.String(), { description })

export const certificatedecoder = defineIsolatedApi({
  id: "certificatedecoder",
  title: "Certificate decoder",
  category: "identity",
  keywords: [
    "X.509",
    "TLS",
    "SSL",
    "PEM",
    "CSR",
    "expire",
    "chain",
    "fingerprint",
    "HTTPS",
    "authority",
    "RFC 5280",
  ],
  description:
    "Reads a certificate or a request for one (X.509): names, validity, key, extensions and fingerprints, and names what is wrong with it and with the chain after it. It does not tell whether an authority is trusted or has revoked it.",
  method: "POST",
  credits: 1,
  input: Type.Object({
    certificate: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description:
        "A certificate or a request in PEM, followed by its chain of at most nine others; or one certificate as base64 of DER.",
    }),
  }),
  output: Type.Object({
    is_valid: Type.Boolean({ description: "Whether no problem is an error." }),
    problems: problemList,
    kind: choice(["certificate", "request"], {
      description: "`request`: a request for a certificate (CSR).",
    }),
    subject: Type.String({ description: "The subject, in the order in which it is written there." }),
    subject_parts: Type.Array(
      Type.Object({
        type: Type.String({ description: "The kind, such as `CN` or `O`, or its object identifier." }),
        value: Type.String({ description: "The value." }),
      }),
      { description: "The parts of the subject." },
    ),
    issuer: text("The issuer; null for a request."),
    serial_number: text("The serial number in hexadecimal digits; null for a request."),
    not_before: text("When its validity begins, in UTC; null for a request."),
    not_after: text("When its validity ends, in UTC; null for a request."),
    key: Type.Object(
      {
        algorithm: Type.String({ description: "`rsa`, `ec`, `ed25519` and others; or `unknown`." }),
        bits: nullable(Type.Integer(), { description: "The length of an RSA or DSA key; null for others." }),
        curve: text("The elliptic curve; null for other keys."),
        exponent: text("The public exponent of an RSA key; null for others."),
      },
      { description: "The public key." },
    ),
    signature_algorithm: Type.String({ description: "How it is signed." }),
    fingerprints: Type.Object(
      {
        sha256: Type.String({ description: "SHA-256 of the whole." }),
        sha1: Type.String({ description: "SHA-1 of the whole." }),
        key_sha256: Type.String({ description: "SHA-256 of the public key, as in TLSA records and pins." }),
      },
      { description: "Fingerprints in hexadecimal digits." },
    ),
    names: Type.Array(
      Type.Object({
        type: Type.String({ description: "The kind: `dns`, `ip`, `email`, `url`, `dn` and others." }),
        value: Type.String({ description: "The name." }),
      }),
      { description: "For whom it is (subjectAltName)." },
    ),
    is_ca: Type.Boolean({ description: "Whether it is that of an authority, which signs others." }),
    path_length: nullable(Type.Integer(), {
      description: "How many authorities may follow; null without limit.",
    }),
    key_usage: nullable(texts("The usages."), {
      description: "What the key may be used for; null if that is not limited.",
    }),
    extended_key_usage: nullable(texts("The purposes."), {
      description:
        "For which purposes: names of RFC 5280 or object identifiers; null if that is not limited.",
    }),
    subject_key_id: text("The identifier of its key; null without one."),
    authority_key_id: text("The identifier of the key that signed it; null without one."),
    ocsp_urls: texts("Where to ask whether it was revoked (OCSP). They were not asked."),
    issuer_urls: texts("Where the issuer's certificate is. It was not fetched."),
    crl_urls: texts("Where the lists of revoked ones are. They were not fetched."),
    extensions: Type.Array(
      Type.Object({
        oid: Type.String({ description: "The object identifier." }),
        name: text("The name in its standard; null if it is not known here."),
        is_critical: Type.Boolean({
          description: "Whether who does not know it must refuse the certificate.",
        }),
      }),
      { description: "The extensions, in their order." },
    ),
    seconds_left: nullable(Type.Integer(), {
      description: "How long it is still valid; negative if it has expired, null for a request.",
    }),
    chain: Type.Array(
      Type.Object({
        subject: Type.String({ description: "The subject." }),
        issuer: text("The issuer; null for a request."),
        not_before: text("When its validity begins."),
        not_after: text("When its validity ends."),
        sha256: Type.String({ description: "SHA-256 of the whole." }),
        signed_the_one_before: Type.Boolean({ description: "Whether it signed the certificate before it." }),
      }),
      { description: "The certificates after the first." },
    ),
    lint: premium(
      nullable(
        Type.Array(
          Type.Object({
            rule: Type.String({ description: "The section of the Baseline Requirements." }),
            message: Type.String({ description: "What is not kept." }),
          }),
        ),
        {
          description:
            "Rules of the CA/Browser Forum that the certificate of a public server must keep, and this one does not; null for other certificates.",
        },
      ),
    ),
  }),
  examples,
  isolated: { limitMs: 1_000 },
})
