import type { ComponentChildren } from "preact"
import { Button } from "../kit/button.tsx"
import { Dialog } from "../kit/dialog.tsx"
import { Secret } from "../kit/secret.tsx"

interface ShownOnceProps {
  readonly title: string
  /** The noun for the text, such as "Key". */
  readonly label: string
  /** Null when it was shown before. */
  readonly text: string | null
  /** Instructions for the text. */
  readonly children: ComponentChildren
  done(): void
}

/** A text that cannot be read again. Only a button closes the window, so that it is not lost by pressing Escape. */
export function ShownOnce({ title, label, text, children, done }: ShownOnceProps) {
  return (
    <Dialog title={title} close={done} mayClose={false}>
      <p class="dialog-text">{children}</p>
      {text !== null && <Secret label={label} text={text} />}
      <Button kind="primary" onClick={done}>
        I have copied it
      </Button>
    </Dialog>
  )
}

interface NewKeyTextProps extends Pick<ShownOnceProps, "title" | "text" | "done"> {
  readonly note?: string
}

/** The text of a new key. */
export function NewKeyText({ title, text, note, done }: NewKeyTextProps) {
  return (
    <ShownOnce title={title} label="Key" text={text} done={done}>
      {text === null
        ? "The key was made before, and its text was shown then. Rotate the key for a new one."
        : `Copy it now: it is shown once and cannot be read again. ${note ?? ""}`}
    </ShownOnce>
  )
}
