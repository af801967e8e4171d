import type { ComponentChildren } from "preact"
import type { EntryOf, Notice } from "../client/operations.ts"
import { useRead } from "../client/use-read.ts"
import { Dialog } from "../kit/dialog.tsx"
import type { Choices } from "../kit/field.tsx"
import { Empty, Facts, Ready } from "../kit/page.tsx"
import { type Column, Table } from "../kit/table.tsx"
import { CopyId, formatNumber, Tag, Time } from "../kit/text.tsx"

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
  pending: ["plain", "Waiting"],
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
  mailed: ["plain", "By mail"],
  unsent: ["warn", "Not sent"],
  expired: ["warn", "Expired"],
} as const

type State = keyof typeof states

/** How far a notice or a mail is, as coloured words; those of the mail of a notice say so. */
export function StateTag({ state, isMail = false }: { readonly state: State; readonly isMail?: boolean }) {
  const [tone, text] = states[state]
  return <Tag tone={tone}>{isMail ? `Mail ${text.toLowerCase()}` : text}</Tag>
}

/** Choices of a filter by state. */
export const stateChoices = (...names: readonly State[]): Choices => [
  ["", "All"],
  ...names.map((name) => [name, states[name][1]] as const),
]

type NoticeStateProps = Pick<Notice, "state"> & Partial<Pick<Notice, "mail_state">>

/** How far a notice is, as coloured words: at the webhook, by mail, or both. */
export function NoticeState({ state, mail_state: mail = null }: NoticeStateProps) {
  return (
    <>
      {(state !== "mailed" || mail === null) && <StateTag state={state} />}{" "}
      {mail !== null && <StateTag state={mail} isMail />}
    </>
  )
}

interface NoticeWindowProps {
  readonly notice: Notice
  readonly buttons?: ComponentChildren
}

/** One notice: what it says, and each attempt to deliver it. */
export function NoticeWindow({ notice, buttons }: NoticeWindowProps) {
  const { id, type, state, raised, plan, threshold, used, allowance, data, last_error: error } = notice
  const reading = useRead("notices.attempts", { notice: id, limit: 100 })
  return (
    <Dialog title={type} isWide>
      <Facts
        facts={[
          ["Id", <CopyId key="id" id={id} />],
          ["State", <NoticeState key="state" {...notice} />],
          state === "mailed" && error !== null ? ["Mail server", error] : null,
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
        {({ data: attempts }) => (
          <Table
            caption="attempts"
            columns={columns}
            rows={attempts}
            keyOf={({ attempt }) => String(attempt)}
            empty={
              <Empty title={state === "mailed" ? "None: it goes by mail" : "Not tried yet"}>
                {state === "mailed"
                  ? "The account gets its notices by mail alone."
                  : state === "unsent"
                    ? "The account had no webhook when the notice was made. Set one, then send the notice again."
                    : "It is sent within seconds."}
              </Empty>
            }
          />
        )}
      </Ready>
      {buttons && <div class="form-buttons row">{buttons}</div>}
    </Dialog>
  )
}
