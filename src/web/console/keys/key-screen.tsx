import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import { write } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import type { Account, Key } from "../../client/types.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { Facts } from "../../kit/facts.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { Code, formatNumber, Time } from "../../kit/text.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"
import { RotateKey } from "../../shared/rotate-key.tsx"
import { UsagePlot } from "../usage/usage-plot.tsx"
import { EditKey } from "./edit-key.tsx"
import { RevokeKey } from "./revoke-key.tsx"

/** One key: what it may do, what was done with it, and everything that can be changed. */
export function KeyScreen({ id }: { readonly id: string }) {
  const path = `/keys/${encodeURIComponent(id)}`
  const reading = useRead<Key>(path)
  const [window, setWindow] = useState<"edit" | "rotate" | "revoke" | null>(null)
  const { data: key } = reading
  const close = () => setWindow(null)

  function changed(text: string, saved: Key): void {
    close()
    say(text)
    reading.show(saved)
  }

  function rotated(): void {
    close()
    say("The key has a new text.")
    reading.reload()
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
                  write<Key>(
                    "POST",
                    `${path}/${key.disabled === null ? "disable" : "enable"}`,
                    {},
                    { idempotencyKey },
                  )
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
                <UsagePlot filter={{ key: key.id }} file={`usage-${key.id}`} />
              </Section>
            )}
            {window === "edit" && (
              <EditKey value={key} close={close} done={(saved) => changed("Key saved.", saved)} />
            )}
            {window === "rotate" && <RotateKey value={key} close={close} done={rotated} />}
            {window === "revoke" && (
              <RevokeKey value={key} close={close} done={(saved) => changed("Key revoked.", saved)} />
            )}
          </>
        )}
      </Ready>
    </Page>
  )
}

function KeyFacts({ keyShown: key }: { readonly keyShown: Key }) {
  const owner = useRead<Account>(may("accounts.get") ? `/accounts/${encodeURIComponent(key.account)}` : null)
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
        ["Id", <Code key="id">{key.id}</Code>],
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
