const signed =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiJhbm4iLCJpYXQiOjE3NjcyMjU2MDAsImV4cCI6NDEwMjQ0NDgwMH0.iUbH7uVGsMMTn6DuxnKJxSzTdyajCfZ-j3GhJ34GSn8"
const ofAnn =
  "eyJhbGciOiJFUzI1NiIsImtpZCI6IjIwMjUtMTIifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiJhbm4iLCJleHAiOjE3NjcyMjU2MDB9.TzEj1F_tV2tB-72m9RGXR74R4GzLmncsO82_-4A3sMfA9usz6WOwSMz4dtj1DE5UGquMxJSGdKS2B7pqxEHiWw"
const keySet =
  '{"keys":[{"kid":"2025-12","kty":"EC","crv":"P-256","x":"7VUT-w9Dz9iAGXUVhg54YSaQHrHB1Xj4lA_fru3eGlg","y":"6GdQJ43QmQuqnqSQ5q52ZUAqSE-1aGgWgsSPraaOpR4"}]}'

/** A token that is right, one that has expired, and one that anyone can have written. */
export const examples = [
  {
    name: "A token and its shared secret",
    input: { token: signed, key: "an example, and not a secret at all" },
    output: {
      is_valid: true,
      problems: [],
      kind: "jws" as const,
      algorithm: "HS256",
      header: { alg: "HS256", typ: "JWT" },
      claims: { iss: "https://login.example", sub: "ann", iat: 1767225600, exp: 4102444800 },
      payload_text: null,
      issued_at: "2026-01-01T00:00:00.000Z",
      valid_from: null,
      valid_until: "2100-01-01T00:00:00.000Z",
      verification: {
        is_verified: true,
        reason: "signature_fits" as const,
        algorithm: "HS256",
        key_id: null,
        is_weak_key: false,
      },
    },
    given: { now: "2026-11-23T12:00:00Z" },
  },
  {
    name: "An expired token and a set of public keys",
    input: { token: ofAnn, key: keySet },
    output: {
      is_valid: false,
      problems: [
        {
          code: "expired" as const,
          severity: "error" as const,
          message: "The token has expired.",
          where: "exp",
        },
      ],
      kind: "jws" as const,
      algorithm: "ES256",
      header: { alg: "ES256", kid: "2025-12" },
      claims: { iss: "https://login.example", sub: "ann", exp: 1767225600 },
      payload_text: null,
      issued_at: null,
      valid_from: null,
      valid_until: "2026-01-01T00:00:00.000Z",
      verification: {
        is_verified: true,
        reason: "signature_fits" as const,
        algorithm: "ES256",
        key_id: "2025-12",
        is_weak_key: false,
      },
    },
    given: { now: "2026-11-23T12:00:00Z" },
  },
  {
    name: "An unsigned token",
    input: { token: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiIsImFkbWluIjp0cnVlfQ." },
    output: {
      is_valid: false,
      problems: [
        {
          code: "unsecured" as const,
          severity: "error" as const,
          message: "The algorithm is 'none': anyone can have written the token.",
          where: "header",
        },
        {
          code: "no_expiry" as const,
          severity: "warning" as const,
          message: "The token never expires.",
          where: "exp",
        },
      ],
      kind: "jws" as const,
      algorithm: "none",
      header: { alg: "none" },
      claims: { sub: "admin", admin: true },
      payload_text: null,
      issued_at: null,
      valid_from: null,
      valid_until: null,
      verification: null,
    },
  },
]
