import type { Signal } from "@preact/signals"
import { useId } from "preact/hooks"
import { theme, zone } from "../client/preferences.ts"

/** Light or dark, and the zone of times. */
export function PreferencesFields() {
  return (
    <div class="preferences">
      <Preference
        label="Colours"
        value={theme}
        choices={{ system: "System", light: "Light", dark: "Dark" }}
      />
      <Preference label="Zone" value={zone} choices={{ UTC: "UTC", local: "Local" }} />
    </div>
  )
}

interface PreferenceProps<T extends string> {
  readonly label: string
  readonly value: Signal<T>
  readonly choices: Readonly<Record<T, string>>
}

function Preference<T extends string>({ label, value, choices }: PreferenceProps<T>) {
  const id = useId()
  const names = Object.keys(choices) as T[]
  return (
    <>
      <label class="muted" for={id}>
        {label}
      </label>
      <select
        id={id}
        value={value.value}
        onChange={({ currentTarget }) => {
          value.value = names.find((each) => each === currentTarget.value) ?? value.value
        }}
      >
        {names.map((each) => (
          <option key={each} value={each}>
            {choices[each]}
          </option>
        ))}
      </select>
    </>
  )
}
