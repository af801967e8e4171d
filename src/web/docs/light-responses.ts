/** The answers that every operation has stand there once for the whole page, or are opened when someone wants them. */

/** On every answer to a known key. The introduction of the document says what they are. */
const usageHeaders = new Set([
  "x-request-id",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "ratelimit-policy",
  "ratelimit",
  "x-api-credits-used",
  "x-api-remaining-credits",
  "x-api-max-credits",
  "x-api-renewal",
  "x-api-current-plan",
  "x-error-code",
])

/**
 * Leaves out the usage headers of every response, and shows refusals as one line each until they are opened. The document itself stays
 * complete: programs make clients of it.
 */
export function lightResponses(): SwaggerPlugin {
  return {
    wrapComponents: {
      headers:
        (Original, { React }) =>
        (props) => {
          const own = (props.headers as SwaggerMap).filter((_, name) => !usageHeaders.has(name.toLowerCase()))
          return own.size === 0 ? null : React.createElement(Original, { ...props, headers: own })
        },
      response: (Original, { React }) => {
        return function Response(props) {
          const [isOpen, setOpen] = React.useState(false)
          const { code, response } = props as { readonly code: string; readonly response: SwaggerMap }
          if (isOpen || code.startsWith("2")) return React.createElement(Original, props)
          const open = { type: "button", className: "open-response", onClick: () => setOpen(true) }
          return React.createElement(
            "tr",
            { className: "response closed-response", "data-code": code },
            React.createElement("td", { className: "response-col_status" }, code),
            React.createElement(
              "td",
              { className: "response-col_description" },
              React.createElement("p", null, String(response.get("description")).replaceAll("`", "")),
              React.createElement("button", { ...open, "aria-label": `Show ${code}` }, "Show"),
            ),
            React.createElement("td", { className: "response-col_links" }),
          )
        }
      },
    },
  }
}
