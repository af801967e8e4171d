/** The page of the test double: its requests as they come, and what a test can change. */
import { render } from "preact"
import type { View } from "../../mock/views.ts"
import { Button } from "../kit/button.tsx"
import { LinesField } from "../kit/field.tsx"
import { Form } from "../kit/form.tsx"
import { Page, Section } from "../kit/page.tsx"
import { Secret } from "../kit/secret.tsx"
import { Loading } from "../kit/states.tsx"
import { Status } from "../kit/status.tsx"
import { formatSecond, Tag } from "../kit/text.tsx"
import { change, connection, send, service, showChanges, view } from "./control.ts"
import { Faults } from "./faults.tsx"
import { List } from "./list.tsx"
import texts from "./texts.json"
import { toCurl } from "./to-curl.ts"

function App() {
  const actions = (
    <>
      <span role="status">
        <Tag tone={connection.value === "Live" ? "good" : "warn"}>{connection.value}</Tag>
      </span>
      <Button onClick={() => change("POST", "/reset")}>Reset</Button>
    </>
  )
  return (
    <main class="content double" id="main">
      <Page title="Test double" intro={<code>{service}</code>} actions={actions}>
        {view.value ? <Parts {...view.value} /> : <Loading what="the state" />}
      </Page>
      <Status />
    </main>
  )
}

function Parts({ now, clock_runs, faults, requests, notices, mails, zone }: View) {
  const text = JSON.stringify(zone, null, 2)
  return (
    <div class="double-parts">
      <div>
        <Section title="Clock">
          <div class="card">
            {formatSecond(now)} {clock_runs && <Tag>runs</Tag>}
            <div class="actions">
              {texts.steps.map((step) => (
                <Button
                  key={step}
                  onClick={() => change("PUT", "/clock", { advance: step.replace(" ", "") })}
                >
                  +{step}
                </Button>
              ))}
            </div>
          </div>
        </Section>
        <Faults faults={faults} />
      </div>
      <div>
        <List
          title="Requests"
          kind="requests"
          entries={requests}
          lineOf={({ number, at, method, path, key, fault, response }) => [
            `${method} ${path}`,
            `${number}, ${formatSecond(at)}, ${key ?? "without a key"}${fault ? ", with a fault" : ""}`,
            <Tag key="state" tone={response && response.status < 400 ? "good" : "bad"}>
              {response?.status ?? "reset"}
            </Tag>,
          ]}
          use={(entry) => <Secret label="To send it again" text={toCurl(entry, service)} />}
        />
        <List
          title="Notices"
          kind="notices"
          entries={notices as readonly Record<string, string>[]}
          lineOf={({ type = "", timestamp = "" }) => [type, formatSecond(timestamp)]}
        />
        <List
          title="Mails"
          kind="mails"
          entries={mails as readonly Record<string, string>[]}
          lineOf={({ to, subject = "", raised = "" }) => [subject, `to ${to}, ${formatSecond(raised)}`]}
        />
        <Section title="DNS">
          <Form
            key={text}
            submit="Send"
            send={(values) => send("PUT", "/dns", values.text("dns"))}
            done={() => {}}
          >
            <LinesField name="dns" label="Records" hint="As JSON or YAML." value={text} rows={16} required />
          </Form>
        </Section>
      </div>
    </div>
  )
}

render(<App />, document.getElementById("app") ?? document.body)
showChanges()
