import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "./icon.tsx"

interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => void
  readonly kind?: "primary" | "plain" | "quiet" | "risky" | "danger"
  readonly type?: "button" | "submit"
  readonly icon?: IconName
  readonly disabled?: boolean
  /** A fuller name for screen readers. */
  readonly label?: string
}

export function Button({
  children,
  onClick,
  kind = "plain",
  type = "button",
  icon,
  disabled,
  label,
}: ButtonProps) {
  return (
    <button class={`button ${kind}`} type={type} onClick={onClick} disabled={disabled} aria-label={label}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface LinkButtonProps {
  readonly href: string
  readonly children: ComponentChildren
  readonly kind?: "primary" | "plain" | "quiet"
  readonly icon?: IconName
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
