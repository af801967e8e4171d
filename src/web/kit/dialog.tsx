import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { Icon } from "./icon.tsx"

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  close(): void
  /** False if Escape must not close it. */
  readonly mayClose?: boolean
  /** For tables. */
  readonly isWide?: boolean
}

/** A window above the screen. The browser keeps the focus in it, and it returns when the window closes. */
export function Dialog({ title, children, close, mayClose = true, isWide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()

  // The window of a form stays while it is sent: the answer may be a key that is shown once.
  function leave(): void {
    if (mayClose && !dialog.current?.querySelector("form[aria-busy=true]")) close()
  }

  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    if (dialog.current) firstOf(dialog.current)?.focus()
    // A dialog that leaves the page does not give the focus back by itself.
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={isWide ? "wide" : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
    >
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        {mayClose && (
          <button class="button quiet square" type="button" aria-label="Close" onClick={leave}>
            <Icon name="close" />
          </button>
        )}
      </div>
      {children}
    </dialog>
  )
}

/**
 * What has the focus at first: the button that leads back from a dangerous form, the first field of another one, or the button
 * that copies a secret. The browser would choose Close, with which a space ends the window.
 */
function firstOf(dialog: HTMLElement): HTMLElement | null {
  const places = [
    ".form-buttons:has(.danger) .quiet",
    "form :is(input, select, textarea):not(:disabled)",
    ".secret-row button",
    ".form-buttons button",
  ]
  for (const place of places) {
    const found = dialog.querySelector<HTMLElement>(place)
    if (found) return found
  }
  return null
}
