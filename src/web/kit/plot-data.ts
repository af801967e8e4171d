/** One line or row of bars. */
export interface PlotSeries {
  readonly label: string
  readonly kind: "bars" | "line"
  readonly tone: "accent" | "second" | "bad" | "warn"
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[]
}

export type PlotStep = "minute" | "hour" | "day"

/** A plot that is drawn. */
export interface Drawing {
  update(times: readonly string[], series: readonly PlotSeries[]): void
  remove(): void
}
