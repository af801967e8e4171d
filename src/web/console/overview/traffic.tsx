import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import type { PlotStep } from "../../kit/draw-plot.ts"
import { Stat, Stats } from "../../kit/facts.tsx"
import { Plot } from "../../kit/plot.tsx"
import { Ready } from "../../kit/states.tsx"
import { formatNumber, Tag } from "../../kit/text.tsx"
import { type CallHistory, type CreditHistory, middleOf, pointsOf, slowestOf, total } from "./points.ts"

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
  readonly credits: CreditHistory | null
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
