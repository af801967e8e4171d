import type { ComponentChildren } from "preact"
import { may } from "../../client/session.ts"
import { RefreshButton } from "../../kit/action-button.tsx"
import { TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { Segments, segmentsInAddress } from "../../kit/segments.tsx"
import { KeptRequests } from "../../shared/kept-requests.tsx"
import { ApiFilter } from "../choices.tsx"
import { copiedCaller } from "./caller.tsx"
import { LiveScreen } from "./live-screen.tsx"

const views = [
  ["live", "Live"],
  ["kept", "Kept"],
] as const

/** Requests while they happen, or those that are kept. */
export function RequestsScreen() {
  const view = segmentsInAddress("view", views, "live")
  const View = view.chosen === "kept" ? KeptScreen : LiveScreen
  return <View switcher={may("requests.list") && <Segments {...view} label="Which requests" />} />
}

const otherApis = [
  ["usage", "Usage"],
  ["none", "None"],
] as const

/** A search of kept requests. */
function KeptScreen({ switcher }: { readonly switcher: ComponentChildren }) {
  return (
    <Page
      title="Requests"
      intro="All answered requests of the last days, newest first; --keep-requests says how many days. Input, answers and the texts of keys are not kept."
      actions={
        <>
          {switcher}
          <RefreshButton />
        </>
      }
    >
      <KeptRequests caller={copiedCaller}>
        <ApiFilter others={otherApis} />
        <TextFilter name="account" label="Account" placeholder="acc_…" isShort />
        <TextFilter name="key" label="Key" placeholder="key_…" isShort />
      </KeptRequests>
    </Page>
  )
}
