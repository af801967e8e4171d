import { addressOf } from "../../client/address.ts"
import { serviceName } from "../../client/area.ts"
import { Problem } from "../../client/problem.ts"
import { ways } from "../../client/session.ts"
import { TextField } from "../../kit/field.tsx"
import { Form } from "../../kit/form.tsx"
import { GuestCard } from "./guest-card.tsx"
import { confirmLink, openedLink } from "./mail-link.ts"
import { Terms } from "./sign-up-page.tsx"

type Link = NonNullable<(typeof openedLink)["value"]>

const texts = {
  "sign-up": ["Confirm your address", "Create my account"],
  invitation: ["You are invited", "Create my account"],
  "sign-in": ["Sign in to your account", "Sign in"],
} as const satisfies Record<Link["kind"], readonly [title: string, button: string]>

/** Uses a link only when its button is pressed: programs that check mails open the links in them. */
export function ConfirmPage({ link }: { readonly link: Link }) {
  const [title, button] = texts[link.kind]
  return (
    <GuestCard title={title}>
      {link.kind !== "sign-in" && (
        <p>
          You get an account at {serviceName}
          {link.kind === "sign-up" && ways.value && (
            <>
              {" "}
              on the plan <strong>{ways.value.plan}</strong>
            </>
          )}
          , and an API key, which is shown once.
        </p>
      )}
      <Form
        submit={button}
        required={
          link.kind === "invitation" && ways.value?.terms ? { terms: "Accept the terms to sign up." } : {}
        }
        send={(values) => confirm(link, values.text("name"), values.isTicked("terms"))}
        done={() => {}}
      >
        {link.kind === "invitation" && (
          <>
            <TextField name="name" label="Name of your account" autocomplete="organization" />
            {ways.value && <Terms />}
          </>
        )}
      </Form>
      <p class="muted small">
        The link does not work?{" "}
        <a href={addressOf("/")} onClick={forget}>
          Ask for another one
        </a>
      </p>
    </GuestCard>
  )
}

/** The form shows a refused link above its fields. On a 401 forms wait for the sign-in form of the shell, which is not here. */
async function confirm(link: Link, name: string, terms: boolean): Promise<void> {
  try {
    await confirmLink(link, { ...(name !== "" && { name }), ...(terms && { terms }) })
  } catch (thrown) {
    if (!(thrown instanceof Problem) || thrown.status !== 401) throw thrown
    throw new Problem(400, { detail: thrown.message })
  }
}

function forget(): void {
  openedLink.value = null
}
