import { useState } from "preact/hooks"
import type { AnswerOf, EntryOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { SelectField, TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { ShownOnce } from "../../shared/shown-once.tsx"

type Invitation = EntryOf<"invitations.list">

/** Links with which customers make their accounts. */
export function InvitationsScreen() {
  const [version, setVersion] = useState(0)
  const [isInviting, setInviting] = useState(false)
  const [made, setMade] = useState<AnswerOf<"invitations.create"> | null>(null)
  const changed = () => setVersion((before) => before + 1)
  const invite = may("invitations.create") && (
    <Button kind="primary" icon="plus" onClick={() => setInviting(true)}>
      Invite a customer
    </Button>
  )

  const columns: readonly Column<Invitation>[] = [
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
    {
      title: "Actions",
      cell: ({ id, email }) =>
        may("invitations.revoke") && (
          <div class="row-actions">
            <ActionButton
              run={(idempotencyKey) => send("invitations.revoke", { id }, { idempotencyKey })}
              done={() => {
                changed()
                say(`The invitation of ${email} was taken back.`)
              }}
            >
              Take back<span class="hidden"> that of {email}</span>
            </ActionButton>
          </div>
        ),
    },
  ]

  return (
    <Page
      title="Invitations"
      intro="Links with which customers make their accounts. Those that were not used are listed."
      actions={invite}
    >
      <PagedTable
        what="invitations"
        operation="invitations.list"
        filters={{}}
        columns={columns}
        keyOf={({ id }) => id}
        version={version}
        empty={
          <Empty title="No invitations" action={invite}>
            Invite a customer: they get a link that makes their account and first key.
          </Empty>
        }
      />
      {isInviting && (
        <Invite
          close={() => setInviting(false)}
          done={(answer) => {
            setInviting(false)
            setMade(answer)
            changed()
          }}
        />
      )}
      {made && (
        <ShownOnce
          title={`Invitation of ${made.email}`}
          label="Link"
          text={made.url}
          done={() => setMade(null)}
        >
          {made.by_mail ? "The link is on its way by mail." : "No mail is sent: hand the link over."} It works
          once, within 7 days. Whoever opens it can make the account.
        </ShownOnce>
      )}
    </Page>
  )
}

interface InviteProps {
  close(): void
  done(answer: AnswerOf<"invitations.create">): void
}

function Invite({ close, done }: InviteProps) {
  const plans = useRead(may("plans.list") ? "plans.list" : null, {})
  const names = plans.data?.data.map(({ name }) => name) ?? []
  return (
    <FormDialog
      title="Invite a customer"
      close={close}
      submit="Invite"
      required={{ email: "Type the e-mail address of the customer." }}
      operation="invitations.create"
      input={(values) => ({
        email: values.text("email"),
        ...(values.text("plan") !== "" && { plan: values.text("plan") }),
        ...(values.text("name") !== "" && { name: values.text("name") }),
      })}
      done={done}
    >
      <TextField name="email" label="E-mail" type="email" required />
      <TextField name="name" label="Name of the account" hint="Without one the customer chooses." />
      <SelectField
        name="plan"
        label="Plan"
        choices={[["", "The plan of sign-up"], ...names.map((name) => [name, name] as const)]}
      />
    </FormDialog>
  )
}
