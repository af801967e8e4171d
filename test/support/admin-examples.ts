import type { Operation } from "../../src/admin/operation.ts"
import { systemClock } from "../../src/ports/clock.ts"
import { systemRandom } from "../../src/ports/random.ts"
import { keepAliveTimer } from "../../src/ports/timer.ts"
import { openStore } from "../../src/store/open.ts"
import { type OperationRoute, routesOf } from "../../src/surfaces/http/admin/operation-routes.ts"
import type { adminClient } from "./admin.ts"
import { createTestPasskey } from "./passkeys.ts"

type Client = ReturnType<typeof adminClient>

/** A request made from the example of an operation. */
interface ExampleRequest {
  /** As a generated client takes it. */
  readonly options: {
    readonly params: { readonly path?: object; readonly query?: object }
    readonly body?: object
  }
  readonly method: string
  /** Below `/admin/v1`, with a query string. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
}

/** Things that the examples of operations name, made for one call. */
interface Things {
  readonly account: string
  readonly key: string
  readonly keyText: string
}

/** The changes to these things that make the example of an operation work. */
const preparations: Readonly<Record<string, (admin: Client, things: Things) => Promise<unknown>>> = {
  "accounts.reopen": (admin, { account }) => admin("POST", `/accounts/${account}/close`),
  "keys.enable": (admin, { key }) => admin("POST", `/keys/${key}/disable`),
}

/**
 * Makes what the example of an operation names, and returns a request that works.
 * @param db the store of the service
 * @param may the permission of who sends it, who can give no other
 */
export async function exampleRequest(
  operation: Operation,
  admin: Client,
  db: string,
  may = "*",
): Promise<ExampleRequest> {
  const things = await makeThings(admin)
  await preparations[operation.id]?.(admin, things)
  const input: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(operation.example)) {
    input[name] = typeof value === "string" ? await replaced(value, things, admin, { db, may }) : value
    if (name === "items") input[name] = [{ id: things.key }]
  }
  // A month that is not in the future is only started again on purpose.
  if ("anyway" in operation.input.properties) input.anyway = true
  const [route] = routesOf([operation])
  if (!route) throw new Error(`${operation.id} has no route`)
  return toRequest(route, input)
}

/** The request for an operation with these parameters. */
function toRequest(
  { operation, template, inPath }: OperationRoute,
  input: Record<string, unknown>,
): ExampleRequest {
  const path = template
    .replace("/admin/v1", "")
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
  const { method } = operation
  const options = clientOptions(operation, inPath, input)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options.params.query ?? {})) {
    for (const item of [value].flat()) query.append(name, String(item))
  }
  return {
    options,
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    ...(options.body && { body: options.body }),
  }
}

/** The options of a call of a generated client. */
export function clientOptions(
  { method }: Operation,
  inPath: readonly string[],
  input: Readonly<Record<string, unknown>>,
) {
  const given = Object.entries(input)
  const path = Object.fromEntries(given.filter(([name]) => inPath.includes(name)))
  const rest = Object.fromEntries(given.filter(([name]) => !inPath.includes(name)))
  const hasRest = Object.keys(rest).length > 0
  return {
    params: {
      ...(inPath.length > 0 && { path }),
      ...(method === "GET" && hasRest && { query: rest as Record<string, string> }),
    },
    ...(method !== "GET" && hasRest && { body: rest }),
  }
}

const webhook = { url: "http://127.0.0.1:1/hook", allow_private: true }

/** A notice whose webhook was removed and set again, so that it is not being sent. */
async function unsentNotice(account: string, admin: Client): Promise<string> {
  const id = idOf(await admin("POST", `/accounts/${account}/webhook/test`))
  await admin("DELETE", `/accounts/${account}/webhook`)
  await admin("POST", `/accounts/${account}/webhook`, { body: webhook })
  return id
}

async function makeThings(admin: Client): Promise<Things> {
  const account = idOf(await admin("POST", "/accounts", { body: { name: "Ann" } }))
  await admin("POST", `/accounts/${account}/webhook`, { body: webhook })
  const key = await admin("POST", "/keys", { body: { account, name: "ci" } })
  return { account, key: idOf(key), keyText: String(key.body.key) }
}

/** The id of a thing that exists, instead of one in an example. */
async function replaced(
  value: string,
  { account, key, keyText }: Things,
  admin: Client,
  { db, may }: { readonly db: string; readonly may: string },
): Promise<string> {
  if (value.startsWith("acc_")) return account
  if (value === "2027-01") return monthOf(await admin("GET", `/accounts/${account}`))
  // The bonus that the account began with.
  if (value.startsWith("adj_")) return `adj_${account}`
  if (value.startsWith("key_")) return key
  if (value.startsWith("pk-")) return keyText
  if (value.startsWith("msg_")) return unsentNotice(account, admin)
  if (value.startsWith("eml_"))
    return idOf(await admin("POST", "/invitations", { body: { email: "bob@example.com" } }))
  if (value.startsWith("adm_"))
    return idOf(await admin("POST", "/admins", { body: { name: "other", may: [may] } }))
  if (value.startsWith("psn_")) {
    return idOf(await admin("POST", "/people", { body: { name: "Ann", may: [may] } }))
  }
  if (value.startsWith("psk_")) return passkey(admin, db, may)
  if (value.startsWith("penknife-")) return backup(value, admin)
  return value
}

/** The id of a new passkey. Only a browser makes one over HTTP. */
async function passkey(admin: Client, db: string, may: string): Promise<string> {
  const person = idOf(await admin("POST", "/people", { body: { name: "Ann", may: [may] } }))
  const { store, admin: stored } = await openStore(db, {
    ...{ timer: keepAliveTimer, clock: systemClock, random: systemRandom, limitMs: 30_000 },
  })
  const id = await createTestPasskey(stored, person)
  await store.close()
  return id
}

/** The month in which an account was created. */
function monthOf({ body }: Awaited<ReturnType<Client>>): string {
  return String(body.created).slice(0, 7)
}

/** The name of a new backup; the given one where the store has none. */
async function backup(name: string, admin: Client): Promise<string> {
  const { status, body } = await admin("POST", "/backups")
  return status === 201 ? String(body.name) : name
}

function idOf({ status, body }: Awaited<ReturnType<Client>>): string {
  if (status >= 300 || typeof body.id !== "string") throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.id
}
