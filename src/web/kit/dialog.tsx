import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { path } from "../client/address.ts"
import type { OperationId } from "../client/operations.ts"
import { may } from "../client/session.ts"
import { Button, type ButtonProps } from "./button.tsx"
import { Icon } from "./icon.tsx"

const opened = signal<ComponentChildren>(null)

/** Opens a window above the screen, in the place of one that is open. */
export function openWindow(window: ComponentChildren): void {
  opened.value = window
}

/** Closes the open window. */
export function closeWindow(): void {
  opened.value = null
}

/** Whether a window is open. */
export function hasWindow(): boolean {
  return opened.value !== null
}

/** The open window. It stands outside of the screen, which may be read again below it; another screen closes it. */
export function OpenWindow() {
  useLayoutEffect(() => closeWindow, [path.value])
  return opened.value
}

interface WindowButtonProps extends Omit<ButtonProps, "onClick"> {
  /** The button is absent for a user who may not run this operation. */
  readonly operation: OperationId
  readonly opens: ComponentChildren
}

/** A button that opens a window. */
export function WindowButton({ operation, opens, ...button }: WindowButtonProps) {
  return may(operation) ? <Button {...button} onClick={() => openWindow(opens)} /> : null
}

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly close?: () => void
  /** False if Escape must not close it. */
  readonly mayClose?: boolean
  /** For tables. */
  readonly isWide?: boolean
}

/** A window above the screen. The browser keeps the focus in it, and it returns when the window closes. */
export function Dialog({
  title,
  children,
  close = closeWindow,
  mayClose = true,
  isWide = false,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()

  // The window of a form stays while it is sent: the answer may be a key that is shown once.
  function leave(): void {
    if (mayClose && !dialog.current?.querySelector("form[aria-busy=true]")) close()
  }

  // Before anything is painted: a key that comes next goes to the window.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    if (shown) firstOf(shown)?.focus()
    // To close it gives the focus back; a window that only leaves the page does not.
    return () => shown?.close()
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
      <div class="dialog-head row between">
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
 * The element that has the focus at first: the first field, the button that leads back from a dangerous form without one, or the
 * button that copies a secret. The browser would choose Close, with which a space ends the window.
 */
function firstOf(dialog: HTMLElement): HTMLElement | null {
  const places = [
    "form :is(input, select, textarea):not(:disabled)",
    ".form-buttons:has(.danger) .quiet",
    ".secret-row button",
    ".form-buttons button",
  ]
  for (const place of places) {
    const found = dialog.querySelector<HTMLElement>(place)
    if (found) return found
  }
  return null
}
