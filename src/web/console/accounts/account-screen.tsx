import { addressOf } from "../../client/address.ts"
import type { Account } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { LinkButton } from "../../kit/button.tsx"
import { CopyId } from "../../kit/copy-id.tsx"
import { Facts, Meter, Stat, Stats } from "../../kit/facts.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Notice, Ready } from "../../kit/states.tsx"
import { formatNumber, Time } from "../../kit/text.tsx"
import { notifyChoices } from "../choices.tsx"
import { RecentUsage } from "../recent-usage.tsx"
import { AccountAdjustments } from "./account-adjustments.tsx"
import { AccountKeys, AccountWebhook } from "./account-sections.tsx"
import {
  type AccountWindowProps,
  AdjustCredits,
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
  if (account.closed !== null) {
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
  }
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
