import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../kit/button.tsx"
import { TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { KeptRequests } from "../../shared/kept-requests.tsx"
import { ApiFilter } from "../api-filter.tsx"
import { copiedCaller } from "./caller.tsx"

const otherApis = [
  ["usage", "Usage"],
  ["none", "None"],
] as const

/** A search of kept requests. */
export function KeptScreen({ switcher }: { readonly switcher: ComponentChildren }) {
  const [version, setVersion] = useState(0)
  return (
    <Page
      title="Requests"
      intro="All answered requests of the last days, newest first; --keep-requests says how many days. Input, answers and the texts of keys are not kept."
      actions={
        <>
          {switcher}
          <Button onClick={() => setVersion((before) => before + 1)}>Refresh</Button>
        </>
      }
    >
      <KeptRequests caller={copiedCaller} version={version}>
        <ApiFilter others={otherApis} />
        <TextFilter name="account" label="Account" placeholder="acc_…" isShort />
        <TextFilter name="key" label="Key" placeholder="key_…" isShort />
      </KeptRequests>
    </Page>
  )
}
