import { Type } from "@sinclair/typebox"
import { defineOperation } from "../operation.ts"
import { auditPage, auditParameters, readAudit } from "./record.ts"

export const exportAudit = defineOperation({
  id: "audit.export",
  title: "Export the audit log",
  description: "Gives all audit records as JSON lines, newest first.",
  permission: "audit.read",
  method: "GET",
  path: "/audit/export",
  command: { words: "audit export", example: "--from 2027-01-01 > audit.jsonl" },
  input: Type.Object(auditParameters),
  output: auditPage,
  format: "json-lines",
  example: { from: "2027-01-01" },
  run: { kind: "read", read: readAudit },
})
