import { useState } from "preact/hooks"
import type { EntryOf } from "../../client/operations.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { Button } from "../../kit/button.tsx"
import { LinesField, SelectField, TextField, withPresent } from "../../kit/field.tsx"
import type { FormValues } from "../../kit/form.tsx"
import { Page } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Tag } from "../../kit/text.tsx"
import { type Changes, ChangeWindow } from "../plans/change-window.tsx"
import { SettingValue } from "./setting-value.tsx"

type Setting = EntryOf<"config.list">

/** The settings that run, where each comes from, and what a change of it needs. */
export function SettingsScreen() {
  const [version, setVersion] = useState(0)
  const [edited, setEdited] = useState<Setting | null>(null)
  const settings = useRead("config.list", {}, version)
  const config = useRead(may("config.get") ? "config.get" : null, {}, version)
  const fileVersion = config.data?.version ?? null
  const mayEdit = may("config.put") && fileVersion !== null

  const columns: readonly Column<Setting>[] = [
    {
      title: "Setting",
      isName: true,
      cell: ({ setting, description }) => (
        <>
          <code>{setting}</code>
          <span class="below">{description}</span>
        </>
      ),
    },
    {
      title: "Value",
      cell: ({ setting, value, default: standard }) => (
        <SettingValue setting={setting} value={value} standard={standard} />
      ),
    },
    {
      title: "From",
      cell: ({ source }) => (source === "default" ? <span class="muted">default</span> : source),
    },
    {
      title: "Changes take effect",
      cell: ({ change }) =>
        change === "now" ? (
          "at once"
        ) : (
          <Tag tone="warn">{change === "reload" ? "after a reload" : "after a restart"}</Tag>
        ),
    },
    ...(mayEdit
      ? [
          {
            title: "Actions",
            cell: (setting: Setting) =>
              isEditable(setting) && (
                <Button onClick={() => setEdited(setting)}>
                  Edit<span class="hidden"> {setting.setting}</span>
                </Button>
              ),
          },
        ]
      : []),
  ]

  return (
    <Page
      title="Settings"
      intro="What this service runs with. What counts at once can be changed here; all else where it was set: as a flag, in the environment or in the file."
    >
      {may("config.put") && config.data && fileVersion === null && (
        <div class="note">
          <p>
            <strong>Read-only: the service has no configuration file that it may write.</strong>
          </p>
          <p>
            Start it with <code>--config FILE</code> to change settings here.
          </p>
        </div>
      )}
      <Ready reading={settings} what="settings">
        {({ data }) => (
          <div class="card flush">
            <Table caption="settings" columns={columns} rows={data} keyOf={({ setting }) => setting} />
          </div>
        )}
      </Ready>
      {edited && fileVersion !== null && (
        <EditSetting
          setting={edited}
          version={fileVersion}
          close={() => setEdited(null)}
          changed={(next) => {
            // The next change is made to this version, also before it is read again.
            if (config.data) config.show({ ...config.data, version: next })
            setVersion((before) => before + 1)
          }}
        />
      )}
    </Page>
  )
}

/** A flag and a variable win over the file, so a change of the file would do nothing. A secret cannot be read back. */
function isEditable({ change, source, value }: Setting): boolean {
  return change === "now" && (source === "file" || source === "default") && value !== "(set)"
}

interface EditSettingProps {
  readonly setting: Setting
  readonly version: number
  close(): void
  changed(version: number | null): void
}

function EditSetting({
  setting: { setting, value, description, source, choices, default: standard },
  version,
  close,
  changed,
}: EditSettingProps) {
  function toChanges(values: FormValues): Changes {
    const next = Array.isArray(value) ? values.lines("value") : toValue(values.text("value"), value)
    return JSON.stringify(next) === JSON.stringify(value) ? {} : { [setting]: next }
  }
  const isList = Array.isArray(value)
  const hint = isList ? `${description}. Empty: ${standard}.` : `${description}.`
  const field = { name: "value", label: setting, hint }
  return (
    <ChangeWindow
      title={`Change ${setting}`}
      version={version}
      toChanges={toChanges}
      remove={
        source === "file" ? { label: "Use the default again", changes: { [setting]: null } } : undefined
      }
      removeText="The setting leaves the configuration file, and its default is used."
      close={close}
      changed={changed}
    >
      {isList ? (
        <LinesField {...field} value={value.join("\n")} />
      ) : typeof value === "boolean" ? (
        <SelectField
          {...field}
          value={String(value)}
          choices={[
            ["true", "yes"],
            ["false", "no"],
          ]}
        />
      ) : choices !== null ? (
        <SelectField
          {...field}
          value={value === null ? "" : String(value)}
          choices={withPresent(
            [
              ...(value === null ? [["", `the default: ${standard}`] as const] : []),
              ...choices.map((one) => [one, one] as const),
            ],
            value === null ? null : String(value),
          )}
        />
      ) : (
        <TextField {...field} value={value === null ? "" : String(value)} />
      )}
    </ChangeWindow>
  )
}

/** Empty takes a setting out of the file. The service says what is wrong with other text. */
function toValue(text: string, before: unknown): Changes[string] {
  if (text === "") return null
  if (typeof before === "boolean") return text === "true"
  return /^\d+$/.test(text) && typeof before !== "string" ? Number(text) : text
}
