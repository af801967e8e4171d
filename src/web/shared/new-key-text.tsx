import { Button } from "../kit/button.tsx"
import { Dialog } from "../kit/dialog.tsx"
import { Secret } from "../kit/secret.tsx"

interface NewKeyTextProps {
  readonly title: string
  readonly text: string | null
  readonly note?: string
  done(): void
}

/** The text of a new key. Only a button closes the window, so that it is not lost by pressing Escape. */
export function NewKeyText({ title, text, note, done }: NewKeyTextProps) {
  return (
    <Dialog title={title} close={done} mayClose={false}>
      <p class="dialog-text">Copy it now: it is shown once and cannot be read again. {note}</p>
      {text === null ? (
        <p class="dialog-text">
          The key was made before, and its text was shown then. Rotate the key for a new one.
        </p>
      ) : (
        <Secret label="Key" text={text} />
      )}
      <Button kind="primary" onClick={done}>
        I have copied it
      </Button>
    </Dialog>
  )
}
