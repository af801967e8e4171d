import { toText } from "../audit/changes.tsx"

interface SettingValueProps {
  readonly setting: string
  readonly value: unknown
  /** The default, in words, where it is known. */
  readonly standard?: string
}

/** The value of a setting as it is written in the configuration file, or what applies without a value. */
export function SettingValue({ setting, value, standard }: SettingValueProps): string {
  const text = toWritten(setting, value)
  if (text !== null) return text
  if (isNothing(value) && !setting.startsWith("plans.")) {
    if (standard !== undefined) return standard === "none" ? standard : `the default: ${standard}`
    if (Array.isArray(value)) return "the default"
  }
  return toText(value)
}

/** Durations and ports are written without commas. Null for a value that is an amount or no number. */
function toWritten(setting: string, value: unknown): string | null {
  if (setting === "backup_every" && typeof value === "number") return toDuration(value)
  if (!/(?:^|_)ports?$/.test(setting) || isNothing(value)) return null
  return Array.isArray(value) ? value.join(", ") : String(value)
}

function toDuration(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds % size === 0 && seconds >= 2 * size) ?? [1, "s"]
  return `${seconds / size}${unit}`
}

const units = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "m"],
] as const

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}
