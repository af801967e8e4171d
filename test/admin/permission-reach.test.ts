/** The reach of a colleague with one permission: keys, credits and other permissions, by all operations. */
import { describe, expect, test } from "bun:test"
import { createAdmin } from "../../src/admin/admins/create-admin.ts"
import { createApiKey } from "../../src/admin/keys/issue-key.ts"
import type { Operation } from "../../src/admin/operation.ts"
import { operations } from "../../src/admin/operations.ts"
import { type Permission, permissions } from "../../src/admin/permission.ts"
import { type Prize, reachOf } from "../support/permission-reach.ts"

/** Permissions that are not here reach nothing. Whoever adds a line asks first whether the operation should need more. */
const reached: Partial<Record<Permission, readonly Prize[]>> = {
  "accounts.write": [
    "a key of a new account on any plan",
    "a key of a new account on the plan of the settings",
    "credits of any account",
  ],
  "credits.grant": ["credits of any account"],
  "credits.adjust": ["credits of any account"],
  "invitations.write": ["a key of a new account on the plan of the settings"],
  "keys.write": ["a key of any account"],
  "config.write": ["credits of any account", "every permission"],
}

test.each(Object.keys(permissions) as Permission[])(
  "%s reaches within three steps what docs/admin-api.md says, and nothing else",
  async (permission) =>
    expect([...(await reachOf(permission)).keys()].toSorted()).toEqual([...(reached[permission] ?? [])]),
)

describe("a hole is found:", () => {
  const { run: creation } = createAdmin
  if (creation.kind !== "change") throw new Error("it creates")
  test.each<[what: string, hole: Operation, prize: Prize]>([
    ["one that makes keys for less", { ...createApiKey, permission: "health.read" }, "a key of any account"],
    [
      "one that gives permissions which its user lacks",
      {
        ...createAdmin,
        permission: null,
        run: {
          ...creation,
          prepare: (_, context) =>
            creation.prepare(
              { name: "hole", may: ["*"] },
              { ...context, actor: { ...context.actor, permissions: ["*"] } },
            ),
        },
      },
      "every permission",
    ],
  ])("%s", async (_, hole, prize) => {
    expect([...(await reachOf("health.read", [...operations, hole])).keys()]).toContain(prize)
  })
})
