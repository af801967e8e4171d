import { nowMs } from "../client/browser.ts"
import type { AnswerOf, OwnKey } from "../client/operations.ts"
import { Tag } from "../kit/text.tsx"

type KeyStateName = AnswerOf<"keys.find">["state"]

/** A key may have no name. */
export function nameOf({ name, id }: Pick<OwnKey, "name" | "id">): string {
  return name === "" ? id : name
}

/** The state of a key now. */
export function stateOf({ revoked, disabled, expires }: OwnKey): KeyStateName {
  if (revoked !== null) return "revoked"
  if (disabled !== null) return "disabled"
  return expires !== null && new Date(expires).getTime() <= nowMs() ? "expired" : "works"
}

const tones = {
  works: ["good", "Active"],
  revoked: ["bad", "Revoked"],
  disabled: ["warn", "Disabled"],
  expired: ["plain", "Expired"],
  rotated: ["plain", "Rotated"],
  "account-closed": ["plain", "Account closed"],
} as const

/** The state of a key as a coloured word. */
export function KeyState({ state }: { readonly state: KeyStateName }) {
  const [tone, text] = tones[state]
  return <Tag tone={tone}>{text}</Tag>
}
