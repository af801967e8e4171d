import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { serviceName, visits } from "../client/address.ts"
import { Problem, Unreachable } from "../client/request.ts"
import type { Reading } from "../client/use-read.ts"
import { Button } from "./dialog.tsx"
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

/** Grey bars while content is read, and a sentence for screen readers. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading card stack gap-4" role="status">
      <span class="hidden">Loading {what} …</span>
      <span class="bar wide" />
      <span class="bar" />
      <span class="bar short" />
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}

/** Says that there is nothing, why, and what to do about it. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty stack">
      <p class="empty-title">{title}</p>
      {children && <p class="muted">{children}</p>}
      {action && <div class="actions row">{action}</div>}
    </div>
  )
}

interface ErrorBoxProps {
  readonly error: Problem | Unreachable
  readonly onRetry?: (() => void) | undefined
  readonly retryLabel?: string
}

/** Why something failed, with a button to try again if that can help. */
export function ErrorBox({ error, onRetry, retryLabel = "Try again" }: ErrorBoxProps) {
  const isProblem = error instanceof Problem
  const isGone = isProblem && error.status === 404
  return (
    <div class="error-box notice bad stack" role="alert">
      <p>
        {error.message}
        {!isProblem && " Try again when it is back: what was done already is not done twice."}
      </p>
      {isProblem && error.requestId !== null && (
        <p class="muted small">
          Request <code>{error.requestId}</code>
        </p>
      )}
      {onRetry && !isGone && <Button onClick={onRetry}>{retryLabel}</Button>}
    </div>
  )
}

interface ReadyProps<T> {
  readonly reading: Reading<T>
  /** The noun for the data, such as "accounts". */
  readonly what: string
  readonly children: (data: T) => ComponentChildren
}

/**
 * Shows what was read, or that it is loading, or why it could not be read. The banner says once for the whole page that the
 * service is gone, and what could not be read is read when it is back.
 */
export function Ready<T>({ reading, what, children }: ReadyProps<T>) {
  const { data, error, isLoading, reload } = reading
  const waits = isLoading || error instanceof Unreachable
  return (
    <>
      {error instanceof Problem && <ErrorBox error={error} onRetry={reload} />}
      {data === null ? waits && <Loading what={what} /> : <div aria-busy={isLoading}>{children(data)}</div>}
    </>
  )
}

interface NoticeProps {
  readonly tone: "plain" | "good" | "warn" | "bad"
  readonly children: ComponentChildren
}

/** A remark about the content. */
export function Notice({ tone, children }: NoticeProps) {
  return <div class={`notice ${tone}`}>{children}</div>
}

interface StatProps {
  readonly label: string
  readonly value: ComponentChildren
  readonly note?: ComponentChildren
}

/** One figure that matters. */
export function Stat({ label, value, note }: StatProps) {
  return (
    <div class="stat card stack gap-1">
      <dt class="muted small">{label}</dt>
      <dd class="stat-value">{value}</dd>
      {note && <dd class="muted small">{note}</dd>}
    </div>
  )
}

/** A list of large figures; each is a {@link Stat}. */
export function Stats({ children }: { readonly children: ComponentChildren }) {
  return <dl class="stats">{children}</dl>
}

/** A name and a value. */
export type Fact = readonly [name: string, value: ComponentChildren]

/** Facts about one thing: names and values. */
export function Facts({ facts }: { readonly facts: readonly (Fact | null)[] }) {
  return (
    <dl class="facts card lined">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt class="muted">{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

interface MeterProps {
  /** Percent that is used; null without a limit. */
  readonly percent: number | null
  readonly label: string
}

/** How much of an allowance is used. */
export function Meter({ percent, label }: MeterProps) {
  if (percent === null) return <span class="muted">no limit</span>
  const level = percent >= 95 ? "bad" : percent >= 80 ? "warn" : "plain"
  return (
    <span class="inline">
      <meter class={`meter ${level}`} min={0} max={100} value={Math.min(percent, 100)} aria-label={label} />
      <span class="nowrap">{percent} %</span>
    </span>
  )
}
