/** The script of the pages that the server writes. They work without it. */
import { exampleService } from "../../code-examples/code-call.ts"
import { startSearch } from "./search.ts"

startSearch()
openTarget()
addEventListener("hashchange", openTarget)

showCurrent()

const playground = document.querySelector<HTMLElement>("#playground")
if (playground) {
  const watcher = new IntersectionObserver(
    async ([entry]) => {
      if (!entry?.isIntersecting) return
      watcher.disconnect()
      const { showForm } = await import("./try.tsx")
      showForm(playground)
    },
    { rootMargin: "400px" },
  )
  watcher.observe(playground)
}

const check = document.querySelector<HTMLFormElement>("#check")
const answer = document.querySelector<HTMLElement>("#check-answer")
if (check && answer) {
  const load = () => import("./check.tsx")
  check.addEventListener("focusin", load, { once: true })
  check.addEventListener("submit", async (event) => {
    event.preventDefault()
    const domain = String(new FormData(check).get("domain")).trim()
    const { showCheck } = await load()
    showCheck(answer, domain)
  })
}

for (const block of document.querySelectorAll(".code")) {
  const code = block.querySelector("code")
  const label = block.querySelector("pre")?.ariaLabel
  if (!code || !label) continue
  nameThisService(code)
  // Only pages that are served with TLS, or by this machine, may write to the clipboard.
  if (navigator.clipboard) block.append(copyButton(code, label))
}

/** Opens what hides the part of the page that the address names. */
function openTarget(): void {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null
  target?.closest("details")?.setAttribute("open", "")
}

/** Scrolls the list of pages to the current page, since a list of many APIs is longer than the window. */
function showCurrent(): void {
  const current = document.querySelector<HTMLElement>(".side [aria-current=page]")
  const side = current?.closest(".side")
  if (!current || !side) return
  const below = current.getBoundingClientRect().bottom - side.getBoundingClientRect().bottom
  if (below > 0) side.scrollTop += below + side.clientHeight / 2
}

/** Puts the page's own address into an example where none is configured. */
function nameThisService(code: Element): void {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    text.nodeValue = text.nodeValue?.replaceAll(exampleService, location.origin) ?? null
}

function copyButton(code: Element, label: string): HTMLButtonElement {
  const button = document.createElement("button")
  button.type = "button"
  const say = (word: string) => {
    button.textContent = word
    button.ariaLabel = `${word}: ${label}`
  }
  say("Copy")
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent ?? "")
    say("Copied")
    setTimeout(say, 2_000, "Copy")
  })
  return button
}
