import { type Static, Type } from "@sinclair/typebox"
import { choice, nullableText } from "../../apis/contract.ts"
import type { KeptRequest, RequestFilter } from "../../store/kept-requests.ts"
import { surfaces } from "../../values/request-events.ts"
import { conflict } from "../fault.ts"
import {
  accountId,
  cursorParameters,
  instant,
  keyId,
  listOf,
  optionalText,
  pageParameters,
  requireRange,
} from "../fields.ts"
import { requireOwner } from "../keys/key.ts"
import { type AdminContext, defineRead } from "../operation.ts"
import { readPlacedPage } from "../pages.ts"
import type { AdminParts } from "../parts.ts"
import { showBy } from "../show.ts"

/** A kept request as operations answer it. */
export const keptSchema = Type.Object({
  at: instant("When the answer was made."),
  request_id: Type.String({ description: "The id of the request." }),
  surface: choice(surfaces, { description: "How it came in. `portal`: from a page of the portal." }),
  api: Type.String({
    description: "The API's id, several with commas between them; `none` for a request that reached no API.",
  }),
  status: Type.Integer({ description: "The HTTP status." }),
  fault: nullableText("What was wrong, such as `rateLimited`; null without a fault."),
  parameter: nullableText("The name of the parameter at fault; null without one."),
  account: nullableText("The account's id; null if the caller was not identified."),
  account_name: nullableText(
    "The present name of the account; null without an account, or if it no longer exists.",
  ),
  key: nullableText("The key's id; null if the caller was not identified."),
  key_name: nullableText(
    "The present name of the key, which may be empty; null without a key, or if it no longer exists.",
  ),
  credits: Type.Integer({ description: "Credits that were charged." }),
  replayed: Type.Boolean({
    description:
      "Whether it was a call that was answered again under its `Idempotency-Key`, and not charged.",
  }),
  ms: Type.Number({ description: "Milliseconds until the answer was made." }),
  address: nullableText("The client's address; null unless the service has `--keep-addresses`."),
})

const filterParameters = {
  account: Type.Optional({ ...accountId, description: "Only requests of this account." }),
  key: Type.Optional({ ...keyId, description: "Only requests with the key of this id." }),
  api: optionalText("Only requests of this API.", {
    pattern: "^[A-Za-z0-9._-]{1,100}$",
    "x-requirement": "must be the id of an API, such as hmac",
  }),
  status: optionalText("Only answers with this status, such as `404`, or of this class, such as `4xx`.", {
    pattern: "^[1-5](xx|[0-9]{2})$",
    "x-requirement": "must be a status such as 404, or a class such as 4xx",
  }),
  fault: optionalText("Only requests that failed for this reason, such as `rateLimited`.", {
    pattern: "^[A-Za-z_]{1,100}$",
    "x-requirement": "must be the code of a fault, such as rateLimited",
  }),
  request_id: optionalText("Only requests with exactly this id.", {
    pattern: "^[A-Za-z0-9._-]{1,128}$",
    "x-requirement": "must be a whole request id: letters, digits, '.', '_' and '-', at most 128",
  }),
  from: time("Only requests from this time on: 2027-01-31, or 2027-01-31T12:00:00Z."),
  to: time("Only requests before this time."),
}

export const listRequests = defineRead({
  id: "requests.list",
  title: "Search requests",
  description:
    "Lists the requests that `--keep-requests` keeps, newest first, about a second after their answers. Input, query, answer and keys are not kept. A page can have fewer entries than asked for, or none, and `has_more` all the same: it ends when many requests were looked at.",
  permission: "requests.read",
  path: "/requests/kept",
  command: {
    words: "requests list",
    example: "--account acc_1234567890abcdef --status 4xx",
    empty: "No requests match. Requests are kept only by a service with --keep-requests.",
    columns: ["at", "status", "api", "fault", "parameter", "request_id"],
    moreColumns: ["account", "account_name", "key", "key_name", "credits", "ms", "address"],
  },
  portal: { account: "account", key: "key" },
  input: Type.Object({ ...filterParameters, ...pageParameters }),
  output: listOf(keptSchema),
  example: { account: "acc_1234567890abcdef", status: "4xx" },
  read: readRequests,
})

export const exportRequests = defineRead({
  id: "requests.export",
  title: "Export requests",
  description:
    "Returns all requests that `--keep-requests` keeps as JSON lines, newest first, for Loki, ClickHouse, DuckDB and the like.",
  permission: "requests.read",
  path: "/requests/export",
  command: { words: "requests export", example: "--format jsonl --from 2027-01-31 > requests.jsonl" },
  input: Type.Object({
    ...filterParameters,
    ...cursorParameters,
    format: Type.Optional(choice(["jsonl"], { default: "jsonl", description: "One JSON object a line." })),
  }),
  output: listOf(keptSchema),
  format: "json-lines",
  example: { from: "2027-01-31" },
  read: readRequests,
})

type Filters = Static<ReturnType<typeof Type.Object<typeof filterParameters & typeof cursorParameters>>>

/** One page of the kept requests, newest first. */
async function readRequests(given: Filters, context: AdminContext) {
  if (!context.requests.isOn) throw conflict(context.actor.account === null ? isOff : isOffForCustomers)
  const filter = await toFilter(given, context)
  return readPlacedPage(
    "requests",
    given,
    async (page) => {
      const { requests, next } = await context.requests.find(filter, page)
      return { rows: await withNames(requests, context), next }
    },
    toOutput,
  )
}

const isOff =
  "This service keeps no requests. Start it with '--keep-requests 30' to keep those of the last 30 days."

const isOffForCustomers = "This service keeps no requests."

/** A key is always searched with its account, so that no other account's requests are found. */
async function toFilter(given: Filters, context: AdminParts): Promise<RequestFilter> {
  const { account, key, api, status, fault, request_id } = given
  const owner = await requireOwner(account, key, context)
  return {
    ...{ account: owner, key, api, status, fault, requestId: request_id },
    ...requireRange(given),
  }
}

/** The names of the account and the key of a request. */
interface CallerNames {
  readonly accountName: string | null
  readonly keyName: string | null
}

/** Adds the names of accounts and keys to requests. Names are not kept, since they change and can be personal. */
export async function withNames<Request extends Pick<KeptRequest, "account" | "key">>(
  requests: readonly Request[],
  { admin }: Pick<AdminParts, "admin">,
): Promise<readonly (Request & CallerNames)[]> {
  const idsOf = (field: "account" | "key") => [
    ...new Set(requests.flatMap((request) => request[field] ?? [])),
  ]
  const [accounts, keys] = await Promise.all([
    admin.accountNames(idsOf("account")),
    admin.keyNames(idsOf("key")),
  ])
  const names = new Map([...accounts, ...keys].map(({ id, name }) => [id, name]))
  const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null))
  return requests.map((request) => ({
    ...request,
    accountName: nameOf(request.account),
    keyName: nameOf(request.key),
  }))
}

const show = showBy(keptSchema)

function toOutput(request: KeptRequest & CallerNames) {
  return show(request, { replayed: request.isReplay })
}

function time(description: string) {
  return optionalText(description, {
    maxLength: 40,
    "x-requirement": "must be a date such as 2027-01-31, or an instant",
  })
}
