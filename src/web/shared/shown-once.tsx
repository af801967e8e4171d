import type { ComponentChildren } from "preact"
import { Button, closeWindow, Dialog } from "../kit/dialog.tsx"
import { Secret } from "../kit/secret.tsx"

interface ShownOnceProps {
  readonly title: string
  /** The noun for the text, such as "Key". */
  readonly label: string
  /** Null when it was shown before. */
  readonly text: string | null
  /** Instructions for the text. */
  readonly children: ComponentChildren
}

/** A text that cannot be read again. Only a button closes the window, so that it is not lost by pressing Escape. */
export function ShownOnce({ title, label, text, children }: ShownOnceProps) {
  return (
    <Dialog title={title} mayClose={false}>
      <p class="dialog-text stack gap-3 muted">{children}</p>
      {text !== null && <Secret label={label} text={text} />}
      <Button kind="primary" onClick={closeWindow}>
        I have copied it
      </Button>
    </Dialog>
  )
}

interface NewKeyTextProps extends Pick<ShownOnceProps, "title" | "text"> {
  readonly note?: string
}

/** The text of a new key. */
export function NewKeyText({ title, text, note }: NewKeyTextProps) {
  return (
    <ShownOnce title={title} label="Key" text={text}>
      {text === null
        ? "The key was made before, and its text was shown then. Rotate the key for a new one."
        : `Copy it now: it is shown once and cannot be read again. ${note ?? ""}`}
    </ShownOnce>
  )
}
