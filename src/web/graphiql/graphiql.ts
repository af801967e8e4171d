/** Starts GraphiQL with the key of the page's own field, and names the fields that it leaves without a label. */

const hint = "# Type your API key above,\n# then press Ctrl+Enter.\n"
const example = `{
  bluetoothlookup(input: { companyid: "76" }) {
    company
    companyIdHex
  }
}
`

const key = document.querySelector<HTMLInputElement>("#key")
const place = document.querySelector<HTMLElement>("#graphiql")
if (key && place) {
  nameAll(place)
  start(key, place)
}

/** Keeps how the page looks. Queries and variables may hold secrets, so they end with the page. */
const layoutStorage: GraphiqlProps["storage"] = {
  getItem: (name) => (isOfLayout(name) ? localStorage.getItem(name) : null),
  setItem: (name, value) => isOfLayout(name) && localStorage.setItem(name, value),
  removeItem: (name) => localStorage.removeItem(name),
  clear: () => localStorage.clear(),
  get length() {
    return localStorage.length
  },
}

function isOfLayout(name: string): boolean {
  return /theme|flex|plugin|size/i.test(name)
}

/** The key is not kept anywhere. The schema is loaded when there is a key: without one the service refuses it. */
function start(key: HTMLInputElement, place: HTMLElement): void {
  const send = GraphiQL.createFetcher({ url: "/v1/graphql" })
  const fetcher: GraphiqlFetcher = (query, options) =>
    send(query, { ...options, headers: { ...options?.headers, "x-api-key": key.value.trim() } })
  const root = ReactDOM.createRoot(place)
  const show = () =>
    root.render(
      React.createElement(GraphiQL, {
        fetcher,
        schema: key.value === "" ? null : undefined,
        isHeadersEditorEnabled: false,
        shouldPersistHeaders: false,
        // The operator may have turned the example's API off.
        defaultQuery: hint + (place.dataset.example === undefined ? "" : example),
        storage: layoutStorage,
      }),
    )
  key.addEventListener("change", show)
  show()
}

/** Names each editor, also later ones, after its part of the page (WCAG 2.2, 4.1.2), and lets the keyboard scroll it (2.1.1). */
function nameAll(place: Element): void {
  const observer = new MutationObserver(() => {
    for (const area of place.querySelectorAll<HTMLElement>(".CodeMirror-scroll")) area.tabIndex = 0
    // Their text says which query they are (2.5.3).
    for (const item of place.querySelectorAll(".graphiql-history-item-label")) item.ariaLabel = null
    for (const field of place.querySelectorAll("textarea:not([aria-label])")) {
      field.ariaLabel = field.closest("section[aria-label]")?.ariaLabel ?? "Editor"
    }
  })
  observer.observe(place, { childList: true, subtree: true })
}
