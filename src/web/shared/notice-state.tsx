import { Tag } from "../kit/text.tsx"

const states = {
  delivered: ["good", "Delivered"],
  failed: ["bad", "Failed"],
  pending: ["plain", "Pending"],
  unsent: ["warn", "Unsent"],
} as const

export function NoticeState({ state }: { readonly state: keyof typeof states }) {
  const [tone, text] = states[state]
  return <Tag tone={tone}>{text}</Tag>
}
