import type { AnswerOf } from "../../client/operations.ts"
import { TextField } from "../../kit/field.tsx"
import { FormDialog } from "../../kit/form.tsx"

interface MakeBackupProps {
  close(): void
  done(backup: AnswerOf<"backups.create">): void
}

export function MakeBackup({ close, done }: MakeBackupProps) {
  return (
    <FormDialog
      title="Make a backup"
      close={close}
      submit="Make the backup"
      operation="backups.create"
      input={(values) => {
        const name = values.text("name")
        return name === "" ? {} : { name }
      }}
      done={done}
    >
      <p>A large data file takes a few minutes. Keep this page open until it is done.</p>
      <TextField
        name="name"
        label="File name"
        hint="Such as before-the-update.db. Empty for a name made from the time."
      />
    </FormDialog>
  )
}
