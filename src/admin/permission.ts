import permissions from "./permissions.json"

/** Every permission that an operation can need, with what it allows. */
export { permissions }

/** The name of a permission, such as `keys.read`. */
export type Permission = keyof typeof permissions

/** The permissions of customers in the portal, for their own account. */
export const customerPermissions: readonly Permission[] = [
  "accounts.read",
  "keys.read",
  "keys.write",
  "usage.read",
  "requests.read",
  "notices.read",
  "notices.write",
]
/** The customers' permissions that only read. */
export const readingPermissions: readonly string[] = customerPermissions.filter((name) =>
  name.endsWith(".read"),
)

/** Everything that can be granted: `*`, `keys.*` for all of one resource, or one permission. */
export const grants: readonly string[] = [
  "*",
  ...new Set(Object.keys(permissions).flatMap((name) => [groupOf(name), name])),
]

/** Whether the holder of grants may give one of them to someone else. */
export function covers(granted: readonly string[], given: string): boolean {
  return granted.includes("*") || granted.includes(given) || granted.includes(groupOf(given))
}

/** Whether grants include a permission. */
export const allows: (granted: readonly string[], needed: Permission) => boolean = covers

/** The grants of two lists that both of them give. */
export function inBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  const both = [...some.filter((one) => covers(others, one)), ...others.filter((one) => covers(some, one))]
  return [...new Set(both)]
}

function groupOf(permission: string): string {
  return `${permission.slice(0, permission.indexOf("."))}.*`
}
