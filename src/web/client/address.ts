/** The address: its path names the screen, its query holds the filters. */
import { computed, signal } from "@preact/signals"

/** The front end of this page: console or portal. */
interface Area {
  readonly kind: "console" | "portal"
  /** The start of the addresses of its screens. */
  readonly base: string
  /** The start of the paths of its operations. */
  readonly api: string
}

/** The area that the page belongs to, by its path: console or portal. */
export const area: Area = /^\/portal(\/|$)/.test(location.pathname)
  ? { kind: "portal", base: "/portal", api: "/portal/v1" }
  : { kind: "console", base: "/console", api: "/admin/v1" }

/** The path of the operator's logo; null for the usual sign. */
export const serviceLogo: string | null =
  document.querySelector<HTMLMetaElement>('meta[name="application-logo"]')?.content ?? null

/** The name that the operator has given this service. */
export const serviceName: string =
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content ?? "penknife"

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>

const place = signal(read())

/** The path below `/console` or `/portal`, such as `/accounts/acc_1`; `/` for the first screen. */
export const path = computed(() => place.value.path)

/** Values of the query, by name. */
export const query = computed(() => new URLSearchParams(place.value.search))

/** Rises with each new screen, but not with each new filter. */
export const visits = signal(0)

/** The address of a screen, for links. */
export function addressOf(screen: string, values: Query = {}): string {
  return area.base + (screen === "/" ? "" : screen) + toQueryString(values)
}

/** Shows another screen. */
export function go(screen: string): void {
  history.pushState(null, "", addressOf(screen))
  arrive()
}

/** Shows another screen in the place of this one, which the browser's back button leaves out. */
export function goInstead(screen: string): void {
  history.replaceState(null, "", addressOf(screen))
  arrive()
}

/**
 * Changes values of the query; empty ones are removed. The screen stays.
 * @param isStep whether the browser's back button leads to the values before
 */
export function setQuery(values: Query, isStep = false): void {
  const next: Record<string, Query[string]> = Object.fromEntries(query.peek())
  const address = addressOf(path.peek(), { ...next, ...values })
  if (isStep) history.pushState(stepState, "", address)
  else history.replaceState(history.state, "", address)
  place.value = read()
}

const stepState = "step"

/** Whether the browser's back button leads to values of the query before. */
export function isAfterStep(): boolean {
  return history.state === stepState
}

/** Makes links to screens work without loading the page again. Call it once. */
export function followLinks(): void {
  addEventListener("popstate", () => arrive())
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null
    if (!(link instanceof HTMLAnchorElement) || !isOurs(link)) return
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    if (link.href !== location.href) history.pushState(null, "", link.href)
    arrive()
  })
}

/** The query string of an address, with its question mark; empty values are left out. */
export function toQueryString(values: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === "") continue
    for (const each of Array.isArray(value) ? value : [value]) params.append(name, String(each))
  }
  const text = params.toString()
  return text === "" ? "" : `?${text}`
}

function arrive(): void {
  place.value = read()
  visits.value++
  scrollTo(0, 0)
}

function isOurs(link: HTMLAnchorElement): boolean {
  const isScreen = link.pathname === area.base || link.pathname.startsWith(`${area.base}/`)
  return link.origin === location.origin && isScreen && !link.hasAttribute("download") && link.target === ""
}

function read(): { readonly path: string; readonly search: string } {
  const rest = location.pathname.slice(area.base.length).replace(/\/$/, "")
  return { path: rest === "" ? "/" : rest, search: location.search }
}
