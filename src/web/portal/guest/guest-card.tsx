import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import { serviceName } from "../../client/address.ts"
import { Mark } from "../../shell/mark.tsx"

interface GuestCardProps {
  readonly title: string
  readonly children: ComponentChildren
}

/**
 * A page for visitors: a card. The first field or the button of its form gets the focus; without a form the heading, so that a
 * screen reader says where one is.
 */
export function GuestCard({ title, children }: GuestCardProps) {
  const card = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · ${serviceName}`
    const field = card.current?.querySelector<HTMLElement>("form :is(input, button)")
    const first = field ?? heading.current
    first?.focus()
  }, [title])
  return (
    <main class="sign-in" id="main">
      <div class="sign-in-card card stack gap-5" ref={card}>
        <Mark />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
    </main>
  )
}
