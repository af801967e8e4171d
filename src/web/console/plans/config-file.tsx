import type { AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { may } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ActionButton } from "../../kit/action-button.tsx"
import { Button } from "../../kit/button.tsx"
import { Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { say } from "../../kit/status.tsx"
import { ChangeTable } from "./change-window.tsx"

interface ConfigFileProps {
  /** Rises when the configuration was changed. */
  readonly version: number
  changed(): void
}

/** Changes in the configuration file that the service has not loaded yet. */
export function ConfigFile({ version, changed }: ConfigFileProps) {
  const reading = useRead("config.diff", {}, version)
  const waiting = reading.data?.data.some(({ needs_restart }) => !needs_restart) ?? false

  function reloaded({ data }: AnswerOf<"config.reload">): void {
    const later = data.filter(({ needs_restart }) => needs_restart).length
    say(later === 0 ? "The file is loaded." : "The file is loaded. Some changes need a restart.")
    changed()
  }

  return (
    <Section
      title="Configuration file"
      intro="Changes that were made in the file by hand take effect when you load them here."
      actions={
        <>
          <Button onClick={reading.reload}>Refresh</Button>
          {waiting && may("config.reload") && (
            <ActionButton
              kind="primary"
              run={(idempotencyKey) => send("config.reload", {}, { idempotencyKey })}
              done={reloaded}
            >
              Load these changes
            </ActionButton>
          )}
        </>
      }
    >
      <Ready reading={reading} what="the difference">
        {({ data }) =>
          data.length === 0 ? (
            <p class="muted">The service runs with the settings of the file.</p>
          ) : (
            <ChangeTable changes={data} />
          )
        }
      </Ready>
    </Section>
  )
}
