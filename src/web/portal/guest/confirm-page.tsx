import { addressOf } from "../../client/address.ts"
import { serviceName } from "../../client/area.ts"
import { Problem } from "../../client/problem.ts"
import { useLoad } from "../../client/use-read.ts"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { ErrorBox, Loading } from "../../kit/states.tsx"
import { GuestCard } from "./guest-card.tsx"
import { confirmLink, openedLink, readLink } from "./mail-link.ts"
import { showNewTerms, Terms } from "./sign-up-page.tsx"

type Link = NonNullable<(typeof openedLink)["value"]>

const titles = {
  "sign-up": "Confirm your address",
  invitation: "You are invited",
  "sign-in": "Sign in to your account",
} as const satisfies Record<Link["kind"], string>

/** Uses a link only when its button is pressed: programs that check mails open the links in them. */
export function ConfirmPage({ link }: { readonly link: Link }) {
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
