import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "./icon.tsx"

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
