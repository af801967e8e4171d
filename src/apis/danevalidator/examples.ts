// The data comes from the public key of RFC 8410 §10.1: its SHA-256, the key itself, its SHA-1.

const daneEe = {
  name: "DANE-EE",
  description: "Domain-issued certificate: the record itself vouches for the server's certificate.",
  full_description:
    "The server's certificate or key has to match the record, and nothing else counts: no CA is needed, the certificate may be self-signed, and its names and dates are not checked (RFC 6698 §2.1.1, RFC 7671 §5.1).",
}

const spki = {
  name: "SPKI",
  description: "The public key is matched (SubjectPublicKeyInfo).",
  full_description:
    "The record is compared with the certificate's SubjectPublicKeyInfo in DER: the public key and its algorithm. A renewed certificate with the same key still matches (RFC 6698 §2.1.2).",
}

const full = {
  name: "Full",
  description: "The data is the selected content itself, not a digest.",
  full_description:
    "The record holds the whole certificate or public key. DNS answers become large, may be cut off over UDP and need TCP (RFC 6698 §2.1.3, RFC 7671 §10.1).",
}

const sha256 = {
  name: "SHA-256",
  description: "The data is a SHA-256 digest of the selected content.",
  full_description:
    "The record holds the SHA-256 digest: 32 bytes, 64 hexadecimal digits. Every DANE client has to support it (RFC 6698 §2.1.3 and §6).",
}

export const recommendedExample = {
  name: "A 3 1 1 record for a web server",
  input: {
    record:
      "_443._tcp.www.example.com. 3600 IN TLSA 3 1 1 a1e9156054e04fac899ae9f275132cdc07a5dbc4ea2c2ad3a1ffc6e0d253681f",
  },
  output: {
    raw_record:
      "_443._tcp.www.example.com. 3600 IN TLSA 3 1 1 a1e9156054e04fac899ae9f275132cdc07a5dbc4ea2c2ad3a1ffc6e0d253681f",
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
      usage: daneEe,
      selector: spki,
      matching: sha256,
      security_level: "Recommended",
      recommendation:
        "This is the recommended configuration, for SMTP and any other service (RFC 7671 §5.1, RFC 7672 §3.1). It ties the service to the server's key, so that renewal with the same key needs no change; publish the record of a new key at least two TTLs before using it (RFC 7671 §8.1). The zone has to be signed with DNSSEC.",
    },
    validation: {
      is_valid: true,
      certificate_data_format: "Valid hexadecimal",
      certificate_data_length_valid: true,
    },
  },
} as const

export const zoneFileExample = {
  name: "A whole public key, as zone files write it",
  input: {
    record:
      "_25._tcp.mail.example.com 1h TLSA ( 3 1 0 ; the key itself\n    302a300506032b657003210019bf44096984cdfe8541\n    bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1 )",
  },
  output: {
    raw_record:
      "_25._tcp.mail.example.com 1h TLSA ( 3 1 0 ; the key itself\n    302a300506032b657003210019bf44096984cdfe8541\n    bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1 )",
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
      usage: daneEe,
      selector: spki,
      matching: full,
      security_level: "Discouraged",
      recommendation:
        "The record holds the whole public key of the server, which makes DNS answers large and gains nothing over its digest (RFC 7671 §10.1). Renewal with the same key needs no change, as with 3 1 1. Publish 3 1 1 instead, also for SMTP.",
    },
    validation: {
      is_valid: true,
      certificate_data_format: "Valid hexadecimal",
      certificate_data_length_valid: true,
    },
  },
} as const

export const invalidExample = {
  name: "A digest of the wrong length, TTL and class left out",
  input: { record: "_25._tcp.mail.example.com. TLSA 3 1 1 3a04967761a552db7e9e18c6dba4bd4aae119908" },
  output: {
    raw_record: "_25._tcp.mail.example.com. TLSA 3 1 1 3a04967761a552db7e9e18c6dba4bd4aae119908",
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
      usage: daneEe,
      selector: spki,
      matching: sha256,
      security_level: "Insecure",
      recommendation:
        "Do not publish this record: name servers refuse it, or no client can use it (RFC 6698 §4.1). A SHA-256 digest has 64 hexadecimal digits; the data here has 40 characters. 40 is the length of SHA-1, which TLSA does not use. Correct the data and check again.",
    },
    validation: {
      is_valid: false,
      certificate_data_format: "Valid hexadecimal",
      certificate_data_length_valid: false,
    },
  },
} as const
