import type { ComponentChildren } from "preact"
import { RefreshButton } from "../../kit/action-button.tsx"
import { TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { KeptRequests } from "../../shared/kept-requests.tsx"
import { ApiFilter } from "../choices.tsx"
import { copiedCaller } from "./caller.tsx"

const otherApis = [
  ["usage", "Usage"],
  ["none", "None"],
] as const

/** A search of kept requests. */
export function KeptScreen({ switcher }: { readonly switcher: ComponentChildren }) {
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
