/**
 * The domain in what people paste to name one: a domain, an address of a page, an e-mail address. A first label `www` is left
 * out, since nobody gets mail there. Anything else is returned as it is, and the service says what is wrong with it.
 * @example domainOf("Ann <ann@example.com>") // "example.com"
 */
export function domainOf(text: string): string {
  const typed = text.trim().replace(/^[<"']+|[>"',;]+$/g, "")
  const address = typed.slice(typed.lastIndexOf("@") + 1)
  if (typed.includes("@") && !/^https?:/i.test(typed)) return withoutEnds(address)
  if (!typed.includes("/")) return withoutEnds(typed)
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed.replace(/^\/+/, "")}`
  return URL.canParse(url) ? withoutEnds(new URL(url).hostname) : typed
}

/** Without `www.`, the parameters of a `mailto:`, a port and the dot of the root. */
function withoutEnds(domain: string): string {
  return domain
    .replace(/\?.*$/, "")
    .replace(/:\d*$/, "")
    .replace(/\.$/, "")
    .replace(/^www\.(?=.*\.)/i, "")
}
