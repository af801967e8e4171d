import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Key } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { CopyId } from "../../kit/copy-id.tsx"
import { Dialog } from "../../kit/dialog.tsx"
import { Facts } from "../../kit/facts.tsx"
import { Form } from "../../kit/form.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { Code, formatNumber, Time } from "../../kit/text.tsx"
import { type ChangeKeyProps, RevokeKey, RotateKey } from "../../shared/change-key.tsx"
import { KeyFields, readKeyFields } from "../../shared/key-fields.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"
import { RecentUsage } from "../recent-usage.tsx"

/** One key: what it may do, what was done with it, and everything that can be changed. */
export function KeyScreen({ id }: { readonly id: string }) {
  const reading = useRead("keys.get", { id })
  const [window, setWindow] = useState<"edit" | "rotate" | "revoke" | null>(null)
  const { data: key } = reading
  const close = () => setWindow(null)

  function changed(text: string, saved: Key): void {
    close()
    say(text)
    reading.show(saved)
  }

  function windowProps(value: Key, text: string): ChangeKeyProps<Key> {
    return { value, close, done: (saved) => changed(text, saved) }
  }

  return (
    <Page
      title={key ? nameOf(key) : "Key"}
      up={{ title: "Keys", href: addressOf("/keys") }}
      actions={
        key &&
        key.revoked === null && (
          <>
            {may("keys.update") && <Button onClick={() => setWindow("edit")}>Edit</Button>}
            {may("keys.rotate") && <Button onClick={() => setWindow("rotate")}>Rotate</Button>}
            {may(key.disabled === null ? "keys.disable" : "keys.enable") && (
              <ActionButton
                run={(idempotencyKey) =>
                  send(key.disabled === null ? "keys.disable" : "keys.enable", { id }, { idempotencyKey })
                }
                done={(saved) => changed(saved.disabled === null ? "Key enabled." : "Key disabled.", saved)}
              >
                {key.disabled === null ? "Disable" : "Enable"}
              </ActionButton>
            )}
            {may("keys.revoke") && (
              <Button kind="risky" onClick={() => setWindow("revoke")}>
                Revoke
              </Button>
            )}
          </>
        )
      }
    >
      <Ready reading={reading} what="the key">
        {(key) => (
          <>
            <KeyFacts keyShown={key} />
            {may("usage.query") && (
              <Section title="Usage">
                <RecentUsage filter={{ key: key.id }} file={`usage-${key.id}`} />
              </Section>
            )}
            {window === "edit" && <EditKey {...windowProps(key, "Key saved.")} />}
            {window === "rotate" && <RotateKey {...windowProps(key, "The key has a new text.")} />}
            {window === "revoke" && <RevokeKey {...windowProps(key, "Key revoked.")} />}
          </>
        )}
      </Ready>
    </Page>
  )
}

function KeyFacts({ keyShown: key }: { readonly keyShown: Key }) {
  const owner = useRead(may("accounts.get") ? "accounts.get" : null, { id: key.account })
  return (
    <Facts
      facts={[
        ["State", <KeyState key="state" state={stateOf(key)} />],
        [
          "Account",
          <a key="account" href={addressOf(`/accounts/${key.account}`)}>
            {owner.data?.name ?? key.account}
          </a>,
        ],
        ["Begins with", <Code key="prefix">{key.prefix}</Code>],
        ["Id", <CopyId key="id" id={key.id} />],
        ["Created", <Time key="created" at={key.created} style="instant" />],
        ["Expires", key.expires ? <Time key="expires" at={key.expires} style="instant" /> : "never"],
        key.revoked === null ? null : ["Revoked", <Time key="revoked" at={key.revoked} style="instant" />],
        key.disabled === null
          ? null
          : ["Disabled", <Time key="disabled" at={key.disabled} style="instant" />],
        ["APIs", key.allow_apis?.join(", ") ?? "all"],
        key.block_apis.length === 0 ? null : ["Not these APIs", key.block_apis.join(", ")],
        ["Addresses", key.allow_ips?.join(", ") ?? "any"],
        ["Calls a minute", key.rate_limit === null ? "as the plan allows" : formatNumber(key.rate_limit)],
        key.external_id === null ? null : ["External id", key.external_id],
      ]}
    />
  )
}

function EditKey({ value, close, done }: ChangeKeyProps<Key>) {
  // The version that the window shows: saving is refused if someone else changes it meanwhile.
  const [ifVersion] = useState(value.version)
  const plans = useRead("plans.list", {})
  return (
    <Dialog title="Edit key" close={close}>
      <Ready reading={plans} what="the APIs">
        {({ prices }) => (
          <Form
            submit="Save"
            numbers={["rate_limit"]}
            cancel={close}
            send={(values, idempotencyKey) => {
              const { expires, ...others } = readKeyFields(values)
              // An unchanged expiry is not sent: one in the past would be refused.
              const changes = expires === value.expires ? others : { ...others, expires }
              return send("keys.update", { id: value.id, ...changes }, { idempotencyKey, ifVersion })
            }}
            done={done}
          >
            <KeyFields apis={Object.keys(prices).map((api) => [api, api])} value={value} />
          </Form>
        )}
      </Ready>
    </Dialog>
  )
}
