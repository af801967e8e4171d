/** Bounds of connections and requests that are not settings; `docs/operating-limits.md` shows the same numbers. */
export const httpLimits = {
  /** Bun's: request line and headers together; more is a 431 without a body. */
  headerBytes: 16_384,
  /** A longer `Accept` or `Accept-Encoding`, or one with more ranges, is taken as absent: 16 kB take 13 ms, before any key. */
  acceptCharacters: 1_024,
  acceptRanges: 32,
  /** Parameters of a query string: 16 kB of `a&a&…` take 2.5 ms, before any key. */
  queryParameters: 256,
  /** Bun's: from the connection, or the end of the TLS handshake, to the last header. */
  headerSeconds: 12,
  /** A connection without traffic: between requests, or because its client does not read an answer. */
  idleSeconds: 30,
  /** The same during a batch or a GraphQL query. The most that Bun takes. */
  longWorkSeconds: 255,
  /** A connection that takes nothing of a large answer. */
  unreadSeconds: 20,
  /** With a longer body of a refused request, the connection is closed. */
  drainBytes: 33_554_432,
  /** Bytes of all bodies that are still arriving, in one process. Small ones are not counted. */
  arrivingBytes: 67_108_864,
  uncountedBodyBytes: 16_384,
  /** The body of a sign-in: a token or a key. */
  sessionBodyBytes: 4_096,
  /** The longest body with a new passkey. */
  passkeyBodyBytes: 16_384,
  /** Pieces in which a body without a declared length may arrive, and bytes for each further one. */
  freePieces: 1_000,
  bytesPerPiece: 256,
  /** `/ready` and `/metrics` do their work at most once in this time; others who ask get the same answer. */
  sharedAnswerSeconds: 1,
  /** Requests of one admin key, or of one session of the console or the portal, in a minute. */
  adminRequestsPerMinute: 600,
  /** Changes and sign-ins of the customers of one account in a minute. API calls do not count. */
  customerChangesPerMinute: 30,
  /** Questions of one network for a link by mail in a minute, in each process. */
  mailQuestionsPerMinute: 60,
  /** While someone watches requests: how often the connection gets a sign of life, and the admin key is looked at again. */
  heartbeatSeconds: 15,
  /** Failed sign-ins of one client address in a minute: after so many each answer waits longer, then they get 429. */
  freeSignInFailures: 10,
  maxSignInFailures: 100,
  /** Calls in progress get this long when the service stops. */
  stopSeconds: 10,
} as const
