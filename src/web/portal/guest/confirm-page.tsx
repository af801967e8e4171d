import { useEffect, useState } from "preact/hooks"
import type { LinkOffer } from "../../../admin/sign-up/confirm.ts"
import { addressOf } from "../../client/address.ts"
import { serviceName } from "../../client/area.ts"
import { Problem, Unreachable } from "../../client/problem.ts"
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
      <Form submit="Sign in" send={() => confirm(link, {})} done={() => {}}>
        {null}
      </Form>
      <OtherLink />
    </GuestCard>
  ) : (
    <NewAccount link={link} title={title} />
  )
}

/** Says what the link will make, and makes it. */
function NewAccount({ link, title }: { readonly link: Link; readonly title: string }) {
  const [offer, setOffer] = useState<LinkOffer | null>(null)
  const [error, setError] = useState<Problem | Unreachable | null>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    setError(null)
    readLink(link).then(setOffer, (thrown) => {
      if (!(thrown instanceof Problem || thrown instanceof Unreachable)) throw thrown
      setError(thrown)
    })
  }, [link, tries])
  if (offer === null) {
    const isRefused = error instanceof Problem && error.status < 500
    return (
      <GuestCard key="waiting" title={title}>
        {error === null ? (
          <Loading what="what the link is for" />
        ) : (
          <ErrorBox error={error} onRetry={isRefused ? undefined : () => setTries(tries + 1)} />
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
        required={offer.terms === null ? {} : { terms: "Accept the terms to sign up." }}
        send={(values) =>
          confirm(link, {
            ...(values.text("name") !== "" && { name: values.text("name") }),
            ...(values.text("terms") !== "" && { terms: values.text("terms") }),
          }).catch((thrown) => showNewTerms(thrown, async () => setOffer(await readLink(link))))
        }
        done={() => {}}
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

/** The form shows a refused link above its fields. On a 401 forms wait for the sign-in form of the shell, which is not here. */
async function confirm(link: Link, given: Parameters<typeof confirmLink>[1]): Promise<void> {
  try {
    await confirmLink(link, given)
  } catch (thrown) {
    if (!(thrown instanceof Problem) || thrown.status !== 401) throw thrown
    throw new Problem(400, { detail: thrown.message })
  }
}

function forget(): void {
  openedLink.value = null
}
