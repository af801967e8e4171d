import uPlot from "uplot"
import { zone } from "../client/preferences.ts"
import { formatShort } from "./text.tsx"

/** One line or row of bars. */
export interface PlotSeries {
  readonly label: string
  readonly kind: "bars" | "line"
  readonly tone: "accent" | "second" | "bad" | "warn"
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[]
}

/** The time between two points of a plot. */
export type PlotStep = "minute" | "hour" | "day"

interface DrawOptions {
  readonly times: readonly string[]
  readonly series: readonly PlotSeries[]
  readonly step: PlotStep
  /** The unit of the values; without one they are counts. */
  readonly unit: string | undefined
  /** Called with the place of the time that the pointer is at. */
  onPoint(index: number | null): void
}

const heightPx = 200
const stepSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const

/** Draws a plot into an element, in its full width and the colours of the style sheet. */
export function drawPlot(place: HTMLElement, { times, series, step, unit, onPoint }: DrawOptions) {
  const dark = matchMedia("(prefers-color-scheme: dark)")
  let latest = { times, series }
  let plot = make()

  function make(): uPlot {
    const made = new uPlot(optionsOf(place, latest.series, { step, unit, onPoint }), dataOf(latest), place)
    // The label around it describes it.
    made.root.setAttribute("aria-hidden", "true")
    return made
  }

  function renew(): void {
    plot.destroy()
    plot = make()
  }

  const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: heightPx }))
  observer.observe(place)
  dark.addEventListener("change", renew)
  return {
    update(times: DrawOptions["times"], series: DrawOptions["series"]): void {
      latest = { times, series }
      plot.setData(dataOf(latest))
    },
    remove(): void {
      observer.disconnect()
      dark.removeEventListener("change", renew)
      plot.destroy()
    },
  }
}

function dataOf({ times, series }: Pick<DrawOptions, "times" | "series">): uPlot.AlignedData {
  return [times.map((time) => new Date(time).getTime() / 1_000), ...series.map(({ values }) => [...values])]
}

function optionsOf(
  place: HTMLElement,
  series: readonly PlotSeries[],
  { step, unit, onPoint }: Pick<DrawOptions, "step" | "unit" | "onPoint">,
): uPlot.Options {
  const style = getComputedStyle(place)
  const colour = (name: string) => resolveColour(place, style.getPropertyValue(name))
  const axis = {
    stroke: colour("--muted"),
    font: `12px ${style.fontFamily}`,
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  }
  const half = stepSeconds[step] / 2
  return {
    width: place.clientWidth,
    height: heightPx,
    legend: { show: false },
    tzDate: (seconds) => {
      const at = new Date(seconds * 1_000)
      return step !== "day" && zone.value === "local" ? at : uPlot.tzDate(at, "Etc/UTC")
    },
    padding: [10, 20, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { range: (_plot, min, max) => [min - half, max + half] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 70,
        values: (_plot, seconds, _axis, _space, increment) =>
          timeLabels(seconds, increment, step === "day" ? "UTC" : zone.value),
      },
      {
        ...axis,
        size: 60,
        values: (_plot, values) => values.map((value) => formatShort(value) + (unit ? ` ${unit}` : "")),
        ...(unit === undefined && { incrs: wholeSteps }),
      },
    ],
    series: [{}, ...series.map((each) => seriesOf(each, colour))],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}

/** The steps of an axis of counts: whole numbers. */
const wholeSteps = Array.from({ length: 15 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat()

const dayOptions = { day: "numeric", month: "short" } as const
const minuteOptions = { hour: "2-digit", minute: "2-digit" } as const

/** Days below an axis of days; hours and minutes below others, where the day stands at midnight. */
function timeLabels(seconds: readonly number[], increment: number, zone: "UTC" | "local"): string[] {
  const inZone = zone === "UTC" ? { timeZone: "UTC" } : {}
  const day = new Intl.DateTimeFormat("en-GB", { ...dayOptions, ...inZone })
  const minute = new Intl.DateTimeFormat("en-GB", { ...minuteOptions, ...inZone })
  return seconds.map((each) => {
    const at = new Date(each * 1_000)
    const text = minute.format(at)
    return increment >= stepSeconds.day || text === "00:00" ? day.format(at) : text
  })
}

function seriesOf({ label, kind, tone }: PlotSeries, colour: (name: string) => string): uPlot.Series {
  const stroke = colour(`--plot-${tone}`)
  if (kind === "line")
    return { label, stroke, width: 2, points: { show: true, size: 5, fill: stroke, filter: lonePoints } }
  const paths = uPlot.paths.bars?.({ size: [0.75, 40], radius: 0.15 })
  return { label, stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) }
}

/** The indexes of values without a neighbour, which no line shows. */
function lonePoints(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? []
  const isNone = (index: number) => (values[index] ?? null) === null
  return [...values.keys()].filter((index) => !isNone(index) && isNone(index - 1) && isNone(index + 1))
}

/** The present colour of a property: a canvas knows neither `var()` nor `light-dark()`. */
function resolveColour(place: HTMLElement, value: string): string {
  const probe = document.createElement("span")
  probe.style.color = value
  place.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
