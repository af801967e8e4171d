import parse from "parse-prometheus-text-format"

/**
 * Returns the values of a scrape by series, `name{a="b"}` with sorted labels. Throws if the text is malformed, with the checks
 * of `promtool check metrics`: HELP and TYPE once and before the samples, counters that end in `_total`.
 */
export function readMetrics(text: string): ReadonlyMap<string, number> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end")
  const types = new Map<string, string>()
  const series = new Map<string, number>()
  for (const line of text.split("\n").filter((line) => line !== "")) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? []
    if (keyword === "TYPE") {
      if (types.has(name)) throw new Error(`${name} is typed twice`)
      if ((rest === "counter") !== name.endsWith("_total"))
        throw new Error(`${name} is misnamed for a ${rest}`)
      types.set(name, rest)
    } else if (keyword === undefined) {
      const [key, value] = readSample(line, types)
      if (series.has(key)) throw new Error(`${key} is there twice`)
      series.set(key, value)
    }
  }
  // An independent parser finds the same families.
  const families = parse(text).map(({ name }) => name)
  if (families.sort().join() !== [...types.keys()].sort().join()) throw new Error(`families: ${families}`)
  return series
}

function readSample(line: string, types: ReadonlyMap<string, string>): [key: string, value: number] {
  const [, name = "", labels = "", value] =
    /^([a-z_]+)(?:\{((?:[a-z_]+="[^"\\\n]*",?)+)\})? (-?[\d.e+-]+|NaN)$/.exec(line) ?? []
  const isTyped = types.has(name) || types.get(name.replace(/_(bucket|sum|count)$/, "")) === "histogram"
  if (!isTyped) throw new Error(`a sample without TYPE: ${line}`)
  const sorted = labels.split(",").sort().join(",")
  return [sorted ? `${name}{${sorted}}` : name, Number(value)]
}

/** The sum over all series of a metric whose labels contain `part`. */
export const sumOf = (series: ReadonlyMap<string, number>, name: string, part = ""): number =>
  [...series]
    .filter(([key]) => (key === name || key.startsWith(`${name}{`)) && key.includes(part))
    .reduce((sum, [, value]) => sum + value, 0)
