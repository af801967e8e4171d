import { Type } from "@sinclair/typebox"
import { pageParameters } from "../fields.ts"
import { defineOperation } from "../operation.ts"
import { auditPage, auditParameters, readAudit } from "./record.ts"

export const listAudit = defineOperation({
  id: "audit.list",
  title: "Read the audit log",
  description: "Lists who did what to what, newest first.",
  permission: "audit.read",
  method: "GET",
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
  run: { kind: "read", read: readAudit },
})
