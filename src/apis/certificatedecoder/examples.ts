import { storedExamples } from "../stored-examples.ts"
import answers from "./answers.json"

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

/** A certificate with its chain, one with mistakes, and a request. */
export const examples = storedExamples(
  {
    examples: [
      {
        name: "A certificate followed by its authority's",
        input: { certificate: chain, host: "example.com" },
        given: { now },
      },
      {
        name: "An expired certificate without a name to compare with",
        input: { certificate: expired },
        given: { now },
      },
      {
        name: "A request",
        input: { certificate: request },
        given: { now },
      },
    ],
  },
  answers,
)
