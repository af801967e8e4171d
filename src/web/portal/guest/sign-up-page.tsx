import { useState } from "preact/hooks"
import { addressOf, serviceName } from "../../client/address.ts"
import { Problem } from "../../client/request.ts"
import { loadSession, ways } from "../../client/session.ts"
import { Button } from "../../kit/dialog.tsx"
import { CheckField, CheckGroup, TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { GuestCard } from "./guest-card.tsx"
import { askForLink } from "./mail-link.ts"

/** Asks for a link that makes an account. */
export function SignUpPage() {
  const [isSent, setSent] = useState(false)
  const offered = ways.value
  if (offered?.sign_up !== "open")
    return (
      <GuestCard title="Sign up">
        <HowElse />
        <SignInLink />
      </GuestCard>
    )
  if (isSent)
    return (
      <GuestCard title="Check your mail">
        <Sent again={() => setSent(false)} />
      </GuestCard>
    )
  return (
    <GuestCard title={`Sign up for ${serviceName}`}>
      <p>
        You get an account on the plan <strong>{offered.plan}</strong> and your first API key.
      </p>
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
            ...(values.text("terms") !== "" && { terms: values.text("terms") }),
          }).catch((thrown) => showNewTerms(thrown, loadSession))
        }
        done={() => setSent(true)}
      >
        <TextField name="email" label="E-mail" type="email" required autocomplete="email" />
        <TextField name="name" label="Name of your account" autocomplete="organization" />
        <Terms at={offered.terms} />
      </Form>
      <SignInLink />
    </GuestCard>
  )
}

/** How one gets an account where nobody signs up by mail. */
function HowElse() {
  const { sign_up = "off", by_mail = false, url = null } = ways.value ?? {}
  if (url !== null)
    return (
      <p>
        To get an account, go to <a href={url}>the sign-up page of {serviceName}</a>.
      </p>
    )
  return (
    <p>
      {sign_up === "off" && (
        <>
          You cannot sign up here by yourself. Ask <Operator /> for an account.
        </>
      )}
      {sign_up !== "off" && by_mail && (
        <>
          You need an invitation to sign up. If you have one, open the link in its mail. If not, ask{" "}
          <Operator />.
        </>
      )}
      {sign_up !== "off" && !by_mail && (
        <>
          This service sends no mail, so you cannot sign up by yourself. Ask <Operator /> for an invitation:
          its link creates your account.
        </>
      )}
    </p>
  )
}

/** The operator, with a link where one can be asked. */
export function Operator() {
  const contact = ways.value?.contact
  const text = `the operator of ${serviceName}`
  return contact ? <a href={contact}>{text}</a> : text
}

/**
 * Shows the present terms, where those that were accepted are others.
 * @param reload reads which terms are to be accepted
 * @throws what was thrown, and what `reload` throws
 */
export async function showNewTerms(thrown: unknown, reload: () => Promise<void>): Promise<never> {
  if (thrown instanceof Problem && thrown.parameter === "terms") await reload()
  throw thrown
}

/** The box for the terms at an address, which is its value. For others it is a new box that nobody has ticked. */
export function Terms({ at }: { readonly at: string | null }) {
  if (at === null) return null
  return (
    <CheckGroup name="terms" label="Terms">
      <CheckField key={at} name="terms" label="I accept the terms" value={at} />
      <p>
        <a href={at} target="_blank" rel="noreferrer">
          Read the terms
        </a>
      </p>
    </CheckGroup>
  )
}

function SignInLink() {
  return (
    <p class="muted small">
      Already have an account? <a href={addressOf("/")}>Sign in</a>
    </p>
  )
}

/** Says the same whether or not a mail was sent. */
export function Sent({ again }: { again(): void }) {
  return (
    <div class="stack gap-4" role="status">
      <p>
        If this address can be used here, a mail with a link is on its way. Open the link within an hour, in
        this browser.
      </p>
      <div class="actions row">
        <Button onClick={again}>Use another address</Button>
      </div>
    </div>
  )
}
