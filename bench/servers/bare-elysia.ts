/**
 * The baseline for a metered GET: an Elysia app with the headers, the cross-origin plugin and the typed query of such a route,
 * which meters nothing.
 */
import { cors } from "@elysiajs/cors"
import { Elysia, t } from "elysia"
import { exposedHeaders } from "../../src/surfaces/http/reply/headers.ts"

let count = 0
const app = new Elysia({ systemRouter: false })
  .use(
    cors({
      origin: "*",
      credentials: false,
      allowedHeaders: "*",
      exposeHeaders: exposedHeaders,
      maxAge: 86_400,
    }),
  )
  .get(
    "/v1/bluetoothlookup",
    ({ query: { companyid }, set }) => {
      count++
      set.headers["x-content-type-options"] = "nosniff"
      set.headers.vary = "Accept"
      set.headers["cache-control"] = "no-store"
      set.headers["content-type"] = "application/json"
      set.headers["x-api-max-credits"] = "1000000"
      set.headers["x-api-renewal"] = "1738368000"
      set.headers["x-api-current-plan"] = "pro"
      set.headers["x-request-id"] = `abcdefghijkl.${count.toString(36)}`
      set.headers["x-api-credits-used"] = String(count)
      set.headers["x-api-remaining-credits"] = String(1_000_000 - count)
      const data = { companyId: companyid, companyIdHex: "0x004C", found: true, company: "Apple, Inc." }
      return { status: "ok", error: null, data }
    },
    { query: t.Object({ companyid: t.Number() }) },
  )
  .listen({ hostname: "127.0.0.1", port: 0 })
console.log(JSON.stringify({ event: "listening", url: `http://127.0.0.1:${app.server?.port}` }))
process.once("SIGTERM", () => process.exit(0))
