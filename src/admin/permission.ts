/** Every permission that an operation can need, with what it allows. */
export const permissions = {
  "accounts.read": "Read accounts and their balances.",
  "accounts.write": "Create, rename, close and reopen accounts, and change their plan, metadata and events.",
  "credits.grant": "Add bonus credits, and start a credit month again.",
  "credits.adjust": "Add and take bonus credits with a reason, and undo it.",
  "invitations.read": "List invitations.",
  "invitations.write": "Invite customers, and take invitations back.",
  "keys.read": "Read API keys, and find a key by its text.",
  "keys.write": "Create, change, rotate, disable and revoke API keys.",
  "usage.read": "Read what accounts were charged.",
  "requests.read": "Watch requests while they happen, and search those that are kept.",
  "notices.read": "Read notices, their delivery and webhooks.",
  "notices.write": "Choose how accounts get notices, set and test webhooks, and send notices again.",
  "mails.read": "Read to whom mails went, and what the mail server answered.",
  "plans.read": "Read plans and prices.",
  "config.read": "Read the configuration.",
  "config.write": "Change the configuration file of a service, and make the service take it over.",
  "audit.read": "Read the audit log.",
  "backups.read": "List and verify backups.",
  "backups.write": "Make backups.",
  "backups.download": "Download backups, which hold all data of the service.",
  "portal.link": "Make links that sign a customer in to the portal.",
  "admins.read": "List admin keys.",
  "admins.write": "Create and revoke admin keys, and make links to the console.",
  "people.read": "List people and their passkeys.",
  "people.write": "Invite, change and remove people, make links for them, and remove their passkeys.",
  "health.read": "Read how the service is doing.",
} as const satisfies Record<string, string>

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
export const readingPermissions: readonly Permission[] = customerPermissions.filter((name) =>
  name.endsWith(".read"),
)

/** Everything that can be granted: `*`, `keys.*` for all of one resource, or one permission. */
export const grants: readonly string[] = [
  "*",
  ...new Set(Object.keys(permissions).flatMap((name) => [groupOf(name), name])),
]

/** Whether grants include a permission. */
export function allows(granted: readonly string[], needed: Permission): boolean {
  return granted.includes("*") || granted.includes(needed) || granted.includes(groupOf(needed))
}

/** Whether the holder of grants may give one of them to someone else. */
export function covers(granted: readonly string[], given: string): boolean {
  return granted.includes("*") || granted.includes(given) || granted.includes(groupOf(given))
}

/** The grants of two lists that both of them give. */
export function inBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  const both = [...some.filter((one) => covers(others, one)), ...others.filter((one) => covers(some, one))]
  return [...new Set(both)]
}

function groupOf(permission: string): string {
  return `${permission.slice(0, permission.indexOf("."))}.*`
}
