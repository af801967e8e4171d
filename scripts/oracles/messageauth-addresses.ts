import { readAddresses } from "../../src/apis/messageauth/mailboxes.ts"
import { type MailboxList, mailboxLists } from "../../test/support/mailboxes.ts"
import { askPython, debianVersion, defineOracle } from "./oracle.ts"

/** Each address as its local part, a line feed and its domain; null for a field that cannot be read, or the name of an error. */
type Answer = readonly string[] | string | null

export const oracle = defineOracle<MailboxList, Answer>({
  api: "messageauth",
  against: "Python email (the addresses of a field From)",
  cases: 5_000,
  generate: mailboxLists,
  version: () => debianVersion("python3"),
  async ours({ text }) {
    return (
      readAddresses(text)?.map((address) => {
        const domain = address.slice(address.lastIndexOf("@") + 1)
        const local = address.slice(0, -domain.length - 1)
        const isQuoted = local.startsWith('"')
        return `${isQuoted ? local.slice(1, -1).replace(/\\(.)/g, "$1") : local}\n${domain}`
      }) ?? null
    )
  },
  theirs: (cases) =>
    askPython(
      "messageauth-addresses.py",
      cases.map(({ text }) => text.replaceAll("\r\n", "")),
      "python3",
    ),
  known: [
    {
      reason:
        "an empty group (RFC 5322 §3.4), at which the parser of Python 3.11 ends with an AttributeError",
      fits: ({ text }, ours, theirs) => theirs === "AttributeError" && /;/.test(text) && Array.isArray(ours),
    },
  ],
})
