/** The page of the test double: its requests as they come, and what a test can change. */
import { signal } from "@preact/signals"
import { type ComponentChildren, render } from "preact"
import { quote } from "../../code-examples/code-call.ts"
import type { JournalEntry } from "../../mock/journal.ts"
import type { View } from "../../mock/views.ts"
import { openEvents, sendRequest } from "../client/browser.ts"
import { Problem, parseJson, Unreachable } from "../client/request.ts"
import { Button, LinkButton, Status, say } from "../kit/dialog.tsx"
import { CheckField, LinesField, SelectField, TextField } from "../kit/field.tsx"
import { Form, type FormValues } from "../kit/form.tsx"
import { Empty, Loading, Page, Section } from "../kit/page.tsx"
import { Secret } from "../kit/secret.tsx"
import { formatSecond, Tag } from "../kit/text.tsx"
import texts, { examples } from "./texts.json"

/** The start of the control paths, in a session below its path. */
const base = location.pathname
/** The start of the addresses of calls, in a session with its path. */
const service = location.origin + base.replace(/\/_mock$/, "")
/** The present state; null until it comes. */
const view = signal<View | null>(null)
/** Whether changes are shown as they come, in words. */
const connection = signal("Connecting")

/** Shows each change from now on. */
function showChanges(): void {
  const events = openEvents(`${base}/events`)
  events.onmessage = ({ data }) => {
    connection.value = "Live"
    view.value = JSON.parse(data)
  }
  events.onerror = () => {
    connection.value = "Not live: it has ended, or too many such pages are open"
  }
}

/** Sends a body to a control path. Throws a Problem or Unreachable. */
async function send(method: string, path: string, body: string | null): Promise<void> {
  const response = await sendRequest(base + path, { method, body }).catch(() => null)
  if (response === null) throw new Unreachable()
  if (!response.ok) throw new Problem(response.status, { detail: (await response.json()).error })
  say("Done.")
}

/** Changes something for someone who presses a button. A refusal is said. */
function change(method: string, path: string, body: object | null = null): void {
  send(method, path, body && JSON.stringify(body)).catch(({ message }) =>
    say(`That did not work. ${message}`),
  )
}

function App() {
  const actions = (
    <>
      <span role="status">
        <Tag tone={connection.value === "Live" ? "good" : "warn"}>{connection.value}</Tag>
      </span>
      <LinkButton href={`${base}/seed`} icon="download" download="seed.yaml" children="Seed file" />
      <Button onClick={() => change("POST", "/reset")}>Reset</Button>
    </>
  )
  const intro = `It answers at ${service}. Lists show the newest 50.`
  return (
    <main class="content double" id="main">
      <Page title="Test double" intro={intro} actions={actions}>
        {view.value ? <Parts {...view.value} /> : <Loading what="the state" />}
      </Page>
      <Status />
    </main>
  )
}

function Parts({ sessions, apis, now, clock_runs, faults, profile, requests, notices, mails, zone }: View) {
  const text = JSON.stringify(zone, null, 2)
  const profiles = Object.keys(profile.profiles).map((name) => JSON.stringify({ profile: name }))
  const on = new Set([{ profile: profile.name }, ...faults].map((fault) => JSON.stringify(fault)))
  const known = new Set([...profiles, ...switchedOff.value, ...on])
  known.delete('{"profile":"ok"}')
  return (
    <div class="double-parts stack">
      <div>
        <Section title="Clock">
          <div class="card stack gap-3">
            {formatSecond(now)} {clock_runs && <Tag>runs</Tag>}
            <div class="actions row">
              <Button onClick={() => advance("1h")}>+1 h</Button>
              <Button onClick={() => advance("1d")}>+1 d</Button>
              <Button onClick={() => advance("31d")}>+31 d</Button>
            </div>
          </div>
        </Section>
        <Section title="Faults">
          <div class="card stack gap-3">
            {[...known].map((text) => drawFault(text, on.has(text)))}
            <Form submit="Add" send={addFault}>
              <SelectField name="fault" label="Fault" required choices={kinds} />
              <SelectField
                name="api"
                label="API"
                required
                choices={["", ...apis].map((id) => [id, id || "All"])}
              />
              <TextField name="key" label="Key" hint="Such as mock-pro; empty for all." />
              <TextField name="times" label="Times" type="number" hint="How many calls; empty for all." />
            </Form>
          </div>
        </Section>
        {sessions.length > 0 && (
          <Section title="Sessions" actions={sessions.map(drawSession)} children={null} />
        )}
      </div>
      <div>
        <List
          kind="requests"
          entries={requests}
          lineOf={({ number, at, method, path, key, fault, response }) => [
            `${method} ${path}`,
            `${number}, ${formatSecond(at)}, ${key ?? "without a key"}${fault ? ", with a fault" : ""}`,
            String(response?.status ?? "reset"),
            response && response.status < 400 ? "good" : "bad",
          ]}
          use={(entry) => <Secret label="To send it again" text={toCurl(entry)} />}
        />
        <List
          kind="notices"
          entries={notices}
          lineOf={({ type, timestamp, state, reason }) => [
            type,
            formatSecond(timestamp) + (reason ? `, ${reason}` : ""),
            state,
            state === "delivered" ? "good" : state === "failed" ? "bad" : "plain",
          ]}
        />
        <List
          kind="mails"
          entries={mails as readonly Record<string, string>[]}
          lineOf={({ to, subject = "", raised = "" }) => [subject, `to ${to}, ${formatSecond(raised)}`]}
          use={({ link }) => link && <a href={link}>Open its link</a>}
        />
        <Section title="DNS">
          <Form key={text} submit="Replace" send={(values) => send("PUT", "/dns", values.text("dns"))}>
            <LinesField name="dns" label="Records" hint="As JSON or YAML." value={text} rows={16} required />
          </Form>
        </Section>
      </div>
    </div>
  )
}

const advance = (time: string) => change("PUT", "/clock", { advance: time })

const drawSession = (id: string) => <LinkButton key={id} href={`/s/${id}/_mock`} children={`Session ${id}`} />

const names = new Map(texts.faults.map(({ name, fault }) => [JSON.stringify(fault), name]))
/** The texts of faults that were switched off here, so that they can be switched on again. */
const switchedOff = signal<ReadonlySet<string>>(new Set(names.keys()))

/** The faults of calls that the form offers. */
const kinds = [...names].filter(([text]) => !text.includes('"profile"'))

/** Adds the fault of the form. Empty fields are left out. */
function addFault(typed: FormValues): Promise<void> {
  const calls = { api: typed.text("api") || undefined, key: typed.text("key") || undefined }
  const fault = { ...calls, times: typed.number("times") ?? undefined, ...JSON.parse(typed.text("fault")) }
  return send("PUT", "/faults", JSON.stringify(fault))
}

function turnFault(text: string, isOn: boolean): void {
  const { profile, api, key, input, webhook } = JSON.parse(text)
  if (!isOn) switchedOff.value = new Set([...switchedOff.value, text])
  if (profile) change("PUT", "/profile", { name: isOn ? profile : "ok" })
  else change("PUT", "/faults", isOn ? JSON.parse(text) : { api, key, input, webhook, times: 0 })
}

function drawFault(text: string, isOn: boolean) {
  const turn = (isOn: boolean) => turnFault(text, isOn)
  return <CheckField key={text} name={text} label={names.get(text) ?? text} checked={isOn} onTurn={turn} />
}

/** Headers that curl sends itself, or that belong to one connection or browser. */
const ownHeaders =
  /^(?:host|connection|content-length|accept-.*|user-agent|referer|cookie|transfer-encoding|sec-.*)$/

/** The command for a POSIX shell that sends a request again. What the journal left out has to be filled in. */
function toCurl({ method, path, request }: JournalEntry): string {
  const headers = Object.entries(request.headers).filter(([name]) => !ownHeaders.test(name))
  return [
    `curl ${method === "HEAD" ? "--head" : `-X ${method}`} ${quote(service + path)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(request.body === "" ? [] : [`--data-raw ${quote(request.body)}`]),
  ].join(" \\\n  ")
}

render(<App />, document.getElementById("app") ?? document.body)
showChanges()

interface ListProps<Entry> {
  readonly kind: keyof typeof examples
  /** Oldest first. */
  readonly entries: readonly Entry[]
  /** The name of an entry, what stands below it, its state, and the tone of that. */
  lineOf(entry: Entry): readonly [string, string, string?, ("good" | "bad" | "plain")?]
  /** Shown above all that an entry holds. */
  readonly use?: (entry: Entry) => ComponentChildren
}

/** A list of the test double, newest first. Each entry can be opened, and one with an id sent again. */
function List<Entry extends object>({ kind, entries, lineOf, use }: ListProps<Entry>) {
  const example = <Secret label="This makes one" text={examples[kind].replaceAll("SERVICE", service)} />
  const draw = (entry: Entry, index: number) => {
    const [name, below, state, tone] = lineOf(entry)
    return (
      <details key={"number" in entry ? entry.number : "id" in entry ? entry.id : index}>
        <summary>
          <span class="mono">{name}</span>
          {state && <Tag tone={tone ?? "plain"}>{state}</Tag>}
          <span class="below">{below}</span>
        </summary>
        {"id" in entry && (
          <Button onClick={() => change("PUT", `/${kind}/${entry.id}/resend`)}>Send again</Button>
        )}{" "}
        {use?.(entry)}
        <pre class="json">{JSON.stringify(entry, openBody, 2).replaceAll("\\n", "\n")}</pre>
      </details>
    )
  }
  return (
    <Section title={kind}>
      {entries.length === 0 && <Empty title={`No ${kind} yet`} action={example} />}
      {entries.length > 0 && <div class="card entries lined">{entries.map(draw).reverse()}</div>}
    </Section>
  )
}

/** A body of JSON is shown as the value that it is. */
const openBody = (key: string, value: unknown) => (key === "body" && parseJson(String(value))) || value
