import type { AnswerOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import type { PlotStep } from "../../kit/draw-plot.ts"
import { Ready, Stat, Stats } from "../../kit/page.tsx"
import { Plot } from "../../kit/plot.tsx"
import { formatNumber, Tag } from "../../kit/text.tsx"

interface TrafficProps {
  readonly step: PlotStep
  /** Null for all. */
  readonly api: string | null
}

/** Calls, errors, latency and credits of a time, as figures and as plots. */
export function Traffic({ step, api }: TrafficProps) {
  const reading = useRead("history.calls", { step, api })
  const credits = useRead(may("history.credits") && api === null ? "history.credits" : null, {
    step,
    by: "none",
  })
  const { from, to } = reading.data ?? {}
  const faults = useRead(may("history.faults") && from !== undefined ? "history.faults" : null, {
    from: from ?? null,
    to: to ?? null,
    api,
  })
  const failed = faults.data && total(faults.data.data, (sum) => (sum.is_service_fault ? sum.calls : 0))
  // Wait for all figures, so that the layout does not jump.
  const waits = credits.isLoading && credits.data === null
  return (
    <div class="traffic">
      <Ready reading={waits ? { ...reading, data: null, isLoading: true } : reading} what="calls">
        {(history) => (
          <>
            <h2 class="hidden">Traffic</h2>
            <Figures history={history} credits={credits.data} failed={failed} />
            <Plots history={history} credits={credits.data} isOneApi={api !== null} />
          </>
        )}
      </Ready>
    </div>
  )
}

interface FiguresProps {
  readonly history: CallHistory
  readonly credits: AnswerOf<"history.credits"> | null
  /** Errors that are the service's own; null where it is not known. */
  readonly failed: number | null
}

/** Mistakes of callers are refused as they should be, so only the service's own errors are red. */
function Figures({ history: { data }, credits, failed }: FiguresProps) {
  const calls = total(data, (sum) => sum.calls)
  const errors = total(data, (sum) => sum.errors)
  const slowest = slowestOf(data)
  return (
    <Stats>
      <Stat label="Calls" value={formatNumber(calls)} />
      {credits && <Stat label="Credits" value={formatNumber(total(credits.data, (sum) => sum.credits))} />}
      <Stat
        label="Errors"
        value={formatNumber(errors)}
        note={
          calls > 0 && (
            <>
              {((errors / calls) * 100).toFixed(errors === 0 ? 0 : 1)}&nbsp;% of calls
              {failed === 0 && errors > 0 && ", all mistakes of callers"}{" "}
              {failed !== null && failed > 0 && <Tag tone="bad">{formatNumber(failed)} of the service</Tag>}
            </>
          )
        }
      />
      <Stat label="Slowest p99" value={slowest === null ? "–" : `${formatNumber(slowest)} ms`} />
    </Stats>
  )
}

interface PlotsProps extends Pick<FiguresProps, "history" | "credits"> {
  readonly isOneApi: boolean
}

function Plots({ history, credits, isOneApi }: PlotsProps) {
  const { times, each } = pointsOf(history)
  const ofCredits = credits && pointsOf(credits)
  const slowest = isOneApi ? "p99" : "p99 of the slowest API"
  const sumOf = (name: "calls" | "errors") => each((sums) => total(sums, (sum) => sum[name]))
  return (
    <div class="plots">
      <Plot
        title="Calls and errors"
        file="calls"
        times={times}
        step={history.step}
        series={[
          { label: "Calls", kind: "bars", tone: "accent", values: sumOf("calls") },
          { label: "Errors", kind: "bars", tone: "warn", values: sumOf("errors") },
        ]}
      />
      {credits && ofCredits && (
        <Plot
          title="Credits"
          file="credits"
          times={ofCredits.times}
          step={credits.step}
          series={[
            {
              label: "Credits",
              kind: "bars",
              tone: "accent",
              values: ofCredits.each((sums) => total(sums, (sum) => sum.credits)),
            },
          ]}
        />
      )}
      <Plot
        title="Latency"
        file="latency"
        unit="ms"
        hint="The mean of the APIs' p50 and p99: half of an API's calls took no longer than p50, 99&nbsp;% no longer than p99."
        times={times}
        step={history.step}
        series={[
          { label: "p50", kind: "line", tone: "second", values: each(middleOf) },
          { label: slowest, kind: "line", tone: "warn", values: each(slowestOf) },
        ]}
      />
    </div>
  )
}

type CallHistory = AnswerOf<"history.calls">

const stepMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

type CallSum = CallHistory["data"][number]

/** The times of a history, and a function that makes a value of the sums of each time. */
function pointsOf<Sum extends { readonly at: string }>(
  history: Pick<CallHistory, "step" | "from" | "to"> & { readonly data: readonly Sum[] },
) {
  const times = timesOf(history)
  const byTime = Map.groupBy(history.data, ({ at }) => new Date(at).getTime())
  const each = <T,>(pick: (sums: readonly Sum[]) => T) =>
    times.map((time) => pick(byTime.get(new Date(time).getTime()) ?? []))
  return { times, each }
}

/** The p99 latency of the slowest API: 99 % of its calls took at most this long. */
function slowestOf(sums: readonly Pick<CallSum, "p99_ms">[]): number | null {
  const known = sums.flatMap(({ p99_ms }) => p99_ms ?? [])
  return known.length === 0 ? null : round(Math.max(...known))
}

/** Mean over all APIs, weighted by calls; null if there were none. */
function middleOf(sums: readonly CallSum[]): number | null {
  const known = sums.filter(({ p50_ms }) => p50_ms !== null)
  const calls = total(known, ({ calls }) => calls)
  return calls === 0 ? null : round(total(known, ({ calls, p50_ms }) => calls * (p50_ms ?? 0)) / calls)
}

function timesOf({ step, from, to }: Pick<CallHistory, "step" | "from" | "to">) {
  const first = new Date(from).getTime()
  const count = Math.max(0, Math.ceil((new Date(to).getTime() - first) / stepMs[step]))
  return Array.from({ length: count }, (_, index) => new Date(first + index * stepMs[step]).toISOString())
}

function total<T>(items: readonly T[], pick: (item: T) => number): number {
  return items.reduce((sum, item) => sum + pick(item), 0)
}

function round(value: number): number {
  return value < 10 ? Math.round(value * 100) / 100 : Math.round(value)
}
