import { Type } from "@sinclair/typebox"
import { listOf, pageParameters } from "../fields.ts"
import { defineRead } from "../operation.ts"
import { readPage } from "../pages.ts"
import { adminKeySchema, toAdminKeyOutput } from "./admin-key.ts"

export const listAdmins = defineRead({
  id: "admins.list",
  title: "List admin keys",
  description: "Lists the keys of the admin API without their texts, oldest first.",
  permission: "admins.read",
  path: "/admins",
  command: {
    words: "admin-key list",
    example: "",
    empty: "No admin keys. Create one with 'admin-key create'.",
    columns: ["id", "name", "prefix", "permissions", "created", "expires", "revoked"],
  },
  input: Type.Object(pageParameters),
  output: listOf(adminKeySchema),
  example: {},
  read: (page, { admin }) =>
    readPage(
      "admins",
      page,
      (place) => admin.adminKeys(place),
      ({ createdMs, id }) => [createdMs, id],
      toAdminKeyOutput,
    ),
})
