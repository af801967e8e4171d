import type { RenderableProps } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"
import { query, setQuery } from "../client/address.ts"
import { after } from "../client/browser.ts"
import { type Choices, Options, withPresent } from "./field.tsx"
import { fromZoneMinute, toZoneMinute, zoneWord } from "./text.tsx"

/** A row of filters. Each keeps its value in the address, so that a filtered list can be bookmarked and shared. */
export function Filters({ children, label }: RenderableProps<{ readonly label: string }>) {
  return (
    <search class="filters row" aria-label={label}>
      {children}
    </search>
  )
}

/** The value of a filter in the address; null when it is not set. */
export function filterValue(name: string): string | null {
  return query.value.get(name) || null
}

/** The same of several filters. */
export function filterValues<Name extends string>(...names: readonly Name[]): Record<Name, string | null> {
  return Object.fromEntries(names.map((name) => [name, filterValue(name)])) as Record<Name, string | null>
}

interface FilterProps {
  /** Its name in the address. */
  readonly name: string
  readonly label: string
  /** True where the choices say enough; only screen readers then get the label. */
  readonly isLabelHidden?: boolean
}

interface FrameProps extends Pick<FilterProps, "label"> {
  /** The id of the field. */
  readonly id: string
  readonly isLabelHidden?: boolean | undefined
  readonly width?: "grow" | "short"
}

function FilterFrame({ id, label, isLabelHidden, width, children }: RenderableProps<FrameProps>) {
  return (
    <div class={`filter stack gap-1 ${width ?? ""}`}>
      <label class={isLabelHidden ? "hidden" : "muted small"} for={id}>
        {label}
      </label>
      {children}
    </div>
  )
}

interface TextFilterProps extends FilterProps {
  readonly placeholder?: string
  /** For a row of many filters. */
  readonly isShort?: boolean
}

const typingPauseMs = 300

/** A filter that is typed. It takes effect when the typing pauses. */
export function TextFilter({ name, label, placeholder, isShort }: TextFilterProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const cancel = useRef(() => {})
  const value = filterValue(name) ?? ""
  useEffect(() => {
    const { current } = input
    if (current && current !== document.activeElement) current.value = value
  }, [value])
  useEffect(() => () => cancel.current(), [])

  function changed(): void {
    cancel.current()
    cancel.current = after(typingPauseMs, () => {
      // A key's text must be neither in the address nor in the history of the browser: its visible part is enough.
      const text = input.current?.value
        .trim()
        .replace(/\bpk[als]?-[0-9A-Za-z]{7,}/g, (key) => key.slice(0, 9))
      setQuery({ [name]: text, after: null, first: null })
    })
  }

  return (
    <FilterFrame id={id} label={label} width={isShort ? "short" : "grow"}>
      <input
        ref={input}
        id={id}
        type="search"
        defaultValue={value}
        placeholder={placeholder}
        onInput={changed}
        autocomplete="off"
        spellcheck={false}
        data-filter
      />
    </FilterFrame>
  )
}

interface TimeFilterProps extends FilterProps {
  /** True for a day (UTC), false for a minute, typed in the zone in which times are shown. */
  readonly isDay?: boolean
}

/** A filter for a time. */
export function TimeFilter({ name, label, isDay = false }: TimeFilterProps) {
  const id = useId()
  const value = filterValue(name) ?? ""
  const toValue = (text: string) => (isDay || text === "" ? text : fromZoneMinute(text))
  return (
    <FilterFrame id={id} label={`${label} (${isDay ? "UTC" : zoneWord()})`}>
      <input
        id={id}
        type={isDay ? "date" : "datetime-local"}
        value={isDay ? value : toZoneMinute(value)}
        onChange={({ currentTarget: { value } }) =>
          setQuery({ [name]: toValue(value), after: null, first: null })
        }
      />
    </FilterFrame>
  )
}

interface ChoiceFilterProps extends FilterProps {
  /** Values and what they are called; the empty value stands for all. */
  readonly choices: Choices
  /** True where any other value in the address counts for nothing; the first choice is then shown. */
  readonly isFixed?: boolean
}

/** A filter with a few values to choose from. */
export function ChoiceFilter({ name, label, choices, isLabelHidden, isFixed = false }: ChoiceFilterProps) {
  const id = useId()
  const inAddress = filterValue(name) ?? ""
  const isKnown = choices.some(([each]) => each === inAddress)
  const value = isFixed && !isKnown ? "" : inAddress
  // The choices may come later than the address, or lack what is in it.
  const shown = isFixed ? choices : withPresent(choices, value)
  return (
    <FilterFrame id={id} label={label} isLabelHidden={isLabelHidden}>
      <select
        id={id}
        onChange={(event) => setQuery({ [name]: event.currentTarget.value, after: null, first: null })}
      >
        <Options choices={shown} chosen={value} />
      </select>
    </FilterFrame>
  )
}
