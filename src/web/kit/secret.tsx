import { useRef, useState } from "preact/hooks"
import { Button } from "./button.tsx"

interface SecretProps {
  readonly label: string
  readonly text: string
}

/** A text that is shown once, such as a new key, with a button that copies it. */
export function Secret({ label, text }: SecretProps) {
  const code = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    setCopied(await copied(text, code.current))
  }

  return (
    <div class="secret">
      <span class="secret-label">{label}</span>
      <div class="secret-row">
        <code ref={code}>{text}</code>
        <Button icon={isCopied ? "check" : "copy"} onClick={copy} label={`Copy ${label.toLowerCase()}`}>
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </div>
    </div>
  )
}

/** Copies a text. Without HTTPS the browser forbids it; the text is then selected, to be copied by hand. */
async function copied(text: string, element: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Forbidden, or not there at all.
    if (element) getSelection()?.selectAllChildren(element)
    return false
  }
}
