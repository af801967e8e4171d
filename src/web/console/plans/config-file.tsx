import type { AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { ChangeTable } from "./change-table.tsx"

interface ConfigFileProps {
  /** Rises when the configuration was changed. */
  readonly version: number
  changed(): void
}

/** What the configuration file says now and the service does not do yet. */
export function ConfigFile({ version, changed }: ConfigFileProps) {
  const reading = useRead("config.diff", {}, version)
  const waiting = reading.data?.data.some(({ needs_restart }) => !needs_restart) ?? false

  function reloaded({ data }: AnswerOf<"config.reload">): void {
    const later = data.filter(({ needs_restart }) => needs_restart).length
    say(later === 0 ? "The file is in force." : "The file is in force, but for what needs a restart.")
    changed()
  }

  return (
    <Section
      title="Configuration file"
      intro="What someone changed in the file by hand takes effect when you take it over here."
      actions={
        <>
          <Button onClick={reading.reload}>Compare again</Button>
          {waiting && may("config.reload") && (
            <ActionButton
              kind="primary"
              run={(idempotencyKey) => send("config.reload", {}, { idempotencyKey })}
              done={reloaded}
            >
              Take these changes over
            </ActionButton>
          )}
        </>
      }
    >
      <Ready reading={reading} what="the difference">
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">The service runs with what the file says.</p>
          ) : (
            <ChangeTable changes={data} />
          )
        }
      </Ready>
    </Section>
  )
}
