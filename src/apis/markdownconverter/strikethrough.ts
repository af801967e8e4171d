import type { MarkdownIt, StateInline } from "markdown-it"

const tilde = 0x7e
/** Strikes text between one or two tildes (GFM 0.29, section 6.5). The library takes two alone, also those of a longer run. */
export function addStrikethrough({ inline }: MarkdownIt): void {
  inline.ruler.at("strikethrough", (state, silent) => {
    if (silent || state.src.charCodeAt(state.pos) !== tilde) return false
    const { length, can_open: open, can_close: close } = state.scanDelims(state.pos, true)
    state.push("text", "", 0).content = "~".repeat(length)
    if (length < 3)
      state.delimiters.push({
        marker: tilde,
        length,
        token: state.tokens.length - 1,
        end: -1,
        open,
        close,
      })
    state.pos += length
    return true
  })
  inline.ruler2.at("strikethrough", (state) => {
    for (const delimiters of [state.delimiters, ...state.tokens_meta.map((meta) => meta?.delimiters ?? [])])
      strike(state, delimiters)
    return true
  })
}

/** Two marks that meet strike only if both are one tilde, or both are two. */
function strike({ tokens }: StateInline, delimiters: StateInline["delimiters"]): void {
  for (const { marker, token, end } of delimiters) {
    const left = tokens[token]
    const right = tokens[delimiters[end]?.token ?? -1]
    if (marker !== tilde || !left || left.content !== right?.content) continue
    Object.assign(left, { type: "s_open", tag: "del", nesting: 1, content: "" })
    Object.assign(right, { type: "s_close", tag: "del", nesting: -1, content: "" })
  }
}
