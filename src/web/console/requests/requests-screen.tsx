import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { OperationId } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { Button } from "../../kit/dialog.tsx"
import { ChoiceFilter, Filters, filterValues, TextFilter } from "../../kit/filters.tsx"
import { RefreshButton } from "../../kit/form-dialog.tsx"
import { Empty, ErrorBox, Page } from "../../kit/page.tsx"
import { Segments, segmentsInAddress } from "../../kit/segments.tsx"
import { Table } from "../../kit/table.tsx"
import { CopyId, formatNumber, Tag } from "../../kit/text.tsx"
import { KeptRequests } from "../../shared/kept-requests.tsx"
import { requestColumns, statuses } from "../../shared/request-columns.tsx"
import { ApiFilter } from "../choices.tsx"
import { maxShown, type ShownRequest, useWatch, type Watched } from "./watch.ts"

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

/** Requests while they happen. */
function LiveScreen({ switcher }: { readonly switcher: ComponentChildren }) {
  const [isPaused, setPaused] = useState(false)
  const filters = filterValues("status", "api", "account", "key", "fault")
  const watched = useWatch(filters, isPaused)
  const { requests, problem, held } = watched
  const columns = requestColumns<ShownRequest>({ withDay: false, caller })

  return (
    <Page
      title="Requests"
      intro="What this process and its workers answer, as it happens. Paths, parameters and the texts of keys are not shown."
      actions={
        <>
          {switcher}
          <Button onClick={watched.clear} disabled={requests.length === 0}>
            Clear
          </Button>
          <Button
            kind="primary"
            icon={isPaused ? "playground" : "pause"}
            onClick={() => setPaused(!isPaused)}
          >
            {isPaused ? "Go on" : "Pause"}
          </Button>
        </>
      }
    >
      <Filters label="Filter requests">
        <ChoiceFilter name="status" label="Status" choices={statuses} />
        <ApiFilter />
        <TextFilter name="fault" label="Fault" placeholder="rateLimited" isShort />
        <TextFilter name="account" label="Account" placeholder="acc_…" isShort />
        <TextFilter name="key" label="Key" placeholder="key_…" isShort />
      </Filters>
      {problem && <ErrorBox error={problem} onRetry={watched.retry} />}
      <p class="live row muted small" role="status">
        <State watched={watched} isPaused={isPaused} />
        {isPaused && held > 0 && (
          <span>{held === maxShown ? `${maxShown} or more` : formatNumber(held)} new since the pause</span>
        )}
        {watched.lost > 0 && <span>{formatNumber(watched.lost)} left out: too many at once</span>}
      </p>
      {requests.length === 0 ? (
        problem === null && (
          <Empty title={isPaused ? "Paused" : "Waiting for the first request"}>
            {Object.values(filters).some((value) => value !== null)
              ? "Only requests that fit the filters are shown."
              : "Each request appears here when it has been answered. Health checks and this console are left out."}
          </Empty>
        )
      ) : (
        <>
          <Table
            card="dense"
            caption="requests"
            columns={columns}
            rows={requests}
            keyOf={({ number }) => String(number)}
          />
          {requests.length === maxShown && <p class="muted small">The newest {maxShown} are shown.</p>}
        </>
      )}
    </Page>
  )
}

function State({ watched, isPaused }: { readonly watched: Watched; readonly isPaused: boolean }) {
  if (watched.problem) return <Tag tone="bad">Not watching</Tag>
  if (watched.state === "lost") return <Tag tone="warn">Connection lost, trying again</Tag>
  if (isPaused) return <Tag tone="warn">Paused</Tag>
  return watched.state === "live" ? <Tag tone="good">Live</Tag> : <Tag>Connecting</Tag>
}

interface Caller {
  readonly account: string | null
  readonly key: string | null
  readonly account_name?: string | null
  readonly key_name?: string | null
}

/** The column with the account and the key of a request. */
const caller = callerColumn((id) => id)

/** The same with buttons that copy the ids. */
const copiedCaller = callerColumn((id, text) => <CopyId id={text}>{id}</CopyId>)

/** @param show returns an id, or a link in its place, as the column has it */
function callerColumn(show: (id: ComponentChildren, text: string) => ComponentChildren) {
  return {
    title: "Account, key",
    cell: ({ account, account_name, key, key_name }: Caller) => (
      <div class="stacked">
        {account === null ? (
          <span class="muted">–</span>
        ) : (
          <Known id={account} name={account_name} screen="/accounts" operation="accounts.get" show={show} />
        )}
        {key !== null && <Known id={key} name={key_name} screen="/keys" operation="keys.get" show={show} />}
      </div>
    ),
  }
}

interface KnownProps {
  readonly id: string
  readonly name: string | null | undefined
  readonly screen: string
  readonly operation: OperationId
  show(id: ComponentChildren, text: string): ComponentChildren
}

/** A name with its id, or an id without a name; a link if the session may read it. */
function Known({ id, name, screen, operation, show }: KnownProps) {
  const link = (text: string, style?: string) => {
    if (!may(operation)) return <span class={style}>{text}</span>
    return (
      <a class={style} href={addressOf(`${screen}/${id}`)}>
        {text}
      </a>
    )
  }
  if (!name) return <span>{show(link(id, "mono nowrap"), id)}</span>
  return (
    <span>
      {link(name)} <span class="below nowrap">{show(<span>{id}</span>, id)}</span>
    </span>
  )
}
