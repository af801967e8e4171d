import type { Token } from "markdown-it"

const checkbox = {
  done: '<input type="checkbox" checked="" disabled=""> ',
  open: '<input type="checkbox" disabled=""> ',
}

/** Puts checkboxes into list items that begin with `[ ]` or `[x]` (GFM, task list items). */
export function markTasks(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [text] = token.children ?? []
    const isFirst =
      tokens[index - 1]?.type === "paragraph_open" && tokens[index - 2]?.type === "list_item_open"
    const mark = isFirst && text?.type === "text" ? /^\[([ xX])\]\s/.exec(text.content) : null
    if (!mark || !text || !token.children) continue
    const box = Object.assign(Object.create(Object.getPrototypeOf(text)), text, {
      type: "html_inline",
      content: mark[1] === " " ? checkbox.open : checkbox.done,
    })
    text.content = text.content.slice(mark[0].length)
    token.children.unshift(box)
  }
}
