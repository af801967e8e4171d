import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { randomId } from "../client/browser.ts"
import type { InputOf, SendId } from "../client/operations.ts"
import { send } from "../client/request.ts"
import { may } from "../client/session.ts"
import { Button } from "./button.tsx"
import { Dialog } from "./dialog.tsx"
import type { FieldErrors } from "./field.tsx"
import { Form, type FormValues } from "./form.tsx"
import { type Outcome, runEach, type Step } from "./run-each.ts"
import { say } from "./status.tsx"
import { countOf, formatNumber } from "./text.tsx"

interface ActionTexts<Row> {
  /** On its button: "Adjust credits". */
  readonly label: string
  /** The window's title for "3 accounts": "Adjust credits of 3 accounts". */
  title(rows: string): string
  /** The message when it is done: "Credits of 3 accounts adjusted." */
  done(rows: string): string
  /** The effect on the rows. */
  readonly about: ComponentChildren
  /** Whether the window begins at Cancel. */
  readonly danger?: boolean
  /** Fields that are filled in once, for all rows. */
  readonly fields?: ComponentChildren
  readonly required?: FieldErrors
  /** Why it makes no sense for a row, such as "closed already"; null if it does. */
  skip(row: Row): string | null
}

/** Something that can be done to several rows. */
export interface BulkAction<Row> extends ActionTexts<Row> {
  run(row: Row, values: FormValues, idempotencyKey: string): Promise<unknown>
}

interface OperationTexts<Row, Id extends SendId> extends ActionTexts<Row> {
  readonly operation: Id
  input(row: Row, values: FormValues): InputOf<Id>
}

/** An operation that runs once for each row. Null if the user may not run it. */
export function bulkAction<Row, Id extends SendId>(texts: OperationTexts<Row, Id>): BulkAction<Row> | null {
  const { operation, input, ...action } = texts
  if (!may(operation)) return null
  return {
    ...action,
    run: (row, values, idempotencyKey) => send(operation, input(row, values), { idempotencyKey }),
  }
}

interface BulkDialogProps<Row> {
  readonly thing: string
  readonly action: BulkAction<Row>
  readonly rows: readonly Row[]
  nameOf(row: Row): string
  /** Called when rows have changed. */
  changed(): void
  /** Called with the rows that it has left as they were. */
  close(rows: readonly Row[]): void
}

/** Says what will happen to which rows, does it row after row, and says what failed. */
export function BulkDialog<Row>({ thing, action, rows, nameOf, changed, close }: BulkDialogProps<Row>) {
  const steps = rows.filter((row) => action.skip(row) === null)
  const skipped = rows.filter((row) => action.skip(row) !== null)
  const title = action.title(countOf(steps.length, thing))
  const [progress, setProgress] = useState<Progress | null>(null)
  const [outcome, setOutcome] = useState<Outcome<Row> | null>(null)
  const values = useRef<FormValues | null>(null)
  const abort = useRef(new AbortController())
  const countDone = useRef(0)
  // Nothing more is done when the screen is left.
  useEffect(() => () => abort.current.abort(), [])

  async function run(steps: readonly Step<Row>[], typed: FormValues): Promise<Outcome<Row>> {
    values.current = typed
    abort.current = new AbortController()
    const count = steps.length
    try {
      const ended = await runEach(steps, {
        send: (row, idempotencyKey) => action.run(row, typed, idempotencyKey),
        signal: abort.current.signal,
        onStep: (behind) => setProgress({ behind, count, waitMs: null }),
        onWait: (waitMs) => setProgress((before) => before && { ...before, waitMs }),
        isShared: ({ status }) => status === 400 && action.fields !== undefined,
      })
      countDone.current += ended.done.length
      if (ended.done.length > 0) changed()
      return ended
    } finally {
      setProgress(null)
    }
  }

  function ended(outcome: Outcome<Row>): void {
    setOutcome(outcome)
    if (outcome.failed.length + outcome.left.length > 0) return
    const also = skipped.length === 0 ? "" : ` ${countOf(skipped.length, thing)} skipped.`
    say(action.done(countOf(countDone.current, thing)) + also)
    close([])
  }

  async function goOn({ failed, left }: Outcome<Row>): Promise<void> {
    if (values.current) ended(await run([...failed, ...left], values.current))
  }

  if (steps.length === 0) {
    return (
      <Dialog title={action.label} close={() => close(rows)}>
        <div class="dialog-text">
          <p>There is nothing to do for what is selected.</p>
        </div>
        <Names title={`${countOf(skipped.length, thing)} skipped`} names={skipped.map(toSkipped)} />
        <div class="form-buttons">
          <Button onClick={() => close(rows)}>Close</Button>
        </div>
      </Dialog>
    )
  }

  function toSkipped(row: Row): string {
    return `${nameOf(row)}: ${action.skip(row)}`
  }

  const leave = () => close(outcome ? [...outcome.failed, ...outcome.left].map(({ row }) => row) : rows)
  return (
    <Dialog
      title={action.danger && progress === null && outcome === null ? `${title}?` : title}
      close={leave}
      mayClose={progress === null}
    >
      {progress && <Running {...progress} stop={() => abort.current.abort()} />}
      {outcome ? (
        progress === null && (
          <Ended
            outcome={outcome}
            countDone={countDone.current}
            thing={thing}
            nameOf={nameOf}
            goOn={() => goOn(outcome)}
            close={leave}
          />
        )
      ) : (
        <div hidden={progress !== null}>
          <Form
            submit={title}
            danger={action.danger ?? false}
            required={action.required ?? {}}
            cancel={leave}
            send={(values) =>
              run(
                steps.map((row) => ({ row, idempotencyKey: randomId() })),
                values,
              )
            }
            done={ended}
          >
            <p>{action.about}</p>
            <Names title={countOf(steps.length, thing)} names={steps.map(nameOf)} />
            {skipped.length > 0 && (
              <Names title={`${countOf(skipped.length, thing)} skipped`} names={skipped.map(toSkipped)} />
            )}
            {action.fields}
          </Form>
        </div>
      )}
    </Dialog>
  )
}

interface NamesProps {
  readonly title: string
  readonly names: readonly string[]
}

/** So many names are shown at once, so that fields below them stay in sight. */
const maxShown = 8

/** Names of rows, all of which can be shown. */
function Names({ title, names }: NamesProps) {
  const rest = names.slice(maxShown)
  return (
    <div class="names">
      <p>{title}</p>
      <NameList names={names.slice(0, maxShown)} />
      {rest.length > 0 && (
        <details class="figures">
          <summary>{formatNumber(rest.length)} more</summary>
          <NameList names={rest} />
        </details>
      )}
    </div>
  )
}

function NameList({ names }: Pick<NamesProps, "names">) {
  return (
    <ul>
      {names.map((name, index) => (
        <li key={index}>{name}</li>
      ))}
    </ul>
  )
}

interface Progress {
  readonly behind: number
  readonly count: number
  /** How long the service wants no request; null while it takes them. */
  readonly waitMs: number | null
}

function Running({ behind, count, waitMs, stop }: Progress & { readonly stop: () => void }) {
  const buttons = useRef<HTMLDivElement>(null)
  const [isStopping, setStopping] = useState(false)
  useLayoutEffect(() => buttons.current?.querySelector("button")?.focus(), [])
  return (
    <div class="running">
      <progress max={count} value={behind} aria-label="Progress" />
      <p>
        {formatNumber(behind)} of {formatNumber(count)}
      </p>
      <p class="muted" role="status">
        {isStopping
          ? "It stops after the present one."
          : waitMs !== null &&
            `The service limits requests a minute. It goes on in ${formatNumber(Math.ceil(waitMs / 1_000))} s.`}
      </p>
      <div class="form-buttons" ref={buttons}>
        <Button
          onClick={() => {
            setStopping(true)
            stop()
          }}
        >
          Stop
        </Button>
      </div>
    </div>
  )
}

interface EndedProps<Row> {
  readonly outcome: Outcome<Row>
  readonly countDone: number
  readonly thing: string
  nameOf(row: Row): string
  goOn(): void
  close(): void
}

/** The result: rows that were changed, rows that failed and why, and rows that were not reached. */
function Ended<Row>({ outcome, countDone, thing, nameOf, goOn, close }: EndedProps<Row>) {
  const { failed, left, error } = outcome
  const buttons = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => buttons.current?.querySelector<HTMLElement>(".quiet")?.focus(), [])
  const isStopped = error === null && failed.length === 0
  return (
    <>
      <div class="dialog-text" role="alert">
        <p>
          {countOf(countDone, thing)} done, {formatNumber(failed.length)} failed
          {left.length > 0 && `, ${formatNumber(left.length)} not reached`}.
        </p>
        {error && <p>{error.message} What was done already is not done twice.</p>}
      </div>
      {failed.length > 0 && (
        <Names
          title={`${countOf(failed.length, thing)} failed`}
          names={failed.map(({ row, message }) => `${nameOf(row)}: ${message}`)}
        />
      )}
      {left.length > 0 && (
        <Names
          title={`${countOf(left.length, thing)} not reached`}
          names={left.map(({ row }) => nameOf(row))}
        />
      )}
      <div class="form-buttons" ref={buttons}>
        <Button kind="primary" onClick={goOn}>
          {isStopped ? "Go on" : "Try again"}
        </Button>
        <Button kind="quiet" onClick={close}>
          Close
        </Button>
      </div>
    </>
  )
}
