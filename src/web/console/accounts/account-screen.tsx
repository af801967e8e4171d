import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { useBulk } from "../../kit/bulk.tsx"
import { LinkButton } from "../../kit/dialog.tsx"
import { ActionButton, FormButton } from "../../kit/form-dialog.tsx"
import { Empty, Facts, Meter, Notice, Page, Ready, Section, Stat, Stats } from "../../kit/page.tsx"
import { Table } from "../../kit/table.tsx"
import { CopyId, formatNumber, Time } from "../../kit/text.tsx"
import { type Adjustment, Adjustments } from "../../shared/adjustments.tsx"
import { CreateKey } from "../../shared/key-fields.tsx"
import { nameOf } from "../../shared/key-state.tsx"
import { WebhookActions, WebhookFacts } from "../../shared/webhook.tsx"
import { eventChoices, notifyChoices, useApiChoices } from "../choices.tsx"
import { keyActions, type ListedKey, ownKeyColumns } from "../keys/listed-keys.tsx"
import { RecentUsage } from "../recent-usage.tsx"
import {
  type AccountWindowProps,
  AdjustCredits,
  ChooseEvents,
  CloseAccount,
  EditAccount,
  GrantCredits,
  PortalLink,
} from "./account-windows.tsx"
import { AccountState } from "./accounts-screen.tsx"

/** One account: what it has and used, its keys and its webhook, and everything that can be changed. */
export function AccountScreen({ id }: { readonly id: string }) {
  const reading = useRead("accounts.get", { id })

  return (
    <Page
      title={reading.data?.name ?? "Account"}
      up={{ title: "Accounts", href: addressOf("/accounts") }}
      actions={reading.data && <Actions account={reading.data} then={reading.show} />}
    >
      <Ready reading={reading} what="the account">
        {(account) => (
          <>
            {account.problem !== null && <Notice tone="bad">{account.problem}</Notice>}
            {account.closed !== null && (
              <Notice tone="plain">
                This account has been closed since <Time at={account.closed} style="instant" />. Its keys are
                refused.
              </Notice>
            )}
            <Balance account={account} />
            {may("usage.query") && (
              <Section title="Usage" actions={may("requests.list") && <RequestLinks id={id} />}>
                <RecentUsage filter={{ account: id }} file={`usage-${id}`} />
              </Section>
            )}
            {may("credits.list") && <AccountAdjustments account={account} />}
            {may("keys.list") && <AccountKeys account={account} />}
            <Details account={account} />
            {may("webhooks.get") && <AccountWebhook account={account} then={reading.show} />}
          </>
        )}
      </Ready>
    </Page>
  )
}

/** Leads to the kept requests of an account, where the reason of each failure is. */
function RequestLinks({ id }: { readonly id: string }) {
  const requests = { view: "kept", account: id }
  return (
    <>
      <LinkButton href={addressOf("/requests", requests)}>Requests</LinkButton>
      <LinkButton href={addressOf("/requests", { ...requests, status: "4xx" })}>Failed requests</LinkButton>
    </>
  )
}

function Actions({ account, then }: AccountWindowProps) {
  if (account.closed !== null)
    return (
      <ActionButton
        operation="accounts.reopen"
        input={{ id: account.id }}
        kind="primary"
        done="Account reopened."
        then={then}
      >
        Reopen
      </ActionButton>
    )
  return (
    <>
      <PortalLink account={account} />
      <EditAccount account={account} then={then} />
      <CloseAccount account={account} then={then} />
      <AdjustCredits account={account} />
      {!may("credits.adjust") && <GrantCredits account={account} then={then} />}
    </>
  )
}

function Balance({ account }: { readonly account: Account }) {
  const { remaining, bonus, used, allowance, used_percent, renews } = account
  return (
    <Stats>
      <Stat label="Credits left" value={formatNumber(remaining ?? "unknown")} note={bonusNote(bonus)} />
      <Stat
        label={allowance === null ? "Used this month" : `Used of ${formatNumber(allowance)}`}
        value={formatNumber(used)}
        note={<Meter percent={used_percent} label="Used of the month's credits" />}
      />
      <Stat
        label="Next credit month"
        value={<Time at={renews} />}
        note={<Time at={renews} style="distance" />}
      />
    </Stats>
  )
}

/** Below zero, which needs `--allow-debt`, a bonus is what the customer owes. */
function bonusNote(bonus: number): string {
  if (bonus < 0) return `owes ${formatNumber(-bonus)} credits`
  return bonus > 0 ? `${formatNumber(bonus)} of them bonus, which does not expire` : "no bonus"
}

function Details({ account }: { readonly account: Account }) {
  const metadata = Object.entries(account.metadata)
  return (
    <Section title="Details">
      <Facts
        facts={[
          ["Id", <CopyId key="id" id={account.id} />],
          ["State", <AccountState key="state" account={account} />],
          ["Plan", account.plan],
          ["E-mail", account.email ?? <span class="muted">none</span>],
          ["Notices", notifyChoices.find(([value]) => value === account.notify)?.[1] ?? account.notify],
          ["External id", account.external_id ?? <span class="muted">none</span>],
          ["Created", <Time key="created" at={account.created} style="instant" />],
          ...metadata.map(([name, value]) => [name, JSON.stringify(value)] as const),
        ]}
      />
    </Section>
  )
}

/** The longest reason that an adjustment can have. */
const mostOfReason = 500

/** Changes of an account's bonus, with buttons to undo them. */
function AccountAdjustments({ account }: { readonly account: Account }) {
  const [undos, setUndos] = useState(0)
  const section = useRef<HTMLElement>(null)

  // The button that had the focus goes with the next list.
  useLayoutEffect(() => {
    if (undos > 0) section.current?.focus()
  }, [undos])

  const undo = ({ id, kind, credits, reason, undone_by }: Adjustment) =>
    account.closed === null &&
    kind !== "undo" &&
    undone_by === null && (
      <FormButton
        operation="credits.undo"
        label="Undo"
        kind="plain"
        title="Undo this adjustment?"
        submit="Undo adjustment"
        danger
        given={{ id }}
        values={{ reason: `Undo: ${reason}`.slice(0, mostOfReason) }}
        fields={{ reason: { hint: "The customer may read it." } }}
        done="Adjustment undone."
        then={() => setUndos((before) => before + 1)}
      >
        <p>“{reason}”</p>
        <p>
          {credits > 0
            ? `${formatNumber(credits)} credits are taken from the account.`
            : `${formatNumber(-credits)} credits are added to the account.`}{" "}
          Its bonus is then {formatNumber(account.bonus - credits)} credits. This cannot be undone.
        </p>
      </FormButton>
    )

  return (
    <Section
      title="Adjustments"
      actions={
        may("statements.show") && (
          <LinkButton href={addressOf(`/statements/${account.id}`)}>Statements</LinkButton>
        )
      }
    >
      <section ref={section} tabIndex={-1} aria-label="Latest adjustments">
        <Adjustments account={account.id} actionsOf={undo} />
      </section>
    </Section>
  )
}

/** The most keys that are maxKeys; the screen of keys has all of them. */
const maxKeys = 20

/** The keys of an account. */
function AccountKeys({ account: { id, closed } }: { readonly account: Account }) {
  const reading = useRead("keys.list", { account: id, limit: maxKeys })
  const bulk = useBulk<ListedKey>({ thing: "key", nameOf, actions: keyActions() })
  const create = closed === null && <CreateKey account={id} useApis={useApiChoices} />
  return (
    <Section title="Keys" actions={create}>
      <Ready reading={reading} what="keys">
        {({ data, has_more }) => (
          <>
            <Table
              caption="Keys of the account"
              columns={ownKeyColumns}
              rows={data}
              selection={bulk?.selection}
              empty={<Empty title="No keys yet">Without a key the customer cannot call anything.</Empty>}
            />
            {bulk?.bar(data)}
            {has_more && <a href={addressOf("/keys", { account: id })}>All keys of this account</a>}
          </>
        )}
      </Ready>
    </Section>
  )
}

/** Where the notices of an account are sent, and which. */
function AccountWebhook({ account, then }: AccountWindowProps) {
  const reading = useRead("webhooks.get", { id: account.id })
  const actions = (
    <WebhookActions webhook={reading.data}>
      <ChooseEvents account={account} then={then} />
    </WebhookActions>
  )
  const notices = (
    <a key="notices" href={addressOf("/notices", { account: account.id })}>
      Deliveries to this webhook
    </a>
  )
  return (
    <Section title="Webhook" actions={account.closed === null && actions}>
      <WebhookFacts
        reading={reading}
        more={[
          ["Events", ["80 % and 95 % of the credits are used", ...account.events.map(wordsOf)].join(" · ")],
          may("notices.list") ? ["Notices", notices] : null,
        ]}
      >
        With one, the customer is told when 80 % and 95 % of the month's credits are used.
      </WebhookFacts>
    </Section>
  )
}

function wordsOf(event: string): string {
  return eventChoices.find(([name]) => name === event)?.[1] ?? event
}
