import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { OperationId } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { ChoiceFilter, Filters, filterValues, TextFilter } from "../../kit/filters.tsx"
import { Page } from "../../kit/page.tsx"
import { Empty, ErrorBox } from "../../kit/states.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { formatClock, formatNumber, Tag } from "../../kit/text.tsx"
import { ApiFilter } from "../api-filter.tsx"
import { maxShown, type ShownRequest, useWatch, type Watched } from "./watch.ts"

const statuses = [
  ["", "All"],
  ["2xx", "Successful (2xx)"],
  ["4xx", "Client's mistake (4xx)"],
  ["5xx", "Our mistake (5xx)"],
  ["401", "401 Key refused"],
  ["403", "403 Not allowed"],
  ["429", "429 Limit or credits"],
  ["503", "503 Not available"],
] as const

const surfaceNames: Readonly<Record<string, string>> = { none: "no such path", unkeyed: "without key" }

const columns: readonly Column<ShownRequest>[] = [
  {
    title: "Time (UTC)",
    isName: true,
    cell: ({ at, request_id }) => (
      <>
        <time dateTime={at}>{formatClock(at)}</time>
        <span class="below">{request_id}</span>
      </>
    ),
  },
  {
    title: "Status",
    cell: ({ status, fault }) => (
      <>
        <Tag tone={status >= 500 ? "bad" : status >= 400 ? "warn" : "good"}>{status}</Tag>
        {fault !== null && <span class="below">{fault}</span>}
      </>
    ),
  },
  {
    title: "API",
    cell: ({ api, surface }) => (
      <>
        {api === "none" ? <span class="muted">–</span> : api}
        <span class="below">{surfaceNames[surface] ?? surface}</span>
      </>
    ),
  },
  {
    title: "Account and key",
    cell: ({ account, key }) => (
      <div class="stacked">
        <Known id={account} screen="/accounts" operation="accounts.get" />
        {key !== null && <Known id={key} screen="/keys" operation="keys.get" />}
      </div>
    ),
  },
  {
    title: "Credits",
    isNumber: true,
    cell: ({ credits }) => (credits === 0 ? <span class="muted">0</span> : formatNumber(credits)),
  },
  { title: "ms", isNumber: true, cell: ({ ms }) => ms.toFixed(ms < 10 ? 2 : 0) },
  { title: "Address", cell: ({ address }) => <span class="mono">{address || "–"}</span> },
]

/** Requests while they happen. */
export function RequestsScreen() {
  const [isPaused, setPaused] = useState(false)
  const filters = filterValues("status", "api", "account", "key", "fault")
  const watched = useWatch(filters, isPaused)
  const { requests, problem, held } = watched

  return (
    <Page
      title="Requests"
      intro="What this process and its workers answer, as it happens. Paths, parameters and the texts of keys are not shown."
      actions={
        <>
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
        <ChoiceFilter name="status" label="Status" choices={withPresent(statuses, filters.status)} />
        <ApiFilter />
        <TextFilter name="fault" label="Fault" placeholder="rateLimited" isShort />
        <TextFilter name="account" label="Account" placeholder="acc_…" isShort />
        <TextFilter name="key" label="Key" placeholder="key_…" isShort />
      </Filters>
      {problem && <ErrorBox error={problem} onRetry={watched.retry} />}
      <p class="live" role="status">
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
          <div class="card flush dense">
            <Table
              caption="requests"
              columns={columns}
              rows={requests}
              keyOf={({ number }) => String(number)}
            />
          </div>
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

interface KnownProps {
  readonly id: string | null
  readonly screen: string
  readonly operation: OperationId
}

/** An id, as a link if the session may read it. */
function Known({ id, screen, operation }: KnownProps) {
  if (id === null) return <span class="muted">–</span>
  if (!may(operation)) return <span class="mono">{id}</span>
  return (
    <a class="mono" href={addressOf(`${screen}/${id}`)}>
      {id}
    </a>
  )
}

/** Adds a value of the address that is not among the choices. */
function withPresent(choices: readonly (readonly [string, string])[], value: string | null) {
  const isKnown = value === null || choices.some(([each]) => each === value)
  return isKnown ? choices : [...choices, [value, value] as const]
}
