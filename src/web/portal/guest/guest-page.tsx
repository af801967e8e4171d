/** What visitors of the portal see who are not signed in, or who have opened a link from a mail. */
import { useState } from "preact/hooks"
import { addressOf, path } from "../../client/address.ts"
import type { Problem } from "../../client/problem.ts"
import { ways } from "../../client/session.ts"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { SignInPage } from "../../shell/sign-in.tsx"
import { ConfirmPage } from "./confirm-page.tsx"
import { FirstKeyPage } from "./first-key-page.tsx"
import { askForLink, firstKey, openedLink } from "./mail-link.ts"
import { Sent, SignUpPage } from "./sign-up-page.tsx"

/** The page for a visitor. */
export function GuestPage({ problem }: { readonly problem: Problem | null }) {
  if (firstKey.value !== null) return <FirstKeyPage apiKey={firstKey.value} />
  if (openedLink.value !== null) return <ConfirmPage link={openedLink.value} />
  if (path.value === "/sign-up") return <SignUpPage />
  return <SignInPage problem={problem}>{ways.value?.by_mail && <MailSignIn />}</SignInPage>
}

/** Asks for a link to sign in. */
function MailSignIn() {
  const [isSent, setSent] = useState(false)
  if (isSent) return <Sent again={() => setSent(false)} />
  return (
    <section class="guest-part" aria-label="Sign in by e-mail">
      <Form
        submit="Send me a link"
        required={{ email: "Type the e-mail address of your account." }}
        send={(values) => askForLink({ for: "sign-in", email: values.text("email") })}
        done={() => setSent(true)}
      >
        <TextField name="email" label="E-mail" type="email" required autocomplete="email" />
      </Form>
      {ways.value?.sign_up === "open" && (
        <p>
          No account yet? <a href={addressOf("/sign-up")}>Sign up</a>
        </p>
      )}
    </section>
  )
}
