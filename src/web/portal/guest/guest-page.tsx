/** Portal pages without a session: sign-up, and links from mails. */
import { useState } from "preact/hooks"
import { addressOf, path, serviceName } from "../../client/address.ts"
import { Problem } from "../../client/request.ts"
import { session, ways } from "../../client/session.ts"
import { useLoad } from "../../client/use-read.ts"
import { Button } from "../../kit/dialog.tsx"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { ErrorBox, Loading, Ready } from "../../kit/page.tsx"
import { Secret } from "../../kit/secret.tsx"
import { toCommand } from "../../playground/call.ts"
import { firstApi } from "../../playground/offered-api.ts"
import { SignInPage } from "../../shell/sign-in.tsx"
import { useCatalog } from "../playground-catalog.ts"
import { GuestCard } from "./guest-card.tsx"
import { askForLink, confirmLink, firstKey, openedLink, readLink } from "./mail-link.ts"
import { Operator, Sent, SignUpPage, showNewTerms, Terms } from "./sign-up-page.tsx"

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

type Link = NonNullable<(typeof openedLink)["value"]>

const titles = {
  "sign-up": "Confirm your address",
  invitation: "You are invited",
  "sign-in": "Sign in to your account",
} as const satisfies Record<Link["kind"], string>

/** Uses a link only when its button is pressed: programs that check mails open the links in them. */
function ConfirmPage({ link }: { readonly link: Link }) {
  const title = titles[link.kind]
  return link.kind === "sign-in" ? (
    <GuestCard title={title}>
      <Form submit="Sign in" on401="" send={() => confirmLink(link, {})} />
      <OtherLink />
    </GuestCard>
  ) : (
    <NewAccount link={link} title={title} />
  )
}

/** Says what the link will make, and makes it. */
function NewAccount({ link, title }: { readonly link: Link; readonly title: string }) {
  const { data: offer, error, reload, show } = useLoad(`link ${link.token}`, () => readLink(link))
  if (offer === null) {
    const isRefused = error instanceof Problem && error.status < 500
    return (
      <GuestCard key="waiting" title={title}>
        {error === null ? (
          <Loading what="what the link is for" />
        ) : (
          <ErrorBox error={error} onRetry={isRefused ? undefined : reload} />
        )}
        <OtherLink />
      </GuestCard>
    )
  }
  return (
    <GuestCard key="ready" title={title}>
      <p>
        You get an account at {serviceName} on the plan <strong>{offer.plan}</strong>, and an API key that is
        shown only once.
      </p>
      <Form
        submit="Create my account"
        on401=""
        required={offer.terms === null ? {} : { terms: "Accept the terms to sign up." }}
        send={(values) =>
          confirmLink(link, {
            ...(values.text("name") !== "" && { name: values.text("name") }),
            ...(values.text("terms") !== "" && { terms: values.text("terms") }),
          }).catch((thrown) => showNewTerms(thrown, async () => show(await readLink(link))))
        }
      >
        {link.kind === "invitation" && (
          <TextField name="name" label="Name of your account" autocomplete="organization" />
        )}
        <Terms at={offer.terms} />
      </Form>
      <OtherLink />
    </GuestCard>
  )
}

function OtherLink() {
  return (
    <p class="muted small">
      The link does not work?{" "}
      <a href={addressOf("/")} onClick={forget}>
        Ask for another one
      </a>
    </p>
  )
}

function forget(): void {
  openedLink.value = null
}
