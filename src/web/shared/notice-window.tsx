import type { ComponentChildren } from "preact"
import type { EntryOf, Notice } from "../client/operations.ts"
import { useRead } from "../client/use-read.ts"
import { CopyId } from "../kit/copy-id.tsx"
import { Dialog } from "../kit/dialog.tsx"
import { Facts } from "../kit/facts.tsx"
import { Empty, Ready } from "../kit/states.tsx"
import { type Column, Table } from "../kit/table.tsx"
import { formatNumber, Tag, Time } from "../kit/text.tsx"

const columns: readonly Column<EntryOf<"notices.attempts">>[] = [
  { title: "Attempt", isName: true, cell: ({ attempt }) => attempt },
  { title: "When", cell: ({ at }) => <Time at={at} style="instant" /> },
  { title: "Took", isNumber: true, cell: ({ duration_ms }) => `${formatNumber(duration_ms)} ms` },
  {
    title: "Answer",
    cell: ({ status, error }) => [status, error].filter((part) => part !== null).join(": ") || "–",
  },
]

const states = {
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
  pending: ["plain", "Pending"],
  unsent: ["warn", "Unsent"],
} as const

/** The state of a notice as a coloured word. */
export function NoticeState({ state }: Pick<Notice, "state">) {
  const [tone, text] = states[state]
  return <Tag tone={tone}>{text}</Tag>
}

interface NoticeWindowProps {
  readonly notice: Notice
  /** Buttons for it. */
  readonly children?: ComponentChildren
  close(): void
}

/** One notice: what it says, and each attempt to deliver it. */
export function NoticeWindow({ notice, children, close }: NoticeWindowProps) {
  const { id, type, state, raised, plan, threshold, used, allowance, data } = notice
  const reading = useRead("notices.attempts", { notice: id, limit: 100 })
  return (
    <Dialog title={type} close={close} isWide>
      <Facts
        facts={[
          ["Id", <CopyId key="id" id={id} />],
          ["State", <NoticeState key="state" state={state} />],
          ["Raised", <Time key="raised" at={raised} style="instant" />],
          ["Plan", plan],
          threshold === null
            ? null
            : ["Used", `${formatNumber(used)} of ${formatNumber(allowance ?? 0)} credits (${threshold} %)`],
          data === null
            ? null
            : [
                "Contents",
                <pre key="data" class="json">
                  {JSON.stringify(data, null, 2)}
                </pre>,
              ],
        ]}
      />
      <h3 class="dialog-part">Attempts to deliver it</h3>
      <Ready reading={reading} what="attempts">
        {({ data: attempts }) =>
          attempts.length === 0 ? (
            <Empty title="Not tried yet">
              {state === "unsent"
                ? "The account had no webhook when the notice was made. Set one, then send the notice again."
                : "It is sent within seconds."}
            </Empty>
          ) : (
            <div class="card flush">
              <Table
                caption="attempts"
                columns={columns}
                rows={attempts}
                keyOf={({ attempt }) => String(attempt)}
              />
            </div>
          )
        }
      </Ready>
      {children && <div class="form-buttons">{children}</div>}
    </Dialog>
  )
}
