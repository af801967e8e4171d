import { may } from "../../client/session.ts"
import { Segments, segmentValue } from "../../kit/segments.tsx"
import { KeptScreen } from "./kept-screen.tsx"
import { LiveScreen } from "./live-screen.tsx"

const views = [
  ["live", "Live"],
  ["kept", "Kept"],
] as const

/** Requests while they happen, or those that are kept. */
export function RequestsScreen() {
  const View = segmentValue("view", views, "live") === "kept" ? KeptScreen : LiveScreen
  return (
    <View
      switcher={
        may("requests.list") && (
          <Segments name="view" label="Which requests" choices={views} standard="live" />
        )
      }
    />
  )
}
