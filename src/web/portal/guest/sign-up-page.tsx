import { useState } from "preact/hooks"
import { addressOf } from "../../client/address.ts"
import { serviceName } from "../../client/area.ts"
import { ways } from "../../client/session.ts"
import { Button } from "../../kit/button.tsx"
import { CheckField, CheckGroup, TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { GuestCard } from "./guest-card.tsx"
import { askForLink } from "./mail-link.ts"

/** Asks for a link that makes an account. */
export function SignUpPage() {
  const [isSent, setSent] = useState(false)
  const offered = ways.value
  if (offered?.sign_up !== "open") {
    return (
      <GuestCard title="Sign up">
        <p>
          {offered?.sign_up === "invite"
            ? "Accounts are for those who were invited: open the link in your mail."
            : `Accounts are made by the operator of ${serviceName}.`}
        </p>
        <SignInLink />
      </GuestCard>
    )
  }
  if (isSent) {
    return (
      <GuestCard title="Look into your mail">
        <Sent again={() => setSent(false)} />
      </GuestCard>
    )
  }
  return (
    <GuestCard title={`Sign up to ${serviceName}`}>
      <Form
        submit="Send me a link"
        required={{
          email: "Type your e-mail address.",
          ...(offered.terms !== null && { terms: "Accept the terms to sign up." }),
        }}
        send={(values) =>
          askForLink({
            for: "sign-up",
            email: values.text("email"),
            ...(values.text("name") !== "" && { name: values.text("name") }),
            ...(values.isTicked("terms") && { terms: true }),
          })
        }
        done={() => setSent(true)}
      >
        <TextField name="email" label="E-mail" type="email" required autocomplete="email" />
        <TextField name="name" label="Name of your account" autocomplete="organization" />
        <Terms />
      </Form>
      <SignInLink />
    </GuestCard>
  )
}

/** The box for the terms, where there are any. */
export function Terms() {
  const terms = ways.value?.terms
  if (!terms) return null
  return (
    <CheckGroup name="terms" label="Terms">
      <CheckField name="terms" label="I accept the terms" />
      <p>
        <a href={terms} target="_blank" rel="noreferrer">
          Read the terms
        </a>
      </p>
    </CheckGroup>
  )
}

function SignInLink() {
  return (
    <p class="muted small">
      You have an account? <a href={addressOf("/")}>Sign in</a>
    </p>
  )
}

/** Says the same whether or not a mail was sent. */
export function Sent({ again }: { again(): void }) {
  return (
    <div class="guest-part" role="status">
      <p>
        If this address can be used here, a mail with a link is on its way. Open the link in this browser,
        within an hour.
      </p>
      <Button kind="quiet" onClick={again}>
        Use another address
      </Button>
    </div>
  )
}
