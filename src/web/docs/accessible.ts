/** What Swagger UI leaves out for keyboards and screen readers. */

/** A link within the button of an operation cannot be reached by all (WCAG 2.2, 4.1.2). The button alone opens it, and sets the address. */
export function plainPaths(): SwaggerPlugin {
  return {
    wrapComponents: {
      DeepLink:
        (_, { React }) =>
        ({ text }) =>
          React.createElement("span", null, text),
    },
  }
}

/**
 * Names each field of the page that has no label (WCAG 2.2, 4.1.2), and lets the keyboard reach code that scrolls (2.1.1), also what comes
 * later.
 */
export function helpKeyboards(viewer: Element): void {
  const observer = new MutationObserver(() => {
    nameAll()
    for (const code of viewer.querySelectorAll<HTMLElement>("pre.microlight")) code.tabIndex = 0
  })
  observer.observe(viewer, { childList: true, subtree: true })

  function nameAll(): void {
    for (const field of viewer.querySelectorAll("select, textarea, input")) {
      if (field.ariaLabel || field.getAttribute("aria-labelledby") || field.id) continue
      field.ariaLabel = nameOf(field)
    }
  }
}

function nameOf(field: Element): string {
  const parameter = field.closest("tr")?.dataset.paramName
  if (parameter) return parameter
  if (field.classList.contains("examples-select-element")) return "Example"
  if (field.closest(".auth-container")) return "Key"
  return field.tagName === "TEXTAREA" ? "Request body" : "Media type"
}
