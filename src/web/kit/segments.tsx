import { setQuery } from "../client/address.ts"
import { filterValue } from "./filters.tsx"

interface SegmentsProps<T extends string> {
  /** Tells it from others of the page. */
  readonly name: string
  readonly label: string
  readonly choices: readonly (readonly [value: T, label: string])[]
  readonly chosen: T
  choose(value: T): void
}

/** A few choices side by side, one of them selected. */
export function Segments<T extends string>({ name, label, choices, chosen, choose }: SegmentsProps<T>) {
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
            onChange={() => choose(value)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}

/**
 * Keeps the choice of {@link Segments} in the address.
 * @param name of the choice in the address
 * @param standard the choice when the address has none, or another text
 */
export function segmentsInAddress<T extends string>(
  name: string,
  choices: SegmentsProps<T>["choices"],
  standard: T,
): Omit<SegmentsProps<T>, "label"> {
  const value = filterValue(name)
  const chosen = choices.find(([each]) => each === value)?.[0] ?? standard
  return { name, choices, chosen, choose: (value) => setQuery({ [name]: value === standard ? null : value }) }
}
