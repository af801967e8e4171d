/** The script of the pages that the server writes. They work without it. */
import { exampleService } from "../../code-examples/code-call.ts"
import { sendRequest } from "../client/browser.ts"
import { domainOf } from "./domain-of.ts"
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
  check.addEventListener("submit", (event) => {
    event.preventDefault()
    const domain = domainOf(String(new FormData(check).get("domain")))
    location.assign(`/check/${encodeURIComponent(domain)}`)
  })
  const asked = domainInAddress()
  if (asked !== null) {
    check.querySelector("input")?.setAttribute("value", asked)
    import("./check.tsx").then(({ showCheck }) => showCheck(answer, asked))
  }
}

for (const block of document.querySelectorAll(".code")) {
  const code = block.querySelector("code")
  const label = block.querySelector("pre")?.ariaLabel
  if (!code || !label) continue
  nameThisService(code)
  // Only pages that are served with TLS, or by this machine, may write to the clipboard.
  if (navigator.clipboard) block.append(copyButton(code, label))
}

showWhoIsSignedIn()

/** The domain of an address such as /check/example.com; null for another address. */
function domainInAddress(): string | null {
  const [, asked] = /^\/check\/(.+?)\/?$/.exec(location.pathname) ?? []
  try {
    return asked === undefined ? null : domainOf(decodeURIComponent(asked))
  } catch {
    return null
  }
}

/** Pages are the same for everybody, so the header learns here that a customer is signed in. */
async function showWhoIsSignedIn(): Promise<void> {
  const signIn = document.querySelector(".top a[data-sign-in]")
  if (!signIn) return
  const accept = "application/json"
  const session = await sendRequest("/portal/session", { headers: { accept } }).catch(() => null)
  if (!session?.ok || !(await session.json()).signed_in) return
  signIn.textContent = "Portal"
  document.querySelector(".top a[data-sign-up]")?.remove()
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
  button.className = "button"
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
