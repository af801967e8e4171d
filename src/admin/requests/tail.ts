import { type TSchema, Type } from "@sinclair/typebox"
import { choice, nullableText } from "../../apis/contract.ts"
import type { AdminStore } from "../../store/admin-reads.ts"
import { StoreUnavailable } from "../../store/store.ts"
import { type RequestEvent, surfaces } from "../../values/request-events.ts"
import { AdminFault } from "../fault.ts"
import { defineOperation } from "../operation.ts"
import type { TakenEvents } from "../parts.ts"
import { keptSchema, withNames } from "./list-requests.ts"

const { at, request_id, status, fault, account, key, credits, ms } = keptSchema.properties

const requestSchema = Type.Object({
  ...{ at, request_id },
  surface: choice(surfaces, {
    description: "How it came in. `unkeyed`: health, metrics, documentation. `none`: no such path or method.",
  }),
  api: Type.String({
    description: "The API's id, several with commas between them; `none` where no API was called.",
  }),
  ...{ status, fault, account },
  account_name: nullableText(
    "The present name of the account; null without an account, or if the store does not answer.",
  ),
  key_name: nullableText("The present name of the key, which may be empty; null as `account_name`."),
  ...{ key, credits, ms },
  address: Type.String({ description: "The client's address; empty when it had hung up." }),
})

export const tailRequests = defineOperation({
  id: "requests.tail",
  title: "Watch requests",
  description:
    "Shows requests while they happen, as server-sent events: those of this service and its workers, not those of other instances on the same database. Paths, parameters and keys are not shown.",
  permission: "requests.read",
  method: "GET",
  path: "/requests",
  command: {
    words: "requests",
    example: "--server https://penknife.example.com --status 4xx --status 5xx",
    columns: ["at", "status", "api", "ms", "credits", "key", "fault"],
  },
  input: Type.Object({
    status: wanted(
      Type.String({ pattern: "^[1-5](xx|[0-9]{2})$", description: "A status." }),
      "Only answers with this status, such as `404`, or of this class, such as `4xx`.",
      { "x-flag": "status", "x-requirement": "must be statuses such as 404, or classes such as 4xx" },
    ),
    surface: wanted(
      choice(surfaces, { description: "A surface." }),
      `Only requests that came in this way: ${surfaces.join(", ")}. By default all but \`admin\` and \`portal\`, and of \`unkeyed\` those that failed.`,
      { "x-requirement": `must be some of ${surfaces.join(", ")}` },
    ),
    api: wanted(name("An API's id."), "Only calls of this API."),
    account: wanted(name("An account's id."), "Only calls of this account."),
    key: wanted(name("A key's id."), "Only calls with the key of this id."),
    fault: wanted(name("A fault."), "Only requests that failed for this reason, such as `rateLimited`."),
  }),
  output: requestSchema,
  example: { status: ["4xx", "5xx"] },
  run: {
    kind: "watch",
    watch(input, { watchRequests, admin }, onReady) {
      const subscription = watchRequests(input, onReady)
      if (subscription)
        return {
          end: () => subscription.end(),
          get isOver() {
            return subscription.isOver
          },
          take() {
            const { events, lost } = subscription.take()
            return events.length === 0 ? { events: [], lost } : named({ events, lost }, admin)
          },
        }
      throw new AdminFault("unavailable", "Close another watch first: so many cannot watch at once.", {
        retryAfterSeconds: 10,
      })
    },
  },
})

/** Adds the names of accounts and keys. They are null while the store does not answer: requests are shown all the same. */
async function named({ events, lost }: TakenEvents<RequestEvent>, admin: AdminStore) {
  const none = () => events.map((event) => ({ ...event, accountName: null, keyName: null }))
  const found = await withNames(events, { admin }).catch((thrown) => {
    if (thrown instanceof StoreUnavailable) return none()
    throw thrown
  })
  return {
    events: found.map(({ accountName, keyName, ...event }) => ({
      ...event,
      account_name: accountName,
      key_name: keyName,
    })),
    lost,
  }
}

function name(description: string) {
  return Type.String({ minLength: 1, maxLength: 100, description })
}

function wanted<T extends TSchema>(item: T, description: string, more: object = {}) {
  return Type.Optional(Type.Array(item, { maxItems: 20, description, ...more }))
}
