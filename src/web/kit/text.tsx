/** Numbers, times and short marks, always written in the same way. */
import type { ComponentChildren } from "preact"
import { nowMs } from "../client/browser.ts"
import { zone } from "../client/preferences.ts"
import { say } from "./dialog.tsx"
import { Icon } from "./icon.tsx"

const whole = new Intl.NumberFormat("en-US")
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 })
const dayOptions = { dateStyle: "medium" } as const
const minuteOptions = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const
const utc = { timeZone: "UTC" }
const formats = {
  UTC: {
    day: new Intl.DateTimeFormat("en-GB", { ...dayOptions, ...utc }),
    minute: new Intl.DateTimeFormat("en-GB", { ...minuteOptions, ...utc }),
  },
  local: {
    day: new Intl.DateTimeFormat("en-GB", dayOptions),
    minute: new Intl.DateTimeFormat("en-GB", minuteOptions),
  },
}
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" })

/** `1,234`, or "unlimited". */
export function formatNumber(value: number | string): string {
  return typeof value === "number" ? whole.format(value) : value
}

/** `1 account`, or `1,234 accounts`. */
export function countOf(count: number, thing: string): string {
  return `${formatNumber(count)} ${thing}${count === 1 ? "" : "s"}`
}

/** `1.2K`. */
export function formatShort(value: number): string {
  return short.format(value)
}

/** `3 Feb 2027, 14:05 UTC`, or in the zone of this browser. */
export function formatInstant(iso: string): string {
  const at = new Date(iso)
  const { day, minute } = formats[zone.value]
  return `${day.format(at)}, ${minute.format(at)}`
}

/** `14:05:09.250`, for times of today. */
export function formatClock(iso: string): string {
  return inZone(iso).slice(11, 23)
}

/** `3 Feb 2027, 14:05:09`. */
export function formatSecond(iso: string): string {
  return `${formats[zone.value].day.format(new Date(iso))}, ${inZone(iso).slice(11, 19)}`
}

/** `2027-02-03T14:05`, as a field for a time has it; empty for no time. */
export function toZoneMinute(iso: string): string {
  return Number.isNaN(new Date(iso).getTime()) ? "" : inZone(iso).slice(0, 16)
}

/** The instant of what was typed into a field for a time: `2027-02-03T14:05Z`. */
export function fromZoneMinute(text: string): string {
  const minute = text.slice(0, 16)
  return zone.value === "UTC" ? `${minute}Z` : `${new Date(minute).toISOString().slice(0, 16)}Z`
}

/** An instant as if the zone of times were UTC. */
function inZone(iso: string): string {
  const at = new Date(iso)
  const shift = zone.value === "UTC" ? 0 : at.getTimezoneOffset() * 60_000
  return new Date(at.getTime() - shift).toISOString()
}

/** The zone of times for a heading: `UTC` or `local`. */
export function zoneWord(): string {
  return zone.value === "UTC" ? "UTC" : "local"
}

/** The name of the zone of times: `UTC`, or that of this browser's zone. */
export function zoneName(): string {
  return zone.value === "UTC" ? "UTC" : Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** `3 Feb 2027`: the day of an instant, or a day of usage (UTC). */
export function formatDay(iso: string): string {
  const isDay = /^\d{4}-\d\d-\d\d(?:T00:00:00(?:\.000)?Z)?$/.test(iso)
  return formats[isDay ? "UTC" : zone.value].day.format(new Date(iso))
}

/** "3 days ago", "just now", "within a minute" or "in 2 hours". */
function formatDistance(iso: string): string {
  const seconds = (new Date(iso).getTime() - nowMs()) / 1_000
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  }
  // If this clock is a little behind the service's, the past must not look like the future.
  return seconds > 5 ? "within a minute" : "just now"
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

/** A time. The pointer shows its exact value. */
export function Time({
  at,
  style = "day",
}: {
  readonly at: string
  readonly style?: "day" | "instant" | "distance"
}) {
  const text = style === "day" ? formatDay(at) : style === "instant" ? formatInstant(at) : formatDistance(at)
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {text}
    </time>
  )
}

/** The text of a cell, and smaller lines below it. Lines that are null or false are left out. */
export function lines(first: ComponentChildren, ...below: readonly ComponentChildren[]) {
  const shown = below.filter((line) => line !== null && line !== false)
  return (
    <>
      {first}
      {shown.map((line, index) => (
        <span key={index} class="below">
          {line}
        </span>
      ))}
    </>
  )
}

interface TagProps {
  readonly children: ComponentChildren
  readonly tone?: "good" | "warn" | "bad" | "plain"
}

/** A word about the state of something. */
export function Tag({ children, tone = "plain" }: TagProps) {
  return <span class={`tag ${tone}`}>{children}</span>
}

/** A description, whose backticks mark code. */
export function Description({ text }: { readonly text: string }) {
  return (
    <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
  )
}

interface CopyIdProps {
  readonly id: string
  /** The text or link in place of the id; the id by default. */
  readonly children?: ComponentChildren
}

/** An id with a button that copies it. */
export function CopyId({ id, children = <code>{id}</code> }: CopyIdProps) {
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(id)
      say(`Copied ${id}.`)
    } catch {
      // Without HTTPS the browser forbids it, or has no clipboard.
      say("The browser does not let this page copy. Select the id instead.")
    }
  }
  return (
    <span class="copy-id inline gap-1">
      {children}
      <button class="button quiet copy" type="button" aria-label={`Copy ${id}`} onClick={copy}>
        <Icon name="copy" />
      </button>
    </span>
  )
}
