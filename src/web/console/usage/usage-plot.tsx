import { nowMs } from "../../client/browser.ts"
import type { Query } from "../../client/request.ts"
import type { Listed, UsageSums } from "../../client/types.ts"
import { useRead } from "../../client/use-read.ts"
import { Plot } from "../../kit/plot.tsx"
import type { PlotSeries } from "../../kit/plot-data.ts"
import { Empty, Ready } from "../../kit/states.tsx"

type Sum = UsageSums["data"][number]

interface UsagePlotProps {
  /** The account or key whose usage it is. */
  readonly filter: Query
  /** The name of the CSV file. */
  readonly file: string
}

const days = 31
const dayMs = 86_400_000

/** Calls and credits of the last days, as two plots. */
export function UsagePlot({ filter, file }: UsagePlotProps) {
  const reading = useRead<Listed<Sum>>("/usage", { ...filter, days, by: ["day"], limit: days })
  return (
    <Ready reading={reading} what="usage">
      {({ data }) =>
        data.length === 0 ? (
          <Empty title={`No calls in the last ${days} days`}>Successful calls appear here.</Empty>
        ) : (
          <div class="plots">
            <DayPlot
              title="Calls by day"
              label="Calls"
              sums={data}
              pick={({ calls = 0 }) => calls}
              file={`${file}-calls`}
            />
            <DayPlot
              title="Credits by day"
              label="Credits"
              sums={data}
              pick={({ credits = 0 }) => credits}
              file={`${file}-credits`}
            />
          </div>
        )
      }
    </Ready>
  )
}

interface DayPlotProps {
  readonly title: string
  readonly label: string
  readonly sums: readonly Sum[]
  readonly file: string
  pick(sum: Sum): number
}

function DayPlot({ title, label, sums, file, pick }: DayPlotProps) {
  const byDay = new Map(sums.map((sum) => [sum.day, pick(sum)]))
  const times = lastDays()
  const values = times.map((day) => byDay.get(day) ?? 0)
  const series: PlotSeries[] = [{ label, kind: "bars", tone: "accent", values }]
  return (
    <Plot
      title={title}
      times={times.map((day) => `${day}T00:00:00Z`)}
      step="day"
      series={series}
      file={file}
    />
  )
}

/** The UTC days that the plot shows, `2027-01-31` the last. */
function lastDays(): string[] {
  const today = nowMs()
  return Array.from({ length: days }, (_, index) =>
    new Date(today - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  )
}
