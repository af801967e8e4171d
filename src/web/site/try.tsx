/** The form on the page of an API, or of GraphQL, that calls it. It is loaded when someone comes near it. */
import { render } from "preact"
import { useState } from "preact/hooks"
import type { SessionAnswer } from "../../admin/sessions/sessions.ts"
import { fetchJson } from "../client/request.ts"
import { useLoad } from "../client/use-read.ts"
import { Status } from "../kit/dialog.tsx"
import { SelectField } from "../kit/field.tsx"
import { ErrorBox, Loading } from "../kit/page.tsx"
import { Segments } from "../kit/segments.tsx"
import { type Customer, sendCall, toCustomer } from "../playground/call.ts"
import {
  type Callable,
  type CatalogDocument,
  type OfferedApi,
  toOfferedApis,
} from "../playground/offered-api.ts"
import { Workbench } from "../playground/workbench.tsx"

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

/** An example as the server writes it into the page. */
interface QueryExample {
  readonly name: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  /** The id of the API whose schema is shown first. */
  readonly api: string
}

/** The APIs that GraphQL offers. */
type QueriedApis = readonly (readonly [id: string, title: string])[]

interface QueryBoxProps {
  readonly examples: readonly QueryExample[]
  readonly apis: QueriedApis
}

function QueryBox({ examples, apis }: QueryBoxProps) {
  const [chosen, setChosen] = useState(0)
  const { query, variables, api = "" } = examples[chosen] ?? { query: "{ __typename }", variables: {} }
  return (
    <div class="query-box">
      <Segments
        name="example"
        label="Example"
        choices={examples.map(({ name }, index) => [String(index), name])}
        chosen={String(chosen)}
        choose={(value) => setChosen(Number(value))}
      />
      <Workbench
        key={chosen}
        api={{ ...graphql, example: { query, variables } }}
        customer={null}
        signedOut={() => {}}
      >
        <Schema key={api} first={api} apis={apis} />
      </Workbench>
      <Status />
    </div>
  )
}

/** GraphQL as the form sees it: one call with two parameters. Its price and its fields depend on the query. */
const graphql: Omit<Callable, "example"> = {
  id: "graphql",
  method: "POST",
  submit: "Run",
  parameters: [
    { name: "query", description: "", isRequired: true, isPremium: false, schema: { type: "string" } },
    {
      name: "variables",
      description: "The values of `$input` and other variables.",
      isRequired: false,
      isPremium: false,
      schema: {},
    },
  ],
  credits: null,
  hasFormats: false,
  pictures: [],
  isAudit: false,
  exampleNote: null,
  readErrors,
}

interface QueryError {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
}

/** The errors of an answer, each with the field that failed or its place in the query. */
function readErrors(body: string): readonly string[] {
  // A proxy in front of the service may answer with something else.
  if (!body.startsWith("{")) return []
  const { errors = [] }: { readonly errors?: readonly QueryError[] } = JSON.parse(body)
  return errors.map(({ message, path, locations: [place] = [] }) => {
    if (path) return `${path.join(".")}: ${message}`
    return place ? `Line ${place.line}, column ${place.column}: ${message}` : message
  })
}

interface SchemaProps {
  readonly apis: QueriedApis
  /** The id of the API that is shown at first. */
  readonly first: string
}

/** The fields of an API, its parameters and the fields of its answer. */
function Schema({ apis, first }: SchemaProps) {
  const [id, setId] = useState(first)
  const { data, error, isLoading, reload } = useLoad(id, () => {
    const url = `${location.origin}/docs/${id}.graphql`
    return sendCall({ method: "GET", url, key: "", input: {} }, null)
  })
  return (
    <section class="card" aria-label="Schema">
      <div onChange={({ target }) => target instanceof HTMLSelectElement && setId(target.value)}>
        <SelectField name="schema" label="Schema of" required value={first} choices={apis} />
      </div>
      {isLoading && <Loading what="the schema" />}
      {error && <ErrorBox error={error} onRetry={reload} />}
      {data && (
        <textarea
          class="code-block sunken"
          aria-label="Fields and types"
          readOnly
          spellcheck={false}
          value={data.body}
        />
      )}
    </section>
  )
}
