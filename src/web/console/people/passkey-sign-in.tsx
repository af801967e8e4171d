import { signInWithPasskey } from "../../client/passkeys.ts"
import { Form } from "../../kit/form.tsx"

/** The button that signs in with a passkey. */
export function PasskeySignIn() {
  return (
    <>
      <Form submit="Sign in with a passkey" on401="" send={signInWithPasskey} done={() => {}} />
      <p class="small muted">or with an admin key</p>
    </>
  )
}
