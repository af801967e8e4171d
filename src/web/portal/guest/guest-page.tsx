/** Portal pages without a session: sign-up, and links from mails. */
import { useState } from "preact/hooks"
import { addressOf, path } from "../../client/address.ts"
import { serviceName } from "../../client/area.ts"
import type { Problem } from "../../client/problem.ts"
import { session, ways } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { Secret } from "../../kit/secret.tsx"
import { Ready } from "../../kit/states.tsx"
import { toCommand } from "../../playground/call.ts"
import { firstApi } from "../../playground/offered-api.ts"
import { SignInPage } from "../../shell/sign-in.tsx"
import { useCatalog } from "../playground-catalog.ts"
import { ConfirmPage } from "./confirm-page.tsx"
import { GuestCard } from "./guest-card.tsx"
import { askForLink, firstKey, openedLink } from "./mail-link.ts"
import { Operator, Sent, SignUpPage } from "./sign-up-page.tsx"

/** The page for a visitor. */
export function GuestPage({ problem }: { readonly problem: Problem | null }) {
  if (firstKey.value !== null) return <FirstKeyPage apiKey={firstKey.value} />
  if (openedLink.value !== null) return <ConfirmPage link={openedLink.value} />
  if (path.value === "/sign-up") return <SignUpPage />
  return (
    <SignInPage problem={problem} hint={<Hint />}>
      {ways.value?.by_mail && <MailSignIn />}
    </SignInPage>
  )
}

/** Other ways in, below the form. */
function Hint() {
  const offered = ways.value
  const signUp = offered?.url ?? (offered?.sign_up === "open" ? addressOf("/sign-up") : null)
  return (
    <>
      The key is only used to sign in. This browser does not keep it.
      {!offered?.by_mail && (
        <>
          {" "}
          Without a key, ask <Operator /> for a link that signs you in.
        </>
      )}
      {signUp !== null && (
        <>
          {" "}
          No account yet? <a href={signUp}>Sign up</a>
        </>
      )}
    </>
  )
}

/** Asks for a link to sign in. */
function MailSignIn() {
  const [isSent, setSent] = useState(false)
  if (isSent) return <Sent again={() => setSent(false)} />
  return (
    <section class="guest-part stack gap-4" aria-label="Sign in by e-mail">
      <Form
        submit="Send me a link"
        required={{ email: "Type the e-mail address of your account." }}
        send={(values) => askForLink({ for: "sign-in", email: values.text("email") })}
        done={() => setSent(true)}
      >
        <TextField name="email" label="E-mail" type="email" required autocomplete="email" />
      </Form>
    </section>
  )
}

/** Shows the first key of a new account, once, with a call that works. */
function FirstKeyPage({ apiKey }: { readonly apiKey: string }) {
  const catalog = useCatalog()
  return (
    <GuestCard title={`Welcome to ${serviceName}`}>
      <p>
        Your account is on the plan <strong>{session.value?.account?.plan}</strong>.
      </p>
      <p>This is your API key. Copy it now: it is shown once and cannot be read again.</p>
      <Secret label="Key" text={apiKey} />
      <p>Your first call, in a terminal:</p>
      <Ready reading={catalog} what="the APIs">
        {(apis) => {
          const api = firstApi(apis)
          return api && <Secret label="First call" text={toCommand(api, apiKey)} />
        }}
      </Ready>
      <Button kind="primary" onClick={goOn}>
        I have copied the key
      </Button>
    </GuestCard>
  )
}

function goOn(): void {
  firstKey.value = null
}
