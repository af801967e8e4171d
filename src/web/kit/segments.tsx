import { setQuery } from "../client/address.ts"
import { filterValue } from "./filters.tsx"

interface SegmentsProps<T extends string> {
  /** Its name in the address. */
  readonly name: string
  readonly label: string
  readonly choices: readonly (readonly [value: T, label: string])[]
  /** The value when the address has none. */
  readonly standard: T
}

/** A few choices side by side, one of them selected. */
export function Segments<T extends string>({ name, label, choices, standard }: SegmentsProps<T>) {
  const chosen = segmentValue(name, choices, standard)
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {choices.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => setQuery({ [name]: value === standard ? null : value })}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The choice in the address; the standard for anything else. */
export function segmentValue<T extends string>(
  name: string,
  choices: readonly (readonly [value: T, label: string])[],
  standard: T,
): T {
  const value = filterValue(name)
  return choices.find(([each]) => each === value)?.[0] ?? standard
}
