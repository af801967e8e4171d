import { type TSchema, Type } from "@sinclair/typebox"
import { choice, nullable } from "../../apis/contract.ts"
import { surfaces } from "../../values/request-events.ts"
import { AdminFault } from "../fault.ts"
import { instant } from "../fields.ts"
import { defineOperation } from "../operation.ts"

const requestSchema = Type.Object({
  at: instant("When the answer was made."),
  request_id: Type.String({ description: "The id of the request." }),
  surface: choice(surfaces, {
    description: "How it came in. `unkeyed`: health, metrics, documentation. `none`: no such path or method.",
  }),
  api: Type.String({
    description: "The API's id, several with commas between them; `none` where no API was called.",
  }),
  status: Type.Integer({ description: "The HTTP status." }),
  fault: nullable(Type.String(), {
    description: "What was wrong, such as `rateLimited`; null without a fault.",
  }),
  account: nullable(Type.String(), { description: "The account's id; null when it did not become known." }),
  key: nullable(Type.String(), { description: "The key's id; null when it did not become known." }),
  credits: Type.Integer({ description: "Credits that were charged." }),
  ms: Type.Number({ description: "Milliseconds until the answer was made." }),
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
    watch(input, { watchRequests }, onReady) {
      const subscription = watchRequests(input, onReady)
      if (subscription) return subscription
      throw new AdminFault("unavailable", "Close another watch first: so many cannot watch at once.", {
        retryAfterSeconds: 10,
      })
    },
  },
})

function name(description: string) {
  return Type.String({ minLength: 1, maxLength: 100, description })
}

function wanted<T extends TSchema>(item: T, description: string, more: object = {}) {
  return Type.Optional(Type.Array(item, { maxItems: 20, description, ...more }))
}
