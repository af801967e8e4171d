import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { AnswerOf, InputOf } from "../../client/operations.ts"
import { Problem, send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { readAgain, useRead } from "../../client/use-read.ts"
import { Button, closeWindow, Dialog, say } from "../../kit/dialog.tsx"
import { Form } from "../../kit/form.tsx"
import { type FormField, FormFields, readFields, requiredOf } from "../../kit/form-fields.tsx"
import { Notice } from "../../kit/page.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Tag } from "../../kit/text.tsx"
import { SettingValue } from "../settings/setting-value.tsx"

/** Values by setting; null takes a setting out of the file. */
export type Changes = InputOf<"config.put">["changes"]

/** The configuration file, and whether it can be changed here. Its version is null where there is no file. */
export function useConfigFile() {
  const config = useRead(may("config.get") ? "config.get" : null, {})
  const fileVersion = config.data?.version ?? null
  return {
    fileVersion,
    /** The version that the user may change; null if there is none. */
    editable: may("config.put") ? fileVersion : null,
    isReadOnly: may("config.put") && config.data !== null && fileVersion === null,
    /** The next change is made to this version, also before it is read again. */
    changed: (version: number | null) => config.show({ ...config.data, version }),
  }
}

/** Why nothing can be edited, and what to do about it. */
export function NoFile({ what }: { readonly what: string }) {
  return (
    <Notice tone="warn">
      <p>
        <strong>Read-only: this service runs without a configuration file.</strong>
      </p>
      <p>
        Make a file, an empty one to begin with, and start the service with{" "}
        <code>--config penknife.toml</code>. Then {what} can be changed here and in the file. Where the
        service may not write the file, it can be changed by hand and taken over here.
      </p>
    </Notice>
  )
}

/** The configuration to change. */
export interface ChangedFile {
  /** Its version, so that nobody else's change is lost. */
  readonly version: number
  /** @param version of the configuration that runs now */
  changed(version: number | null): void
}

interface ChangeWindowProps extends ChangedFile {
  readonly title: string
  /** Fields in two columns, and those above and below them. */
  readonly first?: readonly FormField[]
  readonly grid?: readonly FormField[]
  readonly fields?: readonly FormField[]
  readonly isWide?: boolean
  readonly children?: ComponentChildren
  /** The settings that differ from the running ones, from the values of the fields. */
  toChanges(values: ReturnType<typeof readFields>): Changes
  /** A button below the form that removes something. */
  readonly remove?: { readonly label: string; readonly changes: Changes } | undefined
  /** The effect of removing, above its button. */
  readonly removeText?: string
  /** The value that holds now, for a setting that the file does not have. */
  running?(setting: string): unknown
}

interface Trial {
  readonly changes: Changes
  readonly difference: AnswerOf<"config.put">
}

/** Edits settings in two steps: the input is checked and shown as a list of changes, then saved. */
export function ChangeWindow(props: ChangeWindowProps) {
  const {
    title,
    version,
    first = [],
    grid = [],
    fields = [],
    isWide = false,
    children,
    toChanges,
    remove,
    removeText = "A plan that open accounts still have cannot be removed. Give them another one first.",
    running = () => null,
    changed,
  } = props
  const [trial, setTrial] = useState<Trial | null>(null)
  const [isNothing, setNothing] = useState(false)
  const [removing, setRemoving] = useState(false)
  const window = useRef<HTMLDivElement>(null)
  const all = [...first, ...grid, ...fields]
  const step = trial ? "review" : removing ? "remove" : "edit"
  const stepBefore = useRef(step)

  // The next step hides the element that had the focus. The focus moves before the next key is pressed, which would go to a wrong
  // button.
  useLayoutEffect(() => {
    if (step === stepBefore.current) return
    stepBefore.current = step
    const place = step === "edit" ? ".form :is(input, select, textarea)" : ".form-buttons .quiet"
    window.current?.querySelector<HTMLElement>(`:scope > :not([hidden]) ${place}`)?.focus()
  }, [step])

  async function check(changes: Changes): Promise<Trial | null> {
    if (Object.keys(changes).length === 0) return null
    const difference = await atItsField(
      changes,
      send("config.put", { changes, dry_run: true }, { ifVersion: version }),
    )
    return difference.data.length === 0 ? null : { changes, difference }
  }

  function checked(found: Trial | null): void {
    setRemoving(false)
    setNothing(found === null)
    setTrial(found)
  }

  return (
    <Dialog title={trial ? "Save these changes?" : title} isWide={isWide || trial !== null}>
      <div ref={window}>
        {/* The form stays below, so that going back loses nothing. */}
        <div hidden={trial !== null || removing}>
          <Form
            submit="Review changes"
            required={requiredOf(all)}
            cancel={closeWindow}
            send={(typed) => check(toChanges(readFields(all, typed)))}
            done={checked}
          >
            {children}
            <FormFields fields={first} />
            {grid.length > 0 && (
              <div class="field-grid">
                <FormFields fields={grid} />
              </div>
            )}
            <FormFields fields={fields} />
            {isNothing && (
              <p class="field-error" role="alert">
                There are no changes.
              </p>
            )}
          </Form>
          {remove && (
            <div class="apart">
              <Button kind="risky" onClick={() => setRemoving(true)}>
                {remove.label}
              </Button>
            </div>
          )}
        </div>
        {removing && remove && !trial && (
          <Form
            submit="Review changes"
            cancel={() => setRemoving(false)}
            cancelLabel="Back"
            send={() => check(remove.changes)}
            done={checked}
          >
            <p>{removeText}</p>
          </Form>
        )}
        {trial && (
          <Form
            submit="Save"
            cancel={() => setTrial(null)}
            cancelLabel="Back"
            send={(_, idempotencyKey) =>
              send("config.put", { changes: trial.changes }, { ifVersion: version, idempotencyKey })
            }
            done={(saved) => {
              say("Saved. New calls follow it from now on.")
              closeWindow()
              changed(saved.version)
              readAgain()
            }}
          >
            <ChangeTable
              changes={trial.difference.data.map((change) => ({
                ...change,
                before: change.before ?? running(change.setting) ?? null,
              }))}
            />
          </Form>
        )}
      </div>
    </Dialog>
  )
}

/** A refusal names the setting in its text; it is shown at the field of this setting. */
async function atItsField<T>(changes: Changes, sending: Promise<T>): Promise<T> {
  try {
    return await sending
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown
    const { status, code: type, message: detail, requestId: request_id } = thrown
    const setting = Object.keys(changes).find((name) => detail.includes(`'${name}'`))
    if (setting === undefined) throw thrown
    // At its field the message needs no names of setting and file.
    const [, why = null] = detail.split(" cannot be used: ")
    throw new Problem(status, {
      type,
      detail:
        why === null
          ? detail
          : `This cannot be used: ${why.replace("expected integer, or expected 'unlimited'", "type a whole number, or unlimited")}`,
      request_id,
      parameter: setting.split(".").at(-1),
    })
  }
}

type Change = AnswerOf<"config.diff">["data"][number]

const columns: readonly Column<Change>[] = [
  { title: "Setting", isName: true, cell: ({ setting }) => <code>{setting}</code> },
  {
    title: "Current",
    cell: ({ setting, before }) => (
      <del>
        <SettingValue setting={setting} value={before} />
      </del>
    ),
  },
  {
    title: "New",
    cell: ({ setting, after, needs_restart }) => (
      <>
        <ins>
          <SettingValue setting={setting} value={after} />
        </ins>
        {needs_restart && <Tag tone="warn">after a restart</Tag>}
      </>
    ),
  },
]

/** Settings that differ, before and after. */
export function ChangeTable({ changes }: { readonly changes: readonly Change[] }) {
  return <Table caption="changes" columns={columns} rows={changes} keyOf={({ setting }) => setting} />
}
