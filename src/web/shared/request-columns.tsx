import type { ComponentChildren } from "preact"
import type { EntryOf } from "../client/operations.ts"
import type { Column } from "../kit/table.tsx"
import { CopyId, formatClock, formatNumber, formatSecond, lines, Tag, zoneWord } from "../kit/text.tsx"

type Kept = EntryOf<"requests.list">

/** A finished request, live or kept. */
type ShownRequest = Omit<Kept, "parameter" | "replayed"> & Partial<Pick<Kept, "parameter">>

const surfaceNames: Readonly<Record<string, string>> = { none: "no such path", unkeyed: "without key" }

/** The choices of a filter for statuses. */
export const statuses = [
  ["", "All"],
  ["2xx", "Successful (2xx)"],
  ["4xx", "Client's mistake (4xx)"],
  ["5xx", "Our mistake (5xx)"],
  ["401", "401 Key refused"],
  ["403", "403 Not allowed"],
  ["429", "429 Limit or credits"],
  ["503", "503 Not available"],
] as const

interface ColumnsOptions<Row> {
  /** Whether days are shown, and ids can be copied. Live requests are of today, and move. */
  readonly withDay: boolean
  /** The caller. */
  readonly caller: Column<Row>
}

/** The columns of a table of requests. */
export function requestColumns<Row extends ShownRequest>({
  withDay,
  caller,
}: ColumnsOptions<Row>): readonly Column<Row>[] {
  return [
    {
      title: `Time (${zoneWord()})`,
      isName: true,
      cell: ({ at, request_id }) =>
        lines(
          <time dateTime={at}>{withDay ? formatSecond(at) : formatClock(at)}</time>,
          withDay ? <CopyId id={request_id} /> : request_id,
        ),
    },
    {
      title: "Status",
      cell: ({ status, fault, parameter = null }) =>
        lines(
          <Tag tone={status >= 500 ? "bad" : status >= 400 ? "warn" : "good"}>{status}</Tag>,
          fault,
          parameter && `parameter ${parameter}`,
        ),
    },
    {
      title: "API",
      cell: ({ api, surface }) =>
        lines(api === "none" ? <span class="muted">–</span> : api, surfaceNames[surface] ?? surface),
    },
    caller,
    {
      title: "Credits",
      isNumber: true,
      cell: ({ credits }) => (credits === 0 ? <span class="muted">0</span> : formatNumber(credits)),
    },
    { title: "ms", isNumber: true, cell: ({ ms }) => ms.toFixed(ms < 10 ? 2 : 0) },
    {
      title: "Address",
      cell: ({ address }): ComponentChildren => <span class="mono">{address || "–"}</span>,
    },
  ]
}
