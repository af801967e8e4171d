/** The choices that someone has made for this browser: light or dark, and the zone of times. */
import { effect, signal } from "@preact/signals"

/** The choices of colours. */
const themes = ["system", "light", "dark"] as const
/** The choices of a time zone. */
const zones = ["UTC", "local"] as const

/** The colours of the page, as the user chose them. */
export const theme = keptSignal("theme", themes)
/** The zone in which times are shown. Days of usage are always those of UTC. */
export const zone = keptSignal("zone", zones)

effect(() => {
  const { dataset } = document.documentElement
  if (theme.value === "system") delete dataset.theme
  else dataset.theme = theme.value
})

function keptSignal<T extends string>(name: string, values: readonly [T, ...T[]]) {
  const key = `penknife-${name}`
  const kept = signal<T>(values.find((value) => value === readKept(key)) ?? values[0])
  effect(() => keep(key, kept.value))
  return kept
}

/** A browser may forbid storage; the choice then lasts as long as the page. */
function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Forbidden, or full.
  }
}
