import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { Mark } from "../../shell/mark.tsx"

interface GuestCardProps {
  readonly title: string
  readonly children: ComponentChildren
}

/** A page for visitors: a card with a heading, which gets the focus, so that a screen reader says where one is. */
export function GuestCard({ title, children }: GuestCardProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [title])
  return (
    <main class="sign-in" id="main">
      <div class="sign-in-card">
        <Mark />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
    </main>
  )
}
