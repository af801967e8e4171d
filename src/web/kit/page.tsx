import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { visits } from "../client/address.ts"
import { serviceName } from "../client/area.ts"
import { Icon } from "./icon.tsx"

/** A screen: its heading, and what is below it. */
export interface PageProps {
  readonly title: string
  /** A sentence below the heading. */
  readonly intro?: ComponentChildren
  /** Buttons next to the heading. */
  readonly actions?: ComponentChildren
  /** The screen that this one belongs to. */
  readonly up?: { readonly title: string; readonly href: string } | undefined
  readonly children: ComponentChildren
}

/** One screen. Its heading gets the focus after a link was followed, so that a screen reader says where it is. */
export function Page({ title, intro, actions, up, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${serviceName}`
  }, [title])
  useEffect(() => {
    if (visits.value > 0) heading.current?.focus({ preventScroll: true })
  }, [visits.value])
  return (
    <>
      <header class="page-head stack">
        {up && (
          <a class="up inline gap-1 muted small" href={up.href}>
            <Icon name="back" />
            {up.title}
          </a>
        )}
        <div class="page-title row between">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {actions && <div class="actions row">{actions}</div>}
        </div>
        {intro && <p class="intro muted">{intro}</p>}
      </header>
      {children}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly intro?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a screen with its own heading. */
export function Section({ title, actions, intro, children }: SectionProps) {
  return (
    <section class="section stack gap-3">
      <div class="section-head row between">
        <h2>{title}</h2>
        {actions && <div class="actions row">{actions}</div>}
      </div>
      {intro && <p class="intro muted">{intro}</p>}
      {children}
    </section>
  )
}
