import { recommendations } from "./recommendations.ts"
import { toTerm } from "./terms.ts"

// The data comes from the public key of RFC 8410 §10.1: its SHA-256, the key itself, its SHA-1.

const daneEeOfKey = { usage: toTerm("usage", 3), selector: toTerm("selector", 1) }
const [full, sha256] = [toTerm("matching", 0), toTerm("matching", 1)]
const web =
  "_443._tcp.www.example.com. 3600 IN TLSA 3 1 1 a1e9156054e04fac899ae9f275132cdc07a5dbc4ea2c2ad3a1ffc6e0d253681f"
const mail =
  "_25._tcp.mail.example.com 1h TLSA ( 3 1 0 ; the key itself\n    302a300506032b657003210019bf44096984cdfe8541\n    bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1 )"
const tooShort = "_25._tcp.mail.example.com. TLSA 3 1 1 3a04967761a552db7e9e18c6dba4bd4aae119908"

const valid = {
  is_valid: true,
  certificate_data_format: "Valid hexadecimal",
  certificate_data_length_valid: true,
}

export const recommendedExample = {
  name: "A 3 1 1 record for a web server",
  input: { record: web },
  output: {
    raw_record: web,
    parsed: {
      name: "_443._tcp.www.example.com.",
      port: 443,
      protocol: "tcp",
      hostname: "www.example.com",
      ttl: 3600,
      class: "IN",
      usage: 3,
      selector: 1,
      matching: 1,
      certificate_data: "a1e9156054e04fac899ae9f275132cdc07a5dbc4ea2c2ad3a1ffc6e0d253681f",
      certificate_data_length: 64,
    },
    interpretation: {
      ...daneEeOfKey,
      matching: sha256,
      security_level: "Recommended",
      recommendation: recommendations["3 1 1"],
    },
    validation: valid,
  },
} as const

export const zoneFileExample = {
  name: "A whole public key, as zone files write it",
  input: { record: mail },
  output: {
    raw_record: mail,
    parsed: {
      name: "_25._tcp.mail.example.com.",
      port: 25,
      protocol: "tcp",
      hostname: "mail.example.com",
      ttl: 3600,
      class: "IN",
      usage: 3,
      selector: 1,
      matching: 0,
      certificate_data:
        "302a300506032b657003210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1",
      certificate_data_length: 88,
    },
    interpretation: {
      ...daneEeOfKey,
      matching: full,
      security_level: "Discouraged",
      recommendation: recommendations["3 1 0"],
    },
    validation: valid,
  },
} as const

export const invalidExample = {
  name: "A digest of the wrong length, TTL and class left out",
  input: { record: tooShort },
  output: {
    raw_record: tooShort,
    parsed: {
      name: "_25._tcp.mail.example.com.",
      port: 25,
      protocol: "tcp",
      hostname: "mail.example.com",
      ttl: null,
      class: "IN",
      usage: 3,
      selector: 1,
      matching: 1,
      certificate_data: "3a04967761a552db7e9e18c6dba4bd4aae119908",
      certificate_data_length: 40,
    },
    interpretation: {
      ...daneEeOfKey,
      matching: sha256,
      security_level: "Insecure",
      recommendation:
        "Do not publish this record: name servers refuse it, or no client can use it (RFC 6698 §4.1). A SHA-256 digest has 64 hexadecimal digits; the data here has 40 characters. 40 is the length of SHA-1, which TLSA does not use. Correct the data and check again.",
    },
    validation: { ...valid, is_valid: false, certificate_data_length_valid: false },
  },
} as const
