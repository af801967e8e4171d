import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, nullable, nullableText, premium } from "../contract.ts"
import { storedExamples } from "../stored-examples.ts"
import answers from "./answers.json"
import { problemList } from "./checks.ts"
import stored from "./examples.json"

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
    "Reads an X.509 certificate or certificate signing request (CSR): names, validity, key, extensions and fingerprints. Reports mistakes in it and in the chain after it. It does not check whether its authority is trusted or has revoked it.",
  method: "POST",
  credits: 1,
  singleValues: ["certificate", "host"],
  input: Type.Object({
    certificate: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description:
        "A certificate or a CSR in PEM, followed by its chain of at most nine certificates; or one certificate in DER, as base64.",
    }),
    host: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description:
          "The name or IP address of the server that the certificate must be for (RFC 9525). The common name does not count.",
      }),
    ),
  }),
  output: Type.Object({
    is_valid: Type.Boolean({ description: "Whether no problem is an error." }),
    problems: problemList,
    kind: choice(["certificate", "request"], {
      description: "Whether it is a certificate or a certificate signing request (CSR).",
    }),
    subject: Type.String({ description: "The subject. Its parts keep their order." }),
    subject_parts: Type.Array(
      Type.Object({
        attribute: Type.String({ description: "Its name, such as `CN` or `O`, or its object identifier." }),
        value: Type.String({ description: "Its value." }),
      }),
      { description: "The parts of the subject." },
    ),
    issuer: nullableText("The issuer; null for a request."),
    serial_number: nullableText("The serial number in hexadecimal digits; null for a request."),
    valid_from: nullableText("The first moment at which it is valid, in UTC; null for a request."),
    valid_until: nullableText("The last moment at which it is valid, in UTC; null for a request."),
    key: Type.Object(
      {
        algorithm: Type.String({
          description: "The kind of key: `rsa`, `ec`, `ed25519` or another; or `unknown`.",
        }),
        bits: nullable(Type.Integer(), { description: "The length of an RSA or DSA key; null for others." }),
        curve: nullableText("The elliptic curve; null for other keys."),
        exponent: nullableText("The public exponent of an RSA key; null for others."),
      },
      { description: "The public key." },
    ),
    signature_algorithm: Type.String({ description: "The algorithm of its signature." }),
    fingerprints: Type.Object(
      {
        sha256: Type.String({ description: "SHA-256 of the certificate or request." }),
        sha1: Type.String({ description: "SHA-1 of the certificate or request." }),
        key_sha256: Type.String({
          description: "SHA-256 of the public key (SubjectPublicKeyInfo), as in TLSA records and pins.",
        }),
      },
      { description: "Fingerprints in hexadecimal digits." },
    ),
    names: Type.Array(
      Type.Object({
        kind: Type.String({ description: "The kind of name: `dns`, `ip`, `email`, `url`, `dn` or another." }),
        value: Type.String({ description: "The name." }),
      }),
      { description: "The names that it is valid for (subjectAltName)." },
    ),
    is_ca: Type.Boolean({
      description: "Whether it belongs to an authority, which may sign other certificates.",
    }),
    path_length: nullable(Type.Integer(), {
      description:
        "How many further authorities may stand between it and a server's certificate; null if not limited.",
    }),
    key_usage: nullable(texts("The usages."), {
      description: "What the key may be used for; null if not limited.",
    }),
    extended_key_usage: nullable(texts("The purposes."), {
      description:
        "The purposes of the key, as names of RFC 5280 or object identifiers; null if not limited.",
    }),
    subject_key_id: nullableText("The identifier of its key; null if it names none."),
    authority_key_id: nullableText("The identifier of the key that signed it; null if it names none."),
    ocsp_urls: texts("Where to ask whether it was revoked (OCSP). This API does not ask."),
    issuer_urls: texts("Where the issuer's certificate is. This API does not fetch it."),
    crl_urls: texts("Where the lists of revoked certificates are. This API does not fetch them."),
    extensions: Type.Array(
      Type.Object({
        oid: Type.String({ description: "The object identifier." }),
        name: nullableText("The name in its standard; null if this API does not know it."),
        is_critical: Type.Boolean({
          description: "Whether programs that do not know the extension must refuse the certificate.",
        }),
      }),
      { description: "The extensions, in their order." },
    ),
    matched_name: nullableText("The name that fits `host`; null if none does, or without `host`."),
    days_left: nullable(Type.Integer(), {
      description: "Whole days until it expires, rounded down; null where `valid_until` is.",
    }),
    chain: Type.Array(
      Type.Object({
        subject: Type.String({ description: "The subject." }),
        issuer: nullableText("The issuer; null for a request."),
        valid_from: nullableText("The first moment at which it is valid, in UTC."),
        valid_until: nullableText("The last moment at which it is valid, in UTC."),
        sha256: Type.String({ description: "SHA-256 of the certificate." }),
        is_issuer_of_previous: Type.Boolean({
          description: "Whether its key signed the certificate before it in the list.",
        }),
      }),
      { description: "The certificates after the first." },
    ),
    lint: premium(
      nullable(
        Type.Array(
          Type.Object({
            rule: Type.String({ description: "The section of the Baseline Requirements." }),
            message: Type.String({ description: "How the certificate breaks the rule." }),
          }),
        ),
        {
          description:
            "The rules for certificates of public servers (Baseline Requirements of the CA/Browser Forum) that it breaks; null for other certificates.",
        },
      ),
    ),
  }),
  examples: storedExamples(stored, answers),
  isolated: { limitMs: 1_000 },
})
