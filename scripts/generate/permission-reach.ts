import { type Permission, permissions } from "../../src/admin/permission.ts"
import { reachOf } from "../../test/support/permission-reach.ts"
import { toTable } from "./table.ts"

/** The reach of each permission alone within three steps, with the steps. Permissions that reach nothing are left out. */
export async function reachTable(): Promise<string> {
  const rows: string[][] = []
  for (const permission of Object.keys(permissions) as Permission[])
    for (const [prize, steps] of await reachOf(permission)) {
      const way = steps.map((step) => (step.includes(" ") ? step : `\`${step}\``))
      rows.push([`\`${permission}\``, prize, way.join(", then ")])
    }
  return toTable(["permission", "reaches", "for example by"], rows)
}
