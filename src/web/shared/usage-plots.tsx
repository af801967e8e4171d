import { nowMs } from "../client/browser.ts"
import type { EntryOf } from "../client/operations.ts"
import { Plot } from "../kit/plot.tsx"

interface UsagePlotsProps {
  /** Sums by day. */
  readonly sums: readonly EntryOf<"usage.query">[]
  /** The number of days, today the last. */
  readonly days: number
  /** The start of the names of the CSV files. */
  readonly file: string
}

const dayMs = 86_400_000

/** Calls and credits of the last days, as two plots. */
export function UsagePlots({ sums, days, file }: UsagePlotsProps) {
  const byDay = new Map(sums.map((sum) => [sum.day, sum]))
  const shown = lastDays(days)
  const plot = (label: string, name: "calls" | "credits") => (
    <Plot
      title={`${label} by day`}
      times={shown.map((day) => `${day}T00:00:00Z`)}
      step="day"
      file={`${file}-${name}`}
      series={[
        { label, kind: "bars", tone: "accent", values: shown.map((day) => byDay.get(day)?.[name] ?? 0) },
      ]}
    />
  )
  return (
    <div class="plots">
      {plot("Calls", "calls")}
      {plot("Credits", "credits")}
    </div>
  )
}

/** The last UTC days, today's the last: `2027-01-31`. */
function lastDays(count: number): string[] {
  const today = nowMs()
  return Array.from({ length: count }, (_, index) =>
    new Date(today - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
}
