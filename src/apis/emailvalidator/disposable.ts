/** The day on which disposable-email-domains-js 1.26.0 was released. */
export const disposableDate = "2026-09-21"

let domains: ReadonlySet<string> | null = null

/** Whether a domain, or one above it, is in the list of those that give out addresses for a short time. */
export async function isDisposable(domain: string): Promise<boolean> {
  if (domains === null) {
    const { default: list } = await import("disposable-email-domains-js")
    domains = list.disposableEmailBlocklistSet()
  }
  const labels = domain.split(".")
  return labels.some((_, index) => domains?.has(labels.slice(index).join(".")))
}
