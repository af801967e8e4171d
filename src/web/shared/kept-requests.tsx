import type { ComponentChildren } from "preact"
import type { EntryOf } from "../client/operations.ts"
import { ChoiceFilter, Filters, filterValues, TextFilter, TimeFilter } from "../kit/filters.tsx"
import { Empty } from "../kit/page.tsx"
import { PagedTable } from "../kit/paged-table.tsx"
import type { Column } from "../kit/table.tsx"
import { requestColumns, statuses } from "./request-columns.tsx"

/** A request as `requests.list` answers it. */
export type KeptRequest = EntryOf<"requests.list">

interface KeptRequestsProps {
  /** Filters for API, account and key, which differ between console and portal. */
  readonly children: ComponentChildren
  readonly caller: Column<KeptRequest>
}

/** A search of kept requests. Every filter is in the address. */
export function KeptRequests({ children, caller }: KeptRequestsProps) {
  const filters = filterValues("status", "api", "account", "key", "fault", "request_id", "from", "to")
  return (
    <>
      <Filters label="Search requests">
        <ChoiceFilter name="status" label="Status" choices={statuses} />
        {children}
        <TextFilter name="fault" label="Fault" placeholder="rateLimited" isShort />
        <TextFilter name="request_id" label="Request id" placeholder="From the answer" isShort />
        <TimeFilter name="from" label="From" />
        <TimeFilter name="to" label="Before" />
      </Filters>
      <PagedTable
        isTop
        what="requests"
        operation="requests.list"
        filters={filters}
        columns={requestColumns({ withDay: true, caller })}
        keyOf={({ at, request_id, key, ms }) => `${at} ${request_id} ${key} ${ms}`}
        empty={<Empty title="No requests yet">A request is here a second after its answer.</Empty>}
      />
    </>
  )
}
