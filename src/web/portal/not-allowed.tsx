import { session } from "../client/session.ts"
import { Notice } from "../kit/page.tsx"

/** Says why something cannot be done here: "change the webhook". */
export function NotAllowed({ what }: { readonly what: string }) {
  return (
    <Notice tone="plain">
      You cannot {what} here: either the plan {session.value?.account?.plan} does not allow it, or you signed
      in with a key that has limits of its own. Ask the operator of this service.
    </Notice>
  )
}
