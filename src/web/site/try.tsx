/** The form on the page of an API, or of GraphQL, that calls it. It is loaded when someone comes near it. */
import { render } from "preact"
import type { SessionAnswer } from "../../admin/sessions/sessions.ts"
import { fetchJson } from "../client/request.ts"
import { useLoad } from "../client/use-read.ts"
import { ErrorBox, Loading } from "../kit/states.tsx"
import { Status } from "../kit/status.tsx"
import { type Customer, toCustomer } from "../playground/call.ts"
import { type CatalogDocument, type OfferedApi, toOfferedApis } from "../playground/offered-api.ts"
import { Workbench } from "../playground/workbench.tsx"
import { QueryBox } from "./query-box.tsx"

interface TryProps {
  readonly id: string
  /** Whether customers can be signed in at this address. */
  readonly hasPortal: boolean
  /** Calls a minute without a key. */
  readonly guestCalls: number
}

/** Shows the form in its place. */
export function showForm(place: HTMLElement): void {
  const { api, apis, queries, portal, guests } = place.dataset
  const form = document.createElement("div")
  place.append(form)
  if (api !== undefined)
    render(<Try id={api} hasPortal={portal !== undefined} guestCalls={Number(guests ?? 0)} />, form)
  else if (queries !== undefined && apis !== undefined)
    render(<QueryBox examples={JSON.parse(queries)} apis={JSON.parse(apis)} />, form)
  else throw new Error("the place of the form names neither an API nor queries")
}

function Try({ id, hasPortal, guestCalls }: TryProps) {
  const { data, error, reload, show } = useLoad(id, async () => {
    const [api, customer] = await Promise.all([readApi(id), hasPortal ? readCustomer() : null])
    return { api, customer }
  })
  if (error) return <ErrorBox error={error} onRetry={reload} />
  if (!data) return <Loading what="the form" />
  return (
    <>
      <Workbench {...data} guestCalls={guestCalls} signedOut={() => show({ ...data, customer: null })} />
      <Status />
    </>
  )
}

async function readApi(id: string): Promise<OfferedApi> {
  const [api] = toOfferedApis(await fetchJson<CatalogDocument>(`/openapi/${id}.json`, {}))
  if (!api) throw new Error(`the document of ${id} describes no API`)
  return api
}

/** The customer who is signed in to the portal; null when nobody is. */
async function readCustomer(): Promise<Customer | null> {
  return toCustomer(await fetchJson<SessionAnswer>("/portal/session", {}))
}
