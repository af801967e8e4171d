import { signal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { path } from "../client/address.ts"
import { after } from "../client/browser.ts"
import type { OperationId } from "../client/operations.ts"
import { may } from "../client/session.ts"
import { Icon, type IconName } from "./icon.tsx"

const message = signal("")
const shownMs = 6_000
let cancel = () => {}

/** Says for a few seconds that something was done: "Account created." */
export function say(text: string): void {
  cancel()
  message.value = text
  cancel = after(shownMs, () => {
    message.value = ""
  })
}

/** How something ends that was done. */
export interface DoneProps<T> {
  /** Said when it is done, or called with the answer. */
  readonly done: string | ((answer: T) => void)
  /** Called with the answer after the text was said. */
  readonly then?: ((answer: T) => void) | undefined
}

/** Says that something was done, or calls the functions for it. */
export function tellDone<T>({ done, then }: DoneProps<T>, answer: T): void {
  if (typeof done === "string") say(done)
  else done(answer)
  then?.(answer)
}

/** Shows what {@link say} says. It is always in the page, since screen readers ignore new regions. */
export function Status() {
  return (
    <div class={message.value === "" ? "status" : "status shown"} role="status">
      {message.value}
    </div>
  )
}

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

/** The properties of a {@link Button}. */
export interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => void
  readonly kind?: "primary" | "plain" | "quiet" | "risky" | "danger"
  readonly type?: "button" | "submit"
  readonly icon?: IconName | undefined
  readonly disabled?: boolean
  /** While it works, presses do nothing. It keeps the focus, which a disabled button loses. Not for forms. */
  readonly isBusy?: boolean
  /** A fuller name for screen readers. */
  readonly label?: string | undefined
}

/** A button. While it is busy it looks disabled. */
export function Button(props: ButtonProps) {
  const { children, onClick, kind = "plain", type = "button", icon, disabled, isBusy, label } = props
  return (
    <button
      class={`button ${kind}`}
      type={type}
      onClick={isBusy ? undefined : onClick}
      disabled={disabled}
      aria-disabled={isBusy || undefined}
      aria-label={label}
      onKeyDown={ignoreHeldEnter}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** Browsers press a button again and again while Enter is held down. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter") event.preventDefault()
}

interface LinkButtonProps extends Pick<ButtonProps, "children" | "kind" | "icon"> {
  readonly href: string
  /** The name of the file that is saved; true leaves it to the service. */
  readonly download?: string | true
}

/** A link that looks like a button. */
export function LinkButton({ href, download, children, kind = "plain", icon }: LinkButtonProps) {
  return (
    <a class={`button ${kind}`} href={href} download={download}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}
