import { useRef, useState } from "preact/hooks"
import { Button } from "./dialog.tsx"

/** A text that is shown once, such as a new key, with a button that copies it. */
export function Secret({ label, text }: { readonly label: string; readonly text: string }) {
  const code = useRef<HTMLElement>(null)
  const [isCopied, setCopied] = useState(false)

  /** Without HTTPS the browser forbids it; the text is then selected, to be copied by hand. */
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      // Forbidden, or not there at all.
      if (code.current) getSelection()?.selectAllChildren(code.current)
      setCopied(false)
    }
  }

  return (
    <div class="secret stack gap-1">
      <span class="secret-label">{label}</span>
      <div class="secret-row sunken row gap-3">
        <code ref={code}>{text}</code>
        <Button icon={isCopied ? "check" : "copy"} onClick={copy} label={`Copy ${label.toLowerCase()}`}>
          {isCopied ? "Copied" : "Copy"}
        </Button>
      </div>
    </div>
  )
}
