/** The GraphQL gateway of the executable: the audits of GraphQL over HTTP, and clients as people use them. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from "graphql"
import { serverAudits } from "graphql-http"
import { ClientError, GraphQLClient, gql } from "graphql-request"
import { withKey } from "../support/keyed-request.ts"
import { tempDir } from "../support/temp.ts"
import { seedOne } from "./accounts.ts"
import { serveForFile } from "./support.ts"

const { db, key } = await seedOne(tempDir())
const server = await serveForFile(db)
const sdl = readFileSync(join(import.meta.dir, "../../docs/schema.graphql"), "utf8")

const endpoint = `${server.url}/v1/graphql`

const get = "queries are taken over POST alone"
const alike = "a request that cannot run has the same status for every media type"
/** Audits that contradict the contract, each with the reason. */
const contradicted: Readonly<Record<string, string>> = {
  "5A70": get,
  D6D5: get,
  "6A70": get,
  "572B": alike,
  FDE2: alike,
  "7B9B": alike,
}
const audits = serverAudits({
  url: endpoint,
  fetchFn: (input: string, init?: RequestInit) => fetch(input, withKey({ ...init, key })),
})

test("GraphQL over HTTP: every audit in the list of exceptions exists", () => {
  expect(audits.length).toBeGreaterThan(50)
  const ids = audits.map(({ id }) => id)
  expect(Object.keys(contradicted).filter((id) => !ids.includes(id))).toEqual([])
})

test.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
  "GraphQL over HTTP: %s %s",
  async (id, _name, audit) => {
    const result = await audit.fn()
    const reason = result.status === "ok" ? "" : result.reason
    expect({ id, reason, passed: result.status === "ok" }).toEqual({
      id,
      reason: id in contradicted ? expect.stringContaining("status") : "",
      passed: !(id in contradicted),
    })
  },
)

const query = gql`
    query Company($id: String!, $message: String!) {
      bluetoothlookup(input: { companyid: $id }) {
        company
        found
      }
      hmac(input: { message: $message, secret: "Jefe" }) {
        hmac
      }
    }
  `

test("graphql-request reads data", async () => {
  const client = new GraphQLClient(endpoint, { headers: { "x-api-key": key } })
  const variables = { id: "0x004C", message: "what do ya want for nothing?" }
  expect(await client.request<object>(query, variables)).toEqual({
    bluetoothlookup: { company: "Apple, Inc.", found: true },
    hmac: { hmac: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843" },
  })
})

test("graphql-request reads data and errors, and the code of a refusal", async () => {
  const client = new GraphQLClient(endpoint, { headers: { "x-api-key": key } })
  const failed = await client.request(query, { id: "x", message: "" }).catch((error: unknown) => error)
  if (!(failed instanceof ClientError)) throw new Error("there was no ClientError")
  expect(failed.response.status).toBe(200)
  expect(failed.response.errors?.[0]?.extensions.code).toBe("BAD_USER_INPUT")
  expect(failed.response.data).toMatchObject({ bluetoothlookup: null, hmac: { hmac: expect.any(String) } })
  const stranger = await new GraphQLClient(endpoint).request("{ __typename }").catch((error) => error)
  const refusal = { status: 401, errors: [{ extensions: { code: "INVALID_API_KEY" } }] }
  expect(stranger.response).toMatchObject(refusal)
})

test("graphql-request introspects the schema that is documented", async () => {
  const client = new GraphQLClient(endpoint, { headers: { "x-api-key": key } })
  const schema = buildClientSchema(await client.request<IntrospectionQuery>(getIntrospectionQuery()))
  expect(`${printSchema(schema)}\n`).toBe(sdl)
})
