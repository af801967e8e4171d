import type { EntryOf } from "../../client/operations.ts"
import { useRead } from "../../client/use-read.ts"
import { WindowButton } from "../../kit/dialog.tsx"
import type { Choices } from "../../kit/field.tsx"
import { Page, Ready } from "../../kit/page.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { lines, Tag } from "../../kit/text.tsx"
import {
  type ChangedFile,
  type Changes,
  ChangeWindow,
  NoFile,
  useConfigFile,
} from "../plans/change-window.tsx"
import { SettingValue } from "./setting-value.tsx"

type Setting = EntryOf<"config.list">

/** The settings that run, where each comes from, and what a change of it needs. */
export function SettingsScreen() {
  const settings = useRead("config.list", {})
  const { editable, isReadOnly, changed } = useConfigFile()

  const columns: readonly Column<Setting>[] = [
    {
      title: "Setting",
      isName: true,
      cell: ({ setting, description }) => lines(<code>{setting}</code>, description),
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
    ...(editable !== null
      ? [
          {
            title: "Actions",
            cell: (setting: Setting) =>
              isEditable(setting) && (
                <WindowButton
                  operation="config.put"
                  opens={<EditSetting setting={setting} version={editable} changed={changed} />}
                >
                  Edit<span class="hidden"> {setting.setting}</span>
                </WindowButton>
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
      {isReadOnly && <NoFile what="settings" />}
      <Ready reading={settings} what="settings">
        {({ data }) => (
          <Table caption="settings" columns={columns} rows={data} keyOf={({ setting }) => setting} />
        )}
      </Ready>
    </Page>
  )
}

/** A flag and a variable win over the file, so a change of the file would do nothing. A secret cannot be read back. */
function isEditable({ change, source, value }: Setting): boolean {
  return change === "now" && (source === "file" || source === "default") && value !== "(set)"
}

function EditSetting({ setting: shown, ...file }: ChangedFile & { readonly setting: Setting }) {
  const { setting, value, description, source, default: standard } = shown
  const isList = Array.isArray(value)
  return (
    <ChangeWindow
      {...file}
      title={`Change ${setting}`}
      fields={[
        {
          name: "value",
          label: setting,
          hint: isList ? `${description}. Empty: ${standard}.` : `${description}.`,
          kind: isList ? "list" : "text",
          value,
          choices: choicesOf(shown),
          read: (typed) => (isList ? typed.lines("value") : toValue(typed.text("value"), value)),
        },
      ]}
      toChanges={({ value: next }) =>
        JSON.stringify(next) === JSON.stringify(value) ? {} : ({ [setting]: next } as Changes)
      }
      remove={
        source === "file" ? { label: "Use the default again", changes: { [setting]: null } } : undefined
      }
      removeText="The setting leaves the configuration file, and its default is used."
    />
  )
}

/** The values that a setting can have, in words; undefined for what is typed. */
function choicesOf({ value, choices, default: standard }: Setting): Choices | undefined {
  if (typeof value === "boolean")
    return [
      ["true", "yes"],
      ["false", "no"],
    ]
  if (choices === null || Array.isArray(value)) return undefined
  const known = choices.map((one) => [one, one] as const)
  return value === null ? [["", `the default: ${standard}`], ...known] : known
}

/** Empty takes a setting out of the file. The service says what is wrong with other text. */
function toValue(text: string, before: unknown): Changes[string] {
  if (text === "") return null
  if (typeof before === "boolean") return text === "true"
  return /^\d+$/.test(text) && typeof before !== "string" ? Number(text) : text
}
