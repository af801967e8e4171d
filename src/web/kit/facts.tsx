import type { ComponentChildren } from "preact"

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
