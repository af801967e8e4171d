import { useState } from "preact/hooks"
import { type AnswerOf, addressOfRead, type EntryOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { type Reading, useRead } from "../../client/use-read.ts"
import { LinkButton, say } from "../../kit/dialog.tsx"
import { ActionButton, FormButton } from "../../kit/form-dialog.tsx"
import { Empty, Loading, Page, Section, Stat, Stats } from "../../kit/page.tsx"
import { PagedTable } from "../../kit/paged-table.tsx"
import type { Column } from "../../kit/table.tsx"
import { countOf, lines, Tag, Time } from "../../kit/text.tsx"
import { formatBytes } from "../choices.tsx"

type Health = AnswerOf<"health.detail">
type Settings = AnswerOf<"config.get">
type VerifiedBackup = AnswerOf<"backups.verify">

/** An older backup is worth a warning. */
const oldSeconds = 2 * 86_400

/** Copies of the data file. */
export function BackupsScreen() {
  const [verified, setVerified] = useState<Readonly<Record<string, VerifiedBackup>>>({})
  const health = useRead(may("health.detail") ? "health.detail" : null, {})
  const config = useRead(may("config.get") ? "config.get" : null, {})
  const isKnown = isRead(health) && isRead(config)
  const why = isKnown ? whyNot(health.data, config.data) : null
  const make = isKnown && why === null && (
    <FormButton
      operation="backups.create"
      label="Make a backup"
      kind="primary"
      icon="plus"
      submit="Make the backup"
      fields={{
        name: {
          label: "File name",
          hint: "Such as before-the-update.db. Empty for a name made from the time.",
        },
      }}
      done={made}
    >
      <p>A large data file takes a few minutes. Keep this page open until it is done.</p>
    </FormButton>
  )

  function made(backup: VerifiedBackup): void {
    keep(backup)
    say(`Backup ${backup.name} made and verified.`)
  }

  function keep(backup: VerifiedBackup): void {
    setVerified((before) => ({ ...before, [backup.name]: backup }))
  }

  const columns: readonly Column<EntryOf<"backups.list">>[] = [
    { title: "File", isName: true, cell: ({ name }) => <span class="mono">{name}</span> },
    { title: "Made", cell: ({ made }) => <Time at={made} style="instant" /> },
    { title: "Size", isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
    {
      title: "Verified",
      cell: ({ name }) => {
        const result = verified[name]
        if (result) return <Verified result={result} />
        if (!may("backups.verify")) return <span class="muted">–</span>
        return (
          <ActionButton operation="backups.verify" input={{ name }} done={keep}>
            Verify<span class="hidden"> {name}</span>
          </ActionButton>
        )
      },
    },
  ]

  const download: Column<EntryOf<"backups.list">> = {
    title: "Download",
    cell: ({ name }) => (
      <LinkButton icon="download" href={addressOfRead("backups.download", { name })} download={name}>
        Download<span class="hidden"> {name}</span>
      </LinkButton>
    ),
  }

  return (
    <Page title="Backups" intro="Checked copies of the data file, made while calls go on." actions={make}>
      {!isKnown ? (
        <Loading what="backups" />
      ) : why ? (
        <Empty title={why.title}>{why.text}</Empty>
      ) : (
        <>
          {health.data && <LastBackup health={health.data} config={config.data} />}
          <Section title="Files">
            <PagedTable
              what="backups"
              operation="backups.list"
              filters={{}}
              columns={may("backups.download") ? [...columns, download] : columns}
              keyOf={({ name }) => name}
              empty={
                <Empty title="No backups yet" action={make}>
                  Make one now, and start the service with <code>--backup-every 24h</code> for one each day.
                </Empty>
              }
            />
          </Section>
        </>
      )}
    </Page>
  )
}

/** True also while it is read again. */
function isRead({ data, isLoading }: Reading<unknown>): boolean {
  return data !== null || !isLoading
}

/** Why no backups can be made here, and what to do; null if they can, or if it is unknown. */
function whyNot(health: Health | null, config: Settings | null) {
  if (health?.store === "postgresql")
    return {
      title: "PostgreSQL makes its own backups",
      text: "Copy the server with pg_basebackup and restore it with point-in-time recovery, or use the backups of a managed database. This screen copies data files only.",
    }
  if (config?.db === ":memory:")
    return {
      title: "A store in memory has no backups",
      text: "It is gone when the service stops. Set a data file with --db.",
    }
  if (config && config.backup_dir === null)
    return {
      title: "No directory for backups is set",
      text: (
        <>
          Make a directory that the service can write, and start the service with{" "}
          <code>--backup-dir DIR</code>. Until then, run <code>penknife backup FILE</code> on the machine of
          the service.
        </>
      ),
    }
  return null
}

function LastBackup({ health, config }: { readonly health: Health; readonly config: Settings | null }) {
  const { last_backup: last, last_backup_age_seconds: age, store_bytes: bytes } = health
  const every = config?.backup_every
  return (
    <Stats>
      <Stat
        label="Last backup"
        value={last === null ? "Never" : <Time at={last} style="distance" />}
        note={
          last === null || age === null ? (
            <Tag tone="warn">None yet</Tag>
          ) : age > oldSeconds ? (
            <Tag tone="warn">Over two days old</Tag>
          ) : (
            <Time at={last} style="instant" />
          )
        }
      />
      {config && (
        <Stat
          label="Schedule"
          value={typeof every === "number" ? `Every ${toWords(every)}` : "None"}
          note={
            typeof every === "number" ? (
              `The newest ${String(config.backup_keep)} are kept.`
            ) : (
              <>
                Set <code>--backup-every 24h</code>.
              </>
            )
          }
        />
      )}
      <Stat
        label="Data file now"
        value={formatBytes((bytes.main ?? 0) + (bytes.wal ?? 0))}
        note={bytes.wal === undefined ? null : `${formatBytes(bytes.wal)} of it in the write-ahead log`}
      />
    </Stats>
  )
}

/** Such as "24 hours". */
function toWords(seconds: number): string {
  const [unit, length] = seconds % 3_600 === 0 ? (["hour", 3_600] as const) : (["minute", 60] as const)
  return countOf(seconds / length, unit)
}

function Verified({ result }: { readonly result: VerifiedBackup }) {
  const { accounts, keys, store_version: storeVersion } = result
  return lines(
    <Tag tone="good">Verified</Tag>,
    `${countOf(accounts, "account")}, ${countOf(keys, "key")}, tables of version ${storeVersion}`,
  )
}
