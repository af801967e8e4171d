/** Placeholders for content: loading, empty, failed. */
import type { ComponentChildren } from "preact"
import { Problem, Unreachable } from "../client/problem.ts"
import type { Reading } from "../client/use-read.ts"
import { Button } from "./button.tsx"

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
