import type { AnswerOf } from "../../client/operations.ts"
import { send } from "../../client/request.ts"
import { Dialog } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"

interface MakeBackupProps {
  close(): void
  done(backup: AnswerOf<"backups.create">): void
}

export function MakeBackup({ close, done }: MakeBackupProps) {
  return (
    <Dialog title="Make a backup" close={close}>
      <Form
        submit="Make the backup"
        cancel={close}
        send={(values, idempotencyKey) => {
          const name = values.text("name")
          return send("backups.create", name === "" ? {} : { name }, { idempotencyKey })
        }}
        done={done}
      >
        <p>A large data file takes a few minutes. Keep this page open until it is done.</p>
        <TextField
          name="name"
          label="File name"
          hint="Such as before-the-update.db. Empty for a name made from the time."
        />
      </Form>
    </Dialog>
  )
}
