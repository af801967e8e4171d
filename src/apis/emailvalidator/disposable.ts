import { readListDate } from "../../values/data-list.ts"
import facts from "./list-facts.json"

/** Domains that give out addresses for a short time. */
export interface DisposableDomains {
  /** The day of the list, `YYYY-MM-DD`; null when it is not known. */
  readonly date: string | null
  domains(): ReadonlySet<string> | Promise<ReadonlySet<string>>
}

let builtIn: ReadonlySet<string> | null = null

/** The list of disposable-email-domains-js, with the day of its release. It is loaded with the first call that needs it. */
export const builtInDisposable: DisposableDomains = {
  date: facts.date,
  async domains() {
    if (builtIn === null) {
      const { default: list } = await import("disposable-email-domains-js")
      builtIn = list.disposableEmailBlocklistSet()
    }
    return builtIn
  },
}

/** Whether a domain, or one above it, is in a list. */
export async function isDisposable(domain: string, list: DisposableDomains): Promise<boolean> {
  const domains = await list.domains()
  const labels = domain.split(".")
  return labels.some((_, index) => domains.has(labels.slice(index).join(".")))
}

const domainForm = /^(?=.{3,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/

/**
 * Reads the list of disposable-email-domains as it is published: a domain in ASCII in each line. Lines that begin with `#` are
 * comments, of which one such as `# date: 2027-03-01` tells the day of the list.
 * @throws Error that names the bad line and says what is wrong
 */
export function readDisposableDomains(text: string): DisposableDomains {
  const found = new Set<string>()
  let date: string | null = null
  for (const [index, written] of text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = written.trim().toLowerCase()
    const told = /^#\s*date:\s*(\S+)/.exec(line)?.[1]
    if (told !== undefined) date = readListDate({ date: told })
    if (line === "" || line.startsWith("#")) continue
    if (!domainForm.test(line))
      throw new Error(`line ${index + 1}: '${line.slice(0, 50)}' is not a domain such as mail.example`)
    found.add(line)
  }
  if (found.size === 0) throw new Error("the list has no domains")
  return { date, domains: () => found }
}
