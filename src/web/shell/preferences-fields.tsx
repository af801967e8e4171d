import { useId } from "preact/hooks"
import { theme, themes, zone, zones } from "../client/preferences.ts"

const themeNames = { system: "System", light: "Light", dark: "Dark" }
const zoneNames = { UTC: "UTC", local: "Local" }

/** Light or dark, and the zone of times. */
export function PreferencesFields() {
  const id = useId()
  return (
    <div class="preferences">
      <label for={`${id}-theme`}>Colours</label>
      <select
        id={`${id}-theme`}
        value={theme.value}
        onChange={({ currentTarget: { value } }) => {
          theme.value = themes.find((each) => each === value) ?? "system"
        }}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {themeNames[each]}
          </option>
        ))}
      </select>
      <label for={`${id}-zone`}>Zone</label>
      <select
        id={`${id}-zone`}
        value={zone.value}
        onChange={({ currentTarget: { value } }) => {
          zone.value = zones.find((each) => each === value) ?? "UTC"
        }}
      >
        {zones.map((each) => (
          <option key={each} value={each}>
            {zoneNames[each]}
          </option>
        ))}
      </select>
    </div>
  )
}
