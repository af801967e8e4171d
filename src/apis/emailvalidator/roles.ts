/** Names of roles: those of RFC 2142, and others in wide use. */
const roles = new Set(
  [
    "abuse billing contact ftp hostmaster info list-request mailer-daemon marketing news noc postmaster",
    "sales security support trouble usenet uucp webmaster www",
    "accounting accounts admin administrator all careers customerservice dev enquiries feedback finance hello help",
    "helpdesk hr inquiries it jobs legal mail marketing media newsletter no-reply no_reply noreply office orders",
    "donotreply do-not-reply payroll press privacy purchasing recruiting reception root service staff sysadmin team tech",
  ].flatMap((line) => line.split(" ")),
)

/** Whether a local part names a role. A tag does not count: `support+fr` is one. */
export function isRole(localPart: string): boolean {
  return roles.has(localPart.toLowerCase().replace(/\+.*$/s, ""))
}
