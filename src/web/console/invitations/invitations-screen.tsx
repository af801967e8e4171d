import type { AnswerOf, EntryOf } from "../../client/operations.ts"
import { openWindow } from "../../kit/dialog.tsx"
import { ActionButton, FormButton } from "../../kit/form-dialog.tsx"
import { ListPage } from "../../kit/list-page.tsx"
import { Empty } from "../../kit/page.tsx"
import { actionsColumn, type Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"
import { usePlanChoices } from "../choices.tsx"

const columns: readonly Column<EntryOf<"invitations.list">>[] = [
  { title: "E-mail", isName: true, cell: ({ email }) => email },
  {
    title: "Name",
    cell: ({ name }) => (
      <div class="stacked">{name || <span class="muted">chosen by the customer</span>}</div>
    ),
  },
  { title: "Plan", cell: ({ plan }) => plan ?? <span class="muted">as for sign-up</span> },
  { title: "Made", cell: ({ created }) => <Time at={created} /> },
  { title: "Expires", cell: ({ expires }) => <Time at={expires} style="distance" /> },
  actionsColumn(({ id, email }) => (
    <ActionButton
      operation="invitations.revoke"
      input={{ id }}
      done={`The invitation of ${email} was taken back.`}
    >
      Take back<span class="hidden"> that of {email}</span>
    </ActionButton>
  )),
]

/** Links with which customers make their accounts. */
export function InvitationsScreen() {
  const invite = (
    <FormButton
      operation="invitations.create"
      label="Invite a customer"
      kind="primary"
      icon="plus"
      submit="Invite"
      fields={() => ({
        email: { hint: "" },
        name: { label: "Name of the account", hint: "Without one the customer chooses." },
        plan: { choices: [["", "The plan of sign-up"], ...(usePlanChoices() ?? [])], hint: "" },
      })}
      done={showLink}
    />
  )
  return (
    <ListPage
      title="Invitations"
      intro="Links with which customers make their accounts. Those that were not used are listed."
      actions={invite}
      operation="invitations.list"
      columns={columns}
      empty={
        <Empty title="No invitations" action={invite}>
          Invite a customer: they get a link that makes their account and first key.
        </Empty>
      }
    />
  )
}

function showLink({ email, url, by_mail }: AnswerOf<"invitations.create">): void {
  openWindow(
    <ShownOnce title={`Invitation of ${email}`} label="Link" text={url}>
      {by_mail ? "The link is on its way by mail." : "No mail is sent: hand the link over."} It works once,
      within 7 days. Whoever opens it can make the account.
    </ShownOnce>,
  )
}
