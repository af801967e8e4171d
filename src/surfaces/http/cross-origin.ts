import { cors } from "@elysiajs/cors"
import { Elysia } from "elysia"
import type { AnswerSettings } from "./request.ts"

/** Headers of an answer that pages of other origins may read. */
export const exposedHeaders = [
  "x-request-id, x-error-code, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset",
  "ratelimit-policy, ratelimit, deprecation, sunset, link, idempotent-replayed",
  "x-api-credits-used, x-api-remaining-credits, x-api-max-credits, x-api-renewal, x-api-current-plan",
].join(", ")

/**
 * Lets pages of every origin call the APIs and read the usage headers, but not send credentials (Fetch §3.2).
 * Preflights are answered 204 on every path, without a key, for a day. They allow all headers that they ask for, since no
 * credentials are involved. An answer's own `Vary` wins over the plugin's.
 */
export function crossOrigin(methods = "GET, POST, OPTIONS") {
  const plugin = cors({
    origin: "*",
    credentials: false,
    methods,
    // The plugin could repeat what a preflight asks for, but would then put headers on every other answer too.
    allowedHeaders: "*",
    exposeHeaders: exposedHeaders,
    maxAge: 86_400,
  })
  return new Elysia({ name: "cross-origin" })
    .onRequest(({ request, set }) => {
      const asked =
        request.method === "OPTIONS" ? request.headers.get("access-control-request-headers") : null
      if (asked !== null) set.headers["access-control-allow-headers"] = asked
    })
    .use(plugin)
}

/** The plugin sets these on every answer, but only those of a preflight are read (Fetch, CORS protocol). */
export const preflightHeaders = ["access-control-allow-methods", "access-control-allow-headers"] as const

/** Takes back what the plugin allows, for answers that pages of other origins must not read. */
export function sameOriginOnly({ headers }: AnswerSettings): void {
  for (const name of pluginHeaders) delete headers[name]
}

const pluginHeaders = [
  ...preflightHeaders,
  "access-control-allow-origin",
  "access-control-expose-headers",
  "vary",
]
