import { headerComponents } from "../headers.ts"
import type { JsonObject } from "../json-object.ts"

const version = { type: "string", pattern: '^"[1-9][0-9]*"$' }

/** The headers of the answers by name. A required one is on every answer that refers to it. */
export const adminHeaders = {
  "X-Request-ID": headerComponents["X-Request-ID"],
  ETag: { description: "The version of what is shown, for `If-Match`.", schema: { type: "string" } },
  Location: { description: "The path of what was created.", schema: { type: "string" } },
  "Idempotent-Replayed": {
    description: "`true` when this is the answer of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
  },
  "Retry-After": headerComponents["Retry-After"],
  "X-Accel-Buffering": {
    description: "`no`: tells proxies to pass events on at once.",
    schema: { type: "string", const: "no" },
  },
  Allow: headerComponents.Allow,
  "WWW-Authenticate": headerComponents["WWW-Authenticate"],
} as const satisfies Readonly<Record<string, JsonObject>>

/** The request headers of changes. */
export const adminParameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "A text of your choice, such as a UUID, that makes it safe to send the request again.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
    example: "0f1c1f8e-7d0c-4e58-9d3b-3f2c1b7a9e01",
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    description:
      "The ETag of an earlier answer: the change is made only to this version. `*` is any version.",
    schema: { anyOf: [version, { type: "string", const: "*" }] },
    example: '"3"',
  },
} as const satisfies Readonly<Record<string, JsonObject>>
