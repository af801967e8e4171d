import { Type } from "@sinclair/typebox"
import { choice, defineIsolatedApi, nullable, nullableText, premium } from "../contract.ts"
import { field, storedExamples } from "../shared.ts"
import answers from "./answers.json"
import { problemList } from "./checks.ts"
import stored from "./examples.json"

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
    certificate: field.text(
      "A certificate or a CSR in PEM, followed by its chain of at most nine certificates; or one certificate in DER, as base64.",
      { minLength: 1, maxLength: 65_536 },
    ),
    host: field.optional.text(
      "The name or IP address of the server that the certificate must be for (RFC 9525). The common name does not count.",
      { minLength: 1, maxLength: 253 },
    ),
  }),
  output: Type.Object({
    ...field.verdict(problemList),
    kind: choice(["certificate", "request"], {
      description: "Whether it is a certificate or a certificate signing request (CSR).",
    }),
    subject: field.text("The subject. Its parts keep their order."),
    subject_parts: field.rows("The parts of the subject.", {
      attribute: field.text("Its name, such as `CN` or `O`, or its object identifier."),
      value: field.text("Its value."),
    }),
    issuer: nullableText("The issuer; null for a request."),
    serial_number: nullableText("The serial number in hexadecimal digits; null for a request."),
    valid_from: nullableText("The first moment at which it is valid, in UTC; null for a request."),
    valid_until: nullableText("The last moment at which it is valid, in UTC; null for a request."),
    key: field.group("The public key.", {
      algorithm: field.text("The kind of key: `rsa`, `ec`, `ed25519` or another; or `unknown`."),
      bits: field.nullableInteger("The length of an RSA or DSA key; null for others."),
      curve: nullableText("The elliptic curve; null for other keys."),
      exponent: nullableText("The public exponent of an RSA key; null for others."),
    }),
    signature_algorithm: field.text("The algorithm of its signature."),
    fingerprints: field.group("Fingerprints in hexadecimal digits.", {
      sha256: field.text("SHA-256 of the certificate or request."),
      sha1: field.text("SHA-1 of the certificate or request."),
      key_sha256: field.text(
        "SHA-256 of the public key (SubjectPublicKeyInfo), as in TLSA records and pins.",
      ),
    }),
    names: field.rows("The names that it is valid for (subjectAltName).", {
      kind: field.text("The kind of name: `dns`, `ip`, `email`, `url`, `dn` or another."),
      value: field.text("The name."),
    }),
    is_ca: field.flag("Whether it belongs to an authority, which may sign other certificates."),
    path_length: field.nullableInteger(
      "How many further authorities may stand between it and a server's certificate; null if not limited.",
    ),
    key_usage: nullable(field.texts("The usages."), {
      description: "What the key may be used for; null if not limited.",
    }),
    extended_key_usage: nullable(field.texts("The purposes."), {
      description:
        "The purposes of the key, as names of RFC 5280 or object identifiers; null if not limited.",
    }),
    subject_key_id: nullableText("The identifier of its key; null if it names none."),
    authority_key_id: nullableText("The identifier of the key that signed it; null if it names none."),
    ocsp_urls: field.texts("Where to ask whether it was revoked (OCSP). This API does not ask."),
    issuer_urls: field.texts("Where the issuer's certificate is. This API does not fetch it."),
    crl_urls: field.texts("Where the lists of revoked certificates are. This API does not fetch them."),
    extensions: field.rows("The extensions, in their order.", {
      oid: field.text("The object identifier."),
      name: nullableText("The name in its standard; null if this API does not know it."),
      is_critical: field.flag("Whether programs that do not know the extension must refuse the certificate."),
    }),
    matched_name: nullableText("The name that fits `host`; null if none does, or without `host`."),
    days_left: field.nullableInteger(
      "Whole days until it expires, rounded down; null where `valid_until` is.",
    ),
    chain: field.rows("The certificates after the first.", {
      subject: field.text("The subject."),
      issuer: nullableText("The issuer; null for a request."),
      valid_from: nullableText("The first moment at which it is valid, in UTC."),
      valid_until: nullableText("The last moment at which it is valid, in UTC."),
      sha256: field.text("SHA-256 of the certificate."),
      is_issuer_of_previous: field.flag("Whether its key signed the certificate before it in the list."),
    }),
    lint: premium(
      nullable(
        Type.Array(
          Type.Object({
            rule: field.text("The section of the Baseline Requirements."),
            message: field.text("How the certificate breaks the rule."),
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
