import { Type } from "@sinclair/typebox"
import { choice, nullableText } from "../../apis/contract.ts"
import { toIso } from "../../values/time-text.ts"
import { instant, maybeInstant, maybeInteger } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { showBy } from "../show.ts"
import { linkLimits } from "../sign-up/ask.ts"
import type { MailState } from "./service-health.ts"

const mostSignUps = linkLimits.signUpsInAll
const counts = (description: string) => Type.Record(Type.String(), Type.Integer(), { description })

const output = Type.Object({
  version: Type.String({ description: "The program's version." }),
  started: Type.Optional(instant("When the process was started; absent from a command on the store.")),
  uptime_seconds: Type.Optional(Type.Integer({ description: "How long it has run; absent with `started`." })),
  store: choice(["sqlite", "postgresql"], { description: "The kind of store." }),
  store_bytes: counts("Sizes of the store's parts in bytes."),
  notices: Type.Object(
    { pending: Type.Integer({ description: "Notices that wait for their delivery, at most 100,000." }) },
    { description: "The notices that have not been delivered yet." },
  ),
  mail: Type.Object(
    {
      state: choice(["off", "on", "failing"], {
        description:
          "`off`: there is no mail server (`--smtp`), and mails are not sent. `failing`: this process could not hand the last mail to it.",
      }),
      problem: nullableText("Why not; null unless `failing`."),
      pending: Type.Integer({ description: "Mails that wait for their delivery, at most 100,000." }),
      sign_up_questions: Type.Integer({
        description: `Questions of the last hour for a link to sign up. At ${mostSignUps} the limit is reached: nobody gets one until some are an hour old. Links to sign in go on.`,
      }),
      sign_up_limit_reached: Type.Boolean({ description: "Whether it is reached." }),
    },
    { description: "Whether mail can be sent. A mail server is not asked until there is a mail to send." },
  ),
  charges: Type.Integer({ description: "Charges that this process decided." }),
  refusals: Type.Integer({ description: "Charges among them that were refused." }),
  dropped_requests: Type.Integer({
    description:
      "Requests that this process left out of those of `--keep-requests`: too many waited for the store, or came from unknown callers.",
  }),
  last_backup: maybeInstant(
    "When the newest backup in the directory for backups was finished; null without one.",
  ),
  last_backup_age_seconds: maybeInteger("How long ago that was."),
  lists: Type.Record(Type.String(), nullableText("Its date or version."), {
    description:
      "The lists that APIs use, by name, with their dates: `YYYY-MM-DD` or `YYYY-MM`; null for a file of `--data` without a date. Time zones have their version, such as `2026f`.",
  }),
  instances: maybeInteger(
    "The number of processes that work on the same PostgreSQL database and were heard of in the last 100 s, this one included; null with a data file.",
  ),
  differing_instances: Type.Array(
    Type.Object({
      instance: Type.String({ description: "An id of the process." }),
      host: Type.String({ description: "The name of its machine." }),
    }),
    { description: "Processes among them whose plans or prices differ from those of this one." },
  ),
})
const show = showBy(output)

export const healthDetail = defineRead({
  id: "health.detail",
  title: "Show how the service is doing",
  description:
    "Shows version, uptime, kind and size of the store, charges and notices of this process, whether mail can be sent, the age of the newest backup, and the dates of the lists that APIs use.",
  permission: "health.read",
  path: "/health",
  command: { words: "health", example: "" },
  input: Type.Object({}),
  output,
  async read(_, { readHealth, backups, clock }) {
    const health = await readHealth()
    const { startedMs, mail, instances, lists, pendingNotices, ...shown } = health
    const lastMs = await backups.lastMs()
    return show(shown, {
      ...(startedMs !== null && {
        started: toIso(startedMs),
        uptime_seconds: Math.max(0, Math.floor((clock.now() - startedMs) / 1_000)),
      }),
      notices: { pending: pendingNotices },
      mail: {
        state: stateOf(mail),
        problem: mail.problem,
        pending: mail.pending,
        sign_up_questions: mail.signUps,
        sign_up_limit_reached: mail.signUps >= mostSignUps,
      },
      last_backup: toIso(lastMs),
      last_backup_age_seconds:
        lastMs === null ? null : Math.max(0, Math.floor((clock.now() - lastMs) / 1_000)),
      lists: Object.fromEntries(lists.map(({ name, date, version = date }) => [name, version])),
      instances: instances?.count ?? null,
      differing_instances: [...(instances?.differing ?? [])],
    })
  },
})

function stateOf({ isOn, problem }: MailState): "off" | "on" | "failing" {
  if (!isOn) return "off"
  return problem === null ? "on" : "failing"
}
