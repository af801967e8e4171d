/**
 * What bounds a connection and a request besides the settings, in one place; `docs/operating-limits.md` shows the same
 * numbers. Those of the platform cannot be set; `test/binary/slow-clients.test.ts` sees that they are as they are said to be.
 */
export const httpLimits = {
  /** Of the platform: request line and headers together; more is a 431 without a body. */
  headerBytes: 16_384,
  /** Of the platform: from the connection, or the end of the TLS handshake, to the last header. */
  headerSeconds: 12,
  /** A connection on which nothing happens: between requests, or because its client does not read an answer. */
  idleSeconds: 30,
  /** The same while a batch or a GraphQL query is under way: many inputs add up. The most that the platform knows. */
  patientSeconds: 255,
  /** A body that nobody wants any more is read away up to this much and this long; then the connection is closed. */
  drainBytes: 16_777_216,
  drainSeconds: 5,
  /** Calls under way get this long when the service stops. */
  stopSeconds: 10,
} as const
