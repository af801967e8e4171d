import { Tag } from "../kit/text.tsx"

export function NoticeState({ state }: { readonly state: string }) {
  const tone = { delivered: "good", failed: "bad", pending: "plain", unsent: "warn" } as const
  return <Tag tone={state in tone ? tone[state as keyof typeof tone] : "plain"}>{state}</Tag>
}
