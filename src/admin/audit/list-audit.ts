import { Type } from "@sinclair/typebox"
import { pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { auditPage, auditParameters, readAudit } from "./record.ts"

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
    columns: ["at", "actor", "actor_name", "operation", "target", "source"],
  },
  input: Type.Object({ ...auditParameters, ...pageParameters }),
  output: auditPage,
  example: { operation: "keys.revoke" },
  read: readAudit,
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
