import { useState } from "preact/hooks"
import { query, setQuery } from "../client/address.ts"
import { signedOutAnswers } from "../client/request.ts"
import { session } from "../client/session.ts"
import { Options } from "../kit/field.tsx"
import { Page } from "../kit/page.tsx"
import { Empty, Ready } from "../kit/states.tsx"
import { Description } from "../kit/text.tsx"
import { toCustomer } from "../playground/call.ts"
import { firstApi, type OfferedApi } from "../playground/offered-api.ts"
import { Workbench } from "../playground/workbench.tsx"
import { toChoices, useCatalog } from "./playground-catalog.ts"

/** Tries an API: a form made from its parameters, the code of the call, the answer and what it cost. */
export function PlaygroundScreen() {
  const catalog = useCatalog()
  return (
    <Page title="Playground" intro="Calls are real: a successful one costs its credits.">
      <Ready reading={catalog} what="the APIs">
        {(apis) => <ChooseApi apis={apis} />}
      </Ready>
    </Page>
  )
}

function ChooseApi({ apis }: { readonly apis: readonly OfferedApi[] }) {
  const [id] = useState("api-choice")
  const chosen = apis.find((api) => api.id === query.value.get("api")) ?? firstApi(apis)
  if (!chosen) return <Empty title="This service offers no APIs" />
  return (
    <>
      <div class="filter stack gap-1 api-choice">
        <label class="muted small" for={id}>
          API
        </label>
        <select id={id} value={chosen.id} onChange={(event) => setQuery({ api: event.currentTarget.value })}>
          <Options choices={toChoices(apis)} chosen={chosen.id} />
        </select>
      </div>
      <p class="intro muted">
        <Description text={chosen.description} /> <a href={`/apis/${chosen.id}`}>Documentation</a>
      </p>
      <Workbench
        key={chosen.id}
        api={chosen}
        customer={session.value ? toCustomer(session.value) : null}
        signedOut={noteSignedOut}
      />
    </>
  )
}

function noteSignedOut(): void {
  signedOutAnswers.value++
}
