import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "./icon.tsx"

/** The properties of a {@link Button}. */
export interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => void
  readonly kind?: "primary" | "plain" | "quiet" | "risky" | "danger"
  readonly type?: "button" | "submit"
  readonly icon?: IconName
  readonly disabled?: boolean
  /** While it works: it does nothing more, and keeps the focus, which a disabled button loses. */
  readonly isBusy?: boolean
  /** A fuller name for screen readers. */
  readonly label?: string
}

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
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface LinkButtonProps extends Pick<ButtonProps, "children" | "kind" | "icon"> {
  readonly href: string
}

/** A link that looks like a button. */
export function LinkButton({ href, children, kind = "plain", icon }: LinkButtonProps) {
  return (
    <a class={`button ${kind}`} href={href}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}
