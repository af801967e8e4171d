import { Type } from "@sinclair/typebox"

/** Events that an account's webhook can get besides the thresholds of credits, which it always gets. */
const optionalEvents = {
  "credits.exhausted": "All credits are used up.",
  "key.expiring": "A key expires in 7 days, and again in 1 day.",
  "key.created": "A key was created.",
  "key.revoked": "A key was revoked.",
  "month.renewed": "A new credit month has begun.",
} as const satisfies Record<string, string>

/** The name of an event that an account can choose. */
export type OptionalEvent = keyof typeof optionalEvents

export const eventsParameter = Type.Array(
  Type.Union(Object.keys(optionalEvents).map((event) => Type.Literal(event))),
  {
    uniqueItems: true,
    maxItems: Object.keys(optionalEvents).length,
    description: `Events that its webhook gets besides the thresholds of credits: ${Object.keys(optionalEvents).join(", ")}.`,
    "x-flag": "event",
    "x-requirement": `must be a list of ${Object.keys(optionalEvents).join(", ")}, each at most once`,
  },
)

/** The event of accounts that get mail and have chosen none: a key that expires unnoticed stops a customer's program. */
export const mailedEvent: OptionalEvent = "key.expiring"
