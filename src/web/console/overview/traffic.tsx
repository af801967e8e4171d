import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import type { PlotStep } from "../../kit/draw-plot.ts"
import { Stat, Stats } from "../../kit/facts.tsx"
import { Plot } from "../../kit/plot.tsx"
import { Ready } from "../../kit/states.tsx"
import { formatNumber } from "../../kit/text.tsx"
import { type CallHistory, type CreditHistory, callPoints, creditPoints, slowestOf, total } from "./points.ts"

interface TrafficProps {
  readonly step: PlotStep
  /** Null for all. */
  readonly api: string | null
  readonly version: number
}

/** Calls, errors, latency and credits of a time, as figures and as plots. */
export function Traffic({ step, api, version }: TrafficProps) {
  const reading = useRead("history.calls", { step, api }, version)
  const credits = useRead(
    may("history.credits") && api === null ? "history.credits" : null,
    { step, by: "none" },
    version,
  )
  // Figures that come one after the other would move those already shown.
  const waits = credits.isLoading && credits.data === null
  return (
    <div class="traffic">
      <Ready reading={waits ? { ...reading, data: null, isLoading: true } : reading} what="calls">
        {(history) => (
          <>
            <Figures history={history} credits={credits.data} />
            <div class="plots">
              <CallPlots history={history} isOneApi={api !== null} />
              {credits.data && <CreditPlot history={credits.data} />}
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
}

function Figures({ history: { data }, credits }: FiguresProps) {
  const calls = total(data, (sum) => sum.calls)
  const errors = total(data, (sum) => sum.errors)
  const slowest = slowestOf(data)
  return (
    <Stats>
      <Stat label="Calls" value={formatNumber(calls)} />
      <Stat
        label="Errors"
        value={formatNumber(errors)}
        note={
          calls === 0
            ? undefined
            : `${((errors / calls) * 100).toFixed(errors === 0 ? 0 : 1)}\u00a0% of calls`
        }
      />
      <Stat label="Slowest p99" value={slowest === null ? "–" : `${formatNumber(slowest)} ms`} />
      {credits && <Stat label="Credits" value={formatNumber(total(credits.data, (sum) => sum.credits))} />}
    </Stats>
  )
}

interface CallPlotsProps {
  readonly history: CallHistory
  readonly isOneApi: boolean
}

function CallPlots({ history, isOneApi }: CallPlotsProps) {
  const { times, calls, errors, p50, p99 } = callPoints(history)
  return (
    <>
      <Plot
        title="Calls and errors"
        file="calls"
        times={times}
        step={history.step}
        series={[
          { label: "Calls", kind: "bars", tone: "accent", values: calls },
          { label: "Errors", kind: "bars", tone: "bad", values: errors },
        ]}
      />
      <Plot
        title="Latency"
        file="latency"
        unit="ms"
        hint="Half of the calls took no longer than p50, which is an average over the APIs. 99&nbsp;% took no longer than p99."
        times={times}
        step={history.step}
        series={[
          { label: "p50", kind: "line", tone: "second", values: p50 },
          { label: isOneApi ? "p99" : "p99 of the slowest API", kind: "line", tone: "warn", values: p99 },
        ]}
      />
    </>
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
