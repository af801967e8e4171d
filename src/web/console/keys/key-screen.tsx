import { addressOf } from "../../client/address.ts"
import type { Key } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { CopyId } from "../../kit/copy-id.tsx"
import { Facts } from "../../kit/facts.tsx"
import { FormButton } from "../../kit/form-dialog.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { formatNumber, Time } from "../../kit/text.tsx"
import { type ChangeKeyProps, RevokeKey, RotateKey } from "../../shared/change-key.tsx"
import { keyFields } from "../../shared/key-fields.tsx"
import { KeyState, nameOf, stateOf } from "../../shared/key-state.tsx"
import { useApiChoices } from "../choices.tsx"
import { RecentUsage } from "../recent-usage.tsx"

/** One key: what it may do, what was done with it, and everything that can be changed. */
export function KeyScreen({ id }: { readonly id: string }) {
  const reading = useRead("keys.get", { id })
  const { data: key } = reading
  return (
    <Page
      title={key ? nameOf(key) : "Key"}
      up={{ title: "Keys", href: addressOf("/keys") }}
      actions={key && key.revoked === null && <Actions value={key} done={reading.show} />}
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
          </>
        )}
      </Ready>
    </Page>
  )
}

function Actions({ value: key, done }: Required<ChangeKeyProps<Key>>) {
  const isOn = key.disabled === null
  return (
    <>
      <FormButton
        operation="keys.update"
        label="Edit"
        title="Edit key"
        given={{ id: key.id }}
        values={key}
        fields={() => keyFields(useApiChoices())}
        done="Key saved."
        then={done}
      />
      <RotateKey value={key} done={done} />
      <ActionButton
        operation={isOn ? "keys.disable" : "keys.enable"}
        input={{ id: key.id }}
        done={isOn ? "Key disabled." : "Key enabled."}
        then={done}
      >
        {isOn ? "Disable" : "Enable"}
      </ActionButton>
      <RevokeKey value={key} done={done} />
    </>
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
        ["Begins with", <code key="prefix">{key.prefix}</code>],
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
