import { signInWithPasskey } from "../../client/passkeys.ts"
import { Problem } from "../../client/problem.ts"
import { Form } from "../../kit/form.tsx"

/** The button that signs in with a passkey. */
export function PasskeySignIn() {
  return (
    <>
      <Form submit="Sign in with a passkey" send={signInHere} done={() => {}}>
        {null}
      </Form>
      <p class="small muted">or with an admin key</p>
    </>
  )
}

/** A refusal is shown above the button: nobody has to sign in first, as for another 401. */
async function signInHere(): Promise<void> {
  try {
    await signInWithPasskey()
  } catch (thrown) {
    if (!(thrown instanceof Problem) || thrown.status !== 401) throw thrown
    throw new Problem(400, { detail: thrown.message })
  }
}
