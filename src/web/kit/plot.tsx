import { useEffect, useRef, useState } from "preact/hooks"
import { zone } from "../client/preferences.ts"
import { Button } from "./dialog.tsx"
import { drawPlot, type PlotSeries, type PlotStep } from "./draw-plot.ts"
import { saveCsv } from "./save-csv.ts"
import { Table } from "./table.tsx"
import { formatDay, formatInstant, formatNumber, formatShort, zoneName } from "./text.tsx"

interface PlotProps {
  readonly title: string
  /** ISO times, rising. */
  readonly times: readonly string[]
  readonly step: PlotStep
  readonly series: readonly PlotSeries[]
  /** The unit of the values: "ms". */
  readonly unit?: string
  /** How to read it, if the names do not say so. */
  readonly hint?: string
  /** The name of the CSV file, without its ending. */
  readonly file: string
}

/** A plot, with the same figures as a table and as a file. */
export function Plot(props: PlotProps) {
  const { title, times, step, series, unit, hint, file } = props
  const [pointed, setPointed] = useState<number | null>(null)
  const [isOpen, setOpen] = useState(false)
  const at = pointed === null ? null : times[pointed]
  const titles = ["Time", ...series.map(({ label }) => (unit ? `${label} (${unit})` : label))]
  return (
    <figure class="plot card stack gap-3">
      <figcaption class="row between">
        <h3>{title}</h3>
        <ul class="legend row small">
          {series.map(({ label, tone, values }) => (
            <li class="inline" key={label}>
              <span class={`dot ${tone}`} />
              {label}
              {pointed !== null && <strong>{valueText(values[pointed], unit)}</strong>}
            </li>
          ))}
          <li class="inline muted">{at ? timeText(at, step) : step === "day" ? "UTC" : zoneName()}</li>
        </ul>
      </figcaption>
      {hint && <p class="hint">{hint}</p>}
      {series.some(({ values }) => values.some((value) => value !== null && value !== 0)) ? (
        <Canvas {...props} onPoint={setPointed} />
      ) : (
        <p class="plot-none muted">None in this time</p>
      )}
      <details class="figures" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Figures</summary>
        {isOpen && (
          <>
            <Button icon="download" onClick={() => saveCsv(file, titles, rowsOf(times, series))}>
              Save as CSV
            </Button>
            <FiguresTable {...props} />
          </>
        )}
      </details>
    </figure>
  )
}

/** The drawing itself. */
function Canvas(props: PlotProps & { readonly onPoint: (index: number | null) => void }) {
  const { title, times, step, series, unit, onPoint } = props
  const place = useRef<HTMLDivElement>(null)
  const drawing = useRef<ReturnType<typeof drawPlot> | null>(null)
  const latest = useRef({ times, series })
  latest.current = { times, series }
  const shape = series.map(({ label, kind, tone }) => `${label} ${kind} ${tone}`).join()

  useEffect(() => {
    if (!place.current) return
    drawing.current = drawPlot(place.current, { step, unit, onPoint, ...latest.current })
    return () => {
      drawing.current?.remove()
      drawing.current = null
    }
  }, [shape, step, zone.value])
  useEffect(() => drawing.current?.update(times, series), [times, series])

  return <div class="plot-canvas" ref={place} role="img" aria-label={summaryOf(title, times, series, step)} />
}

function FiguresTable({ title, times, step, series, unit }: PlotProps) {
  return (
    <Table
      isBare
      isNarrow
      caption={title}
      rows={times.map((time, index) => ({ time, index }))}
      keyOf={({ time }) => time}
      columns={[
        { title: "Time", isName: true, cell: ({ time }: Figure) => timeText(time, step) },
        ...series.map(({ label, values }) => ({
          title: label,
          isNumber: true,
          cell: ({ index }: Figure) => valueText(values[index], unit),
        })),
      ]}
    />
  )
}

interface Figure {
  readonly time: string
  readonly index: number
}

function rowsOf(times: readonly string[], series: readonly PlotSeries[]) {
  return times.map((time, index) => [time, ...series.map(({ values }) => values[index] ?? null)])
}

function timeText(iso: string, step: PlotStep): string {
  return step === "day" ? formatDay(iso) : formatInstant(iso)
}

function valueText(value: number | null | undefined, unit: string | undefined): string {
  if (value === null || value === undefined) return "–"
  return unit ? `${formatNumber(value)} ${unit}` : formatNumber(value)
}

/** A plot's contents, in a sentence. */
function summaryOf(title: string, times: readonly string[], series: readonly PlotSeries[], step: PlotStep) {
  const [first] = times
  const last = times.at(-1)
  if (first === undefined || last === undefined) return `${title}: no figures.`
  const highest = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null)
    return `${label}: ${known.length === 0 ? "none" : `at most ${formatShort(Math.max(...known))}`}`
  })
  return `${title} from ${timeText(first, step)} to ${timeText(last, step)}. ${highest.join(". ")}. The figures are below.`
}
