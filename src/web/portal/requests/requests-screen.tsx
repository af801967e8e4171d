import { ownAccount } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ChoiceFilter } from "../../kit/filters.tsx"
import { RefreshButton } from "../../kit/form-dialog.tsx"
import { Page } from "../../kit/page.tsx"
import type { Column } from "../../kit/table.tsx"
import { type KeptRequest, KeptRequests } from "../../shared/kept-requests.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import { toChoices, useCatalog } from "../playground-catalog.ts"

/** The most keys to choose from. */
const mostKeys = 200

/** The requests of the account, such as to see why a call failed. */
export function RequestsScreen() {
  const { data: apis } = useCatalog()
  const { data: keys } = useRead("keys.list", { account: ownAccount(), limit: mostKeys })
  const names = new Map(keys?.data.map((key) => [key.id, nameOf(key)] as const))
  const caller: Column<KeptRequest> = {
    title: "Key",
    cell: ({ key, key_name }) => (key === null ? <span class="muted">–</span> : key_name || key),
  }
  return (
    <Page
      title="Requests"
      intro="What your keys called, newest first. Parameters' values and answers are not kept."
      actions={<RefreshButton />}
    >
      <KeptRequests caller={caller}>
        <ChoiceFilter name="api" label="API" choices={[["", "All APIs"], ...toChoices(apis ?? [])]} />
        <ChoiceFilter name="key" label="Key" choices={[["", "All keys"], ...names]} />
      </KeptRequests>
    </Page>
  )
}
