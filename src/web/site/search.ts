/** The search of the landing page and of the reference's index: it hides entries that do not have all typed words. */

/** Starts the search, if the page has one. */
export function startSearch(): void {
  const field = document.querySelector<HTMLInputElement>("#search")
  const count = document.querySelector("#search-count")
  if (!field || !count) return
  const entries = [...document.querySelectorAll<HTMLElement>(".entry")]
  const sections = [...document.querySelectorAll<HTMLElement>("section[aria-labelledby]:has(.entry)")]
  const box = field.closest<HTMLElement>(".search")
  box?.removeAttribute("hidden")
  field.addEventListener("input", find)
  document.addEventListener("keydown", (event) => moveFocus(event, field, entries))
  // A browser may have kept what was typed before.
  find()

  function find(): void {
    const words = field ? wordsOf(field) : []
    for (const entry of entries) show(entry, words)
    const shown = entries.filter(({ hidden }) => !hidden).length
    for (const section of sections) showSection(section)
    const all = `${entries.length} ${box?.dataset.many}`
    const best = titleOf(bestOf(entries, words))?.textContent
    if (count) count.textContent = words.length === 0 ? all : toResult(shown, all, best)
  }
}

function toResult(shown: number, all: string, best = ""): string {
  if (shown > 0) return `${shown} of ${all}. Enter opens ${best}.`
  return `None of ${all} has all these words. Type fewer words or a part of one, or press Escape to see all.`
}

/** Updates the count in the link to a section. Hides both if the section has no entries, unless it has the search field. */
function showSection(section: HTMLElement): void {
  if (section.querySelector("#search")) return
  const count = section.querySelectorAll(".entry:not([hidden])").length
  section.hidden = count === 0
  const item = document.querySelector(`.parts li:has([href="#${section.getAttribute("aria-labelledby")}"])`)
  item?.toggleAttribute("hidden", count === 0)
  const shown = item?.querySelector(".muted")
  if (shown) shown.textContent = String(count)
}

function show(entry: HTMLElement, words: readonly string[]): void {
  const names = [...entry.querySelectorAll<HTMLElement>(".names > li")]
  entry.hidden = !hasAll(textOf(entry) + names.map(textOf).join(" "), words)
  for (const name of names) {
    const text = textOf(name)
    name.classList.toggle(
      "found",
      words.some((word) => text.includes(word)),
    )
  }
}

function textOf({ textContent, dataset }: HTMLElement): string {
  return `${textContent} ${dataset.terms ?? ""}`.toLowerCase()
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word))
}

/** The shown entry that fits best: one whose title has all words, else one whose title and keywords have, else the first. */
function bestOf(entries: readonly HTMLElement[], words: readonly string[]): HTMLElement | undefined {
  const shown = entries.filter(({ hidden }) => !hidden)
  const hasInTitle = (entry: HTMLElement) => hasAll(titleOf(entry)?.textContent?.toLowerCase() ?? "", words)
  const hasInTerms = (entry: HTMLElement) =>
    hasAll(`${titleOf(entry)?.textContent} ${entry.dataset.terms}`.toLowerCase(), words)
  return shown.find(hasInTitle) ?? shown.find(hasInTerms) ?? shown[0]
}

function titleOf(entry: HTMLElement | undefined): HTMLElement | null | undefined {
  return entry?.querySelector<HTMLElement>(".title")
}

function wordsOf({ value }: HTMLInputElement): string[] {
  return value.toLowerCase().split(/\s+/).filter(Boolean)
}

/** `/` leads to the field, arrows from result to result, Enter to the one that fits best, Escape back to all. */
function moveFocus(event: KeyboardEvent, field: HTMLInputElement, entries: readonly HTMLElement[]): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  const results = [
    ...document.querySelectorAll<HTMLElement>(".entry:not([hidden]) .title, .entry:not([hidden]) .found a"),
  ]
  const stops = [field, ...results]
  const active = document.activeElement
  const at = active instanceof HTMLElement ? stops.indexOf(active) : -1
  const isInField = at === 0
  if (event.key === "/" && !isInField) field.focus()
  else if (event.key === "ArrowDown" && at >= 0) stops[at + 1]?.focus()
  else if (event.key === "ArrowUp" && at > 0) stops[at - 1]?.focus()
  else if (event.key === "Enter" && isInField) titleOf(bestOf(entries, wordsOf(field)))?.click()
  else if (event.key === "Escape" && at >= 0) {
    field.value = ""
    field.dispatchEvent(new Event("input"))
    field.focus()
  } else return
  event.preventDefault()
}
