/** The baseline for GraphQL: graphql-yoga with the catalog's schema, running the APIs without a key, a charge or a log. */
import { createYoga } from "graphql-yoga"
import { createCatalog } from "../../src/apis/catalog.ts"
import type { Ports } from "../../src/apis/contract.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { createZoneDns } from "../../src/ports/dns/zone.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { systemTimer } from "../../src/ports/timer.ts"
import { webOff } from "../../src/ports/web/fixed-web.ts"
import type { FieldContext } from "../../src/surfaces/graphql/output-type.ts"
import { createGraphqlSchema } from "../../src/surfaces/graphql/schema.ts"

const catalog = createCatalog()
const apis = new Map(catalog.map((api) => [api.id, api]))
const ports: Ports = {
  clock: systemClock,
  random: systemRandom,
  timer: systemTimer,
  dns: createZoneDns({}),
  web: webOff,
}
const context: FieldContext = {
  run: (id, parameters) => apis.get(id)?.run(parameters, { ports, giveWay() {}, premium: true }),
  count() {},
  useDeprecated() {},
  giveWay() {},
}

const yoga = createYoga({
  schema: createGraphqlSchema(catalog),
  context,
  graphqlEndpoint: "/v1/graphql",
  graphiql: false,
  landingPage: false,
  logging: false,
})
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => yoga.fetch(request) })
console.log(JSON.stringify({ event: "listening", url: `http://127.0.0.1:${server.port}` }))
process.once("SIGTERM", () => process.exit(0))
