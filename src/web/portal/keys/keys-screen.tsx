import { useState } from "preact/hooks"
import type { EntryOf, OwnKey } from "../../client/operations.ts"
import { may, ownAccount, session } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"
import { Page } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import { Empty, Notice } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Time } from "../../kit/text.tsx"
import { type ChangeKeyProps, RevokeKey, RotateKey } from "../../shared/change-key.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"
import { useCatalog } from "../playground-catalog.ts"

type ListedKey = EntryOf<"keys.list">

type Window =
  | { readonly kind: "create" }
  | { readonly kind: "rename" | "rotate" | "revoke"; readonly key: OwnKey }

/** The keys of the account, and everything that its customer may do with them. */
export function KeysScreen() {
  const [window, setWindow] = useState<Window | null>(null)
  const [version, setVersion] = useState(0)
  const close = () => setWindow(null)

  function changed(text: string): void {
    close()
    say(text)
    setVersion((before) => before + 1)
  }

  const create = may("keys.create") && (
    <Button kind="primary" icon="plus" onClick={() => setWindow({ kind: "create" })}>
      Create key
    </Button>
  )
  return (
    <Page
      title="Keys"
      intro="Each program that calls the APIs should have a key of its own."
      actions={create}
    >
      <NotAllowed />
      <PagedTable
        what="keys"
        operation="keys.list"
        filters={{}}
        columns={columnsFor(setWindow)}
        keyOf={({ id }) => id}
        version={version}
        empty={
          <Empty title="No keys yet" action={create}>
            A key is what a program proves with that it calls for you.
          </Empty>
        }
      />
      {window?.kind === "create" && <CreateOwnKey close={close} done={() => changed("Key created.")} />}
      {window?.kind === "rename" && (
        <RenameKey value={window.key} close={close} done={() => changed("Key renamed.")} />
      )}
      {window?.kind === "rotate" && (
        <RotateKey value={window.key} close={close} done={() => changed("The key has a new text.")} />
      )}
      {window?.kind === "revoke" && (
        <RevokeKey value={window.key} close={close} done={() => changed("Key revoked.")} />
      )}
    </Page>
  )
}

/** Says what this customer may not do, so that nobody looks for a missing button. */
function NotAllowed() {
  const missing = (["create", "rotate", "revoke"] as const).filter((word) => !may(`keys.${word}`))
  if (missing.length === 0) return null
  return (
    <Notice tone="plain">
      You cannot {missing.join(", ").replace(/, (?=[^,]*$)/, " or ")} keys here: either the plan{" "}
      {session.value?.account?.plan} does not allow it, or you signed in with a key that has limits of its
      own. Ask the operator of this service.
    </Notice>
  )
}

const actions = [
  ["rename", "keys.update", "Rename"],
  ["rotate", "keys.rotate", "Rotate"],
  ["revoke", "keys.revoke", "Revoke"],
] as const

function columnsFor(open: (window: Window) => void): readonly Column<ListedKey>[] {
  return [
    {
      title: "Key",
      isName: true,
      cell: (key) => (
        <>
          <span>{nameOf(key)}</span>
          <span class="below">{key.prefix}…</span>
        </>
      ),
    },
    { title: "State", cell: (key) => <KeyState state={stateOf(key)} /> },
    { title: "Last call", cell: ({ last_used }) => (last_used ? <Time at={last_used} /> : "never") },
    { title: "Created", cell: ({ created }) => <Time at={created} /> },
    { title: "Expires", cell: ({ expires }) => (expires ? <Time at={expires} /> : "never") },
    ...(actions.some(([, operation]) => may(operation))
      ? [{ title: "Actions", cell: (key: OwnKey) => <KeyActions of={key} open={open} /> }]
      : []),
  ]
}

function KeyActions({ of: key, open }: { readonly of: OwnKey; readonly open: (window: Window) => void }) {
  if (key.revoked !== null) return <span class="muted">none</span>
  const name = nameOf(key)
  const allowed = actions.filter(([, operation]) => may(operation))
  return (
    <div class="row-actions">
      {allowed.map(([kind, , text]) => (
        <Button
          key={kind}
          kind={kind === "revoke" ? "risky" : "plain"}
          label={`${text} ${name}`}
          onClick={() => open({ kind, key })}
        >
          {text}
        </Button>
      ))}
    </div>
  )
}

function CreateOwnKey(windowProps: { close(): void; done(): void }) {
  const { data } = useCatalog()
  const apis = data?.map(({ id, title }) => [id, title] as const) ?? []
  return <CreateKey account={ownAccount()} apis={apis} isBrief {...windowProps} />
}

/** Gives a key another name. */
function RenameKey({ value: { id, name, version }, close, done }: ChangeKeyProps) {
  return (
    <FormDialog
      title={`Rename ${nameOf({ name, id })}`}
      close={close}
      submit="Save"
      operation="keys.update"
      input={(values) => ({ id, name: values.text("name") })}
      ifVersion={version}
      done={done}
    >
      <TextField name="name" label="Name" hint="What the key is for." value={name} />
    </FormDialog>
  )
}
