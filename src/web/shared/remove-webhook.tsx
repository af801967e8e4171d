import { write } from "../client/request.ts"
import { Dialog } from "../kit/dialog.tsx"
import { Form } from "../kit/form.tsx"

/** What a window about a webhook is given. */
export interface WebhookWindowProps {
  /** Of the operations on the webhook. */
  readonly path: string
  close(): void
  done(): void
}

/** Asks before a webhook is removed. */
export function RemoveWebhook({ path, close, done }: WebhookWindowProps) {
  return (
    <Dialog title="Remove the webhook?" close={close}>
      <Form
        submit="Remove webhook"
        danger
        cancel={close}
        send={(_, idempotencyKey) => write("DELETE", path, {}, { idempotencyKey })}
        done={done}
      >
        <p>Notices that wait to be sent are not sent. To send them again later, set a webhook first.</p>
      </Form>
    </Dialog>
  )
}
