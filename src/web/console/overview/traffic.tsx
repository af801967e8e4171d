import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import type { PlotStep } from "../../kit/draw-plot.ts"
import { Stat, Stats } from "../../kit/facts.tsx"
import { Plot } from "../../kit/plot.tsx"
import { Ready } from "../../kit/states.tsx"
import { formatNumber, Tag } from "../../kit/text.tsx"
import { type CallHistory, type CreditHistory, callPoints, creditPoints, slowestOf, total } from "./points.ts"

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
            <div class="plots">
              <CallPlot history={history} />
              {credits.data && <CreditPlot history={credits.data} />}
              <LatencyPlot history={history} isOneApi={api !== null} />
            </div>
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

function CallPlot({ history }: { readonly history: CallHistory }) {
  const { times, calls, errors } = callPoints(history)
  return (
    <Plot
      title="Calls and errors"
      file="calls"
      times={times}
      step={history.step}
      series={[
        { label: "Calls", kind: "bars", tone: "accent", values: calls },
        { label: "Errors", kind: "bars", tone: "warn", values: errors },
      ]}
    />
  )
}

interface LatencyPlotProps {
  readonly history: CallHistory
  readonly isOneApi: boolean
}

function LatencyPlot({ history, isOneApi }: LatencyPlotProps) {
  const { times, p50, p99 } = callPoints(history)
  return (
    <Plot
      title="Latency"
      file="latency"
      unit="ms"
      hint="The mean of the APIs' p50 and p99: half of an API's calls took no longer than p50, 99&nbsp;% no longer than p99."
      times={times}
      step={history.step}
      series={[
        { label: "p50", kind: "line", tone: "second", values: p50 },
        { label: isOneApi ? "p99" : "p99 of the slowest API", kind: "line", tone: "warn", values: p99 },
      ]}
    />
  )
}

function CreditPlot({ history }: { readonly history: CreditHistory }) {
  const { times, credits } = creditPoints(history)
  return (
    <Plot
      title="Credits"
      file="credits"
      times={times}
      step={history.step}
      series={[{ label: "Credits", kind: "bars", tone: "accent", values: credits }]}
    />
  )
}
