import { type Static, Type } from "@sinclair/typebox"
import { nullable, nullableText } from "../../apis/contract.ts"
import type { AuditRecord, Page } from "../../store/admin-store.ts"
import type { AuditFilter } from "../../store/list-filters.ts"
import {
  countedListOf,
  cursorParameters,
  instant,
  listOf,
  optionalText,
  pageParameters,
  requireRange,
  totalParameter,
} from "../fields.ts"
import { defineRead } from "../operation.ts"
import { type Listed, readPage, withTotal } from "../pages.ts"
import type { AdminParts } from "../parts.ts"
import { showBy } from "../show.ts"

const fields = Type.Record(Type.String(), Type.Unknown())

/** An audit record as operations answer it. */
const auditSchema = Type.Object({
  id: Type.String({ description: "The record's id." }),
  at: instant("When it was done."),
  actor: Type.String({
    description: "Who did it: an admin key, a console session, a user of the command line.",
  }),
  actor_name: Type.String({ description: "A name to show with the id." }),
  operation: Type.String({ description: "What was done." }),
  target_kind: Type.String({ description: "What kind of thing it was done to." }),
  target: Type.String({ description: "The id of this thing." }),
  account: nullableText("The account that it belongs to; null without one."),
  before: nullable(fields, { description: "The changed fields as they were before." }),
  after: nullable(fields, { description: "The same as they were afterwards." }),
  source: Type.String({ description: "From where: a client address, or the host of the command line." }),
  request_id: Type.String({ description: "The id of the request." }),
})

type AuditOutput = Static<typeof auditSchema>

const auditPage = listOf(auditSchema)

/** The parameters that choose audit records. */
const auditParameters = {
  actor: text("Only what this actor did, such as `admin-key:adm_1234567890abcdef`."),
  operation: text("Only this operation, such as `keys.revoke`."),
  target: text("Only what was done to the thing with this id."),
  account: text("Only what was done to this account, its keys and its webhook."),
  from: text("Only records from this time on: 2027-01-31, or 2027-01-31T12:00:00Z."),
  to: text("Only records before this time."),
  ...cursorParameters,
}

type AuditInput = Static<ReturnType<typeof Type.Object<typeof auditParameters>>>

/** One page of the audit log, newest first. */
function readAudit(input: AuditInput, { admin }: AdminParts): Promise<Listed<AuditOutput>> {
  const read = (page: Page) => admin.audit(toFilter(input), page)
  return readPage("audit", input, read, ({ atMs, id }) => [atMs, id], toOutput)
}

function toFilter(input: AuditInput): AuditFilter {
  return {
    actor: input.actor,
    operation: input.operation,
    targetIds: input.target === undefined ? undefined : [input.target],
    accountId: input.account,
    ...requireRange(input),
  }
}

const show = showBy(auditSchema)

function toOutput(record: AuditRecord): AuditOutput {
  return show(record, { before: toFields(record.before), after: toFields(record.after) })
}

function toFields(json: string | null): Record<string, unknown> | null {
  return json === null ? null : JSON.parse(json)
}

function text(description: string) {
  return optionalText(description, { minLength: 1, maxLength: 200 })
}

export const listAudit = defineRead({
  id: "audit.list",
  title: "Read the audit log",
  description: "Lists who did what to what, newest first.",
  permission: "audit.read",
  path: "/audit",
  command: {
    words: "audit",
    example: "--operation keys.revoke",
    empty: "No records.",
    shortensIds: true,
    columns: ["at", "actor", "actor_name", "operation", "target", "source"],
    moreColumns: ["account"],
  },
  input: Type.Object({ ...auditParameters, ...totalParameter, ...pageParameters }),
  output: countedListOf(auditSchema),
  example: { operation: "keys.revoke" },
  async read(input, parts) {
    const page = await readAudit(input, parts)
    return withTotal(page, input.total, (most) =>
      parts.admin.countListed({ list: "audit", filter: toFilter(input) }, most),
    )
  },
})

export const exportAudit = defineRead({
  id: "audit.export",
  title: "Export the audit log",
  description: "Returns all audit records as JSON lines, newest first.",
  permission: "audit.read",
  path: "/audit/export",
  command: { words: "audit export", example: "--from 2027-01-01 > audit.jsonl" },
  input: Type.Object(auditParameters),
  output: auditPage,
  format: "json-lines",
  example: { from: "2027-01-01" },
  read: readAudit,
})
