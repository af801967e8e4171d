/** Made with keys that were thrown away. */
const now = "2026-11-23T12:00:00Z"

const chain = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUKgAwIBAgIIWy5NbI+gGTcwCgYIKoZIzj0EAwIwPDELMAkGA1UEBhMC
Tk8xFjAUBgNVBAoMDUV4YW1wbGUgVHJ1c3QxFTATBgNVBAMMDEV4YW1wbGUgUm9v
dDAeFw0yNjEwMDEwMDAwMDBaFw0yNzAzMDEwMDAwMDBaMBoxGDAWBgNVBAMMD3d3
dy5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH7Lz+pvZ40l
sKe1/XD8b4Mf/nhCzkCslm20yR7ZbSiCqRFZ3nD8nSqIeduZ2xdyVtWK0i56xvPg
lNRl6iYNt3SjUDBOMCcGA1UdEQQgMB6CD3d3dy5leGFtcGxlLmNvbYILZXhhbXBs
ZS5jb20wEwYDVR0lBAwwCgYIKwYBBQUHAwEwDgYDVR0PAQH/BAQDAgeAMAoGCCqG
SM49BAMCA0gAMEUCIQCstTahp0ub6CEkjbOOQrMaNvDOR1RRsXz7z+wgCJzl8gIg
AlJomX9E5hQf9rKoEsJly0FFuTPffF5l9cb1048uh+w=
-----END CERTIFICATE-----
-----BEGIN CERTIFICATE-----
MIIBkTCCATegAwIBAgIISh88XX6bKEYwCgYIKoZIzj0EAwIwPDELMAkGA1UEBhMC
Tk8xFjAUBgNVBAoMDUV4YW1wbGUgVHJ1c3QxFTATBgNVBAMMDEV4YW1wbGUgUm9v
dDAeFw0yMDAxMDEwMDAwMDBaFw00MDAxMDEwMDAwMDBaMDwxCzAJBgNVBAYTAk5P
MRYwFAYDVQQKDA1FeGFtcGxlIFRydXN0MRUwEwYDVQQDDAxFeGFtcGxlIFJvb3Qw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARHQEr25fGElzdCXn39Qk2Nao+bCITS
OUgXhZaiE9e2Rj2CggK5q+aHwHQdLjnSLsTUre2ZuTFQtP/1QDKiqDBMoyMwITAP
BgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAgNIADBF
AiEAj1w7h6FEK31AGhTeZ+P8sm7JVj7RHmtoUZGKy4lXJM4CIBkHRJXj7j450K5t
wL5zRj7gP3HH0Wb2vnHErv74yB3+
-----END CERTIFICATE-----
`

const expired = `-----BEGIN CERTIFICATE-----
MIIBIDCBx6ADAgECAgEBMAoGCCqGSM49BAMCMBoxGDAWBgNVBAMMD29sZC5leGFt
cGxlLmNvbTAeFw0xNTAxMDEwMDAwMDBaFw0xNjAxMDEwMDAwMDBaMBoxGDAWBgNV
BAMMD29sZC5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH7L
z+pvZ40lsKe1/XD8b4Mf/nhCzkCslm20yR7ZbSiCqRFZ3nD8nSqIeduZ2xdyVtWK
0i56xvPglNRl6iYNt3QwCgYIKoZIzj0EAwIDSAAwRQIhAPTIDZ9Hyyanz7tzPN4L
KuFXsZae822Hcnsz2gxU85SBAiBystzuqryBUozK7yY8SMy1wYEduk/dyfaJ/Y1K
GoGQBA==
-----END CERTIFICATE-----
`

const request = `-----BEGIN CERTIFICATE REQUEST-----
MIIBGjCBwQIBADAxMRQwEgYDVQQKDAtFeMOkbXBsZSBBUzEZMBcGA1UEAwwQc2hv
cC5leGFtcGxlLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH7Lz+pvZ40l
sKe1/XD8b4Mf/nhCzkCslm20yR7ZbSiCqRFZ3nD8nSqIeduZ2xdyVtWK0i56xvPg
lNRl6iYNt3SgLjAsBgkqhkiG9w0BCQ4xHzAdMBsGA1UdEQQUMBKCEHNob3AuZXhh
bXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIhAKVmZfPlnhIuHFiHlAh5oOQ2CkRr
PjP2Q1zU1yn6rBfwAiBLUmga/9b4M0lEi9Yn2rdS+QKP3JaPRcMzT6kQFGl8sw==
-----END CERTIFICATE REQUEST-----
`

/** The fields of a certificate or request without the extensions for them. */
const withoutExtensions = {
  is_ca: false,
  path_length: null,
  key_usage: null,
  extended_key_usage: null,
  subject_key_id: null,
  authority_key_id: null,
  ocsp_urls: [],
  issuer_urls: [],
  crl_urls: [],
}

/** A certificate with its chain, one with mistakes, and a request. */
export const examples = [
  {
    name: "A certificate followed by its authority's",
    input: { certificate: chain, host: "example.com" },
    output: {
      is_valid: true,
      problems: [],
      kind: "certificate" as const,
      subject: "CN=www.example.com",
      subject_parts: [{ attribute: "CN", value: "www.example.com" }],
      issuer: "C=NO, O=Example Trust, CN=Example Root",
      serial_number: "5b2e4d6c8fa01937",
      valid_from: "2026-10-01T00:00:00.000Z",
      valid_until: "2027-03-01T00:00:00.000Z",
      key: { algorithm: "ec", bits: null, curve: "prime256v1", exponent: null },
      signature_algorithm: "ECDSA with SHA-256",
      fingerprints: {
        sha256: "4766daf98795b0e6f87b28c7e3bbec1e327d973d36327b605aca2de96a5c1233",
        sha1: "33bd631e0051cd3f55fe90d7cdaabe9f137e78f7",
        key_sha256: "b60205d9ecba2a900e38ba885cdcaff98bb010a352d6b0a7f756833209fb443f",
      },
      names: [
        { kind: "dns", value: "www.example.com" },
        { kind: "dns", value: "example.com" },
      ],
      is_ca: false,
      path_length: null,
      key_usage: ["digitalSignature"],
      extended_key_usage: ["serverAuth"],
      subject_key_id: null,
      authority_key_id: null,
      ocsp_urls: [],
      issuer_urls: [],
      crl_urls: [],
      extensions: [
        { oid: "2.5.29.17", name: "subjectAltName", is_critical: false },
        { oid: "2.5.29.37", name: "extKeyUsage", is_critical: false },
        { oid: "2.5.29.15", name: "keyUsage", is_critical: true },
      ],
      matched_name: "example.com",
      days_left: 97,
      chain: [
        {
          subject: "C=NO, O=Example Trust, CN=Example Root",
          issuer: "C=NO, O=Example Trust, CN=Example Root",
          valid_from: "2020-01-01T00:00:00.000Z",
          valid_until: "2040-01-01T00:00:00.000Z",
          sha256: "3e1569f7d6672060bdeef7fa970097f877b5e08adeff49ff16f78ed293cf2edb",
          is_issuer_of_previous: true,
        },
      ],
      lint: [
        { rule: "7.1.2.11.1", message: "There is no authorityKeyIdentifier." },
        { rule: "7.1.2.7.9", message: "There is no certificatePolicies extension." },
        { rule: "7.1.2.11.2", message: "There is no address to ask whether it was revoked (OCSP or CRL)." },
      ],
    },
    given: { now },
  },
  {
    name: "An expired certificate without a name to compare with",
    input: { certificate: expired },
    output: {
      is_valid: false,
      problems: [
        {
          code: "expired" as const,
          severity: "error" as const,
          message: "The certificate has expired.",
          where: "valid_until",
        },
        {
          code: "no_names" as const,
          severity: "warning" as const,
          message: "There is no subjectAltName for programs to compare with.",
          where: "subjectAltName",
        },
      ],
      kind: "certificate" as const,
      subject: "CN=old.example.com",
      subject_parts: [{ attribute: "CN", value: "old.example.com" }],
      issuer: "CN=old.example.com",
      serial_number: "01",
      valid_from: "2015-01-01T00:00:00.000Z",
      valid_until: "2016-01-01T00:00:00.000Z",
      key: { algorithm: "ec", bits: null, curve: "prime256v1", exponent: null },
      signature_algorithm: "ECDSA with SHA-256",
      fingerprints: {
        sha256: "0258e088a5e82989c9b3226f9fbfd02f4219e3b2a850b7f84382ba30785cd6ad",
        sha1: "f357529d2f77888b42aad0ee53c23c49f9370708",
        key_sha256: "b60205d9ecba2a900e38ba885cdcaff98bb010a352d6b0a7f756833209fb443f",
      },
      names: [],
      ...withoutExtensions,
      extensions: [],
      matched_name: null,
      days_left: -3980,
      chain: [],
      lint: null,
    },
    given: { now },
  },
  {
    name: "A request",
    input: { certificate: request },
    output: {
      is_valid: true,
      problems: [],
      kind: "request" as const,
      subject: "O=Exämple AS, CN=shop.example.com",
      subject_parts: [
        { attribute: "O", value: "Exämple AS" },
        { attribute: "CN", value: "shop.example.com" },
      ],
      issuer: null,
      serial_number: null,
      valid_from: null,
      valid_until: null,
      key: { algorithm: "ec", bits: null, curve: "prime256v1", exponent: null },
      signature_algorithm: "ECDSA with SHA-256",
      fingerprints: {
        sha256: "c96ef40a44f60ea1a0ed8ac33ff0c79239e0f4b8526f57183d51a372452cf6c8",
        sha1: "fd47301a3f015c32a1c9fdfb7b1d4b6b456c7aef",
        key_sha256: "b60205d9ecba2a900e38ba885cdcaff98bb010a352d6b0a7f756833209fb443f",
      },
      names: [{ kind: "dns", value: "shop.example.com" }],
      ...withoutExtensions,
      extensions: [{ oid: "2.5.29.17", name: "subjectAltName", is_critical: false }],
      matched_name: null,
      days_left: null,
      chain: [],
      lint: null,
    },
    given: { now },
  },
]
