import type { ComponentChildren, RenderableProps } from "preact"
import { area, serviceName } from "../client/address.ts"
import type { Problem } from "../client/request.ts"
import { signIn } from "../client/session.ts"
import { TextField } from "../kit/field.tsx"
import { Form } from "../kit/form.tsx"
import { Mark } from "./mark.tsx"

const isConsole = area.kind === "console"
const keyName = isConsole ? "Admin key" : "API key"

interface SignInPageProps {
  readonly problem: Problem | null
  /** The portal's text below the form. */
  readonly hint?: ComponentChildren
}

/** The page for visitors who are not signed in. */
export function SignInPage({ problem, hint, children }: RenderableProps<SignInPageProps>) {
  return (
    <main class="sign-in" id="main">
      <div class="sign-in-card card stack gap-5">
        <Mark />
        <h1>{isConsole ? "Sign in to the console" : "Sign in to your account"}</h1>
        {problem && (
          <div class="error-box notice bad stack" role="alert">
            {problem.message}
          </div>
        )}
        {children}
        <SignInForm />
        <p class="muted small">
          {isConsole ? (
            <>
              On the machine that runs {serviceName}, <code>penknife console-link</code> prints a link that
              signs you in.
            </>
          ) : (
            hint
          )}
        </p>
      </div>
    </main>
  )
}

export function SignInForm() {
  return (
    <Form
      submit="Sign in"
      required={{
        key: isConsole ? "Type an admin key; it starts with pka-." : "Type an API key; it starts with pk-.",
      }}
      on401="key"
      send={(values) => signIn({ key: values.text("key") })}
    >
      <TextField
        name="key"
        label={keyName}
        type="password"
        required
        autocomplete="current-password"
        placeholder={isConsole ? "pka-…" : "pk-…"}
      />
    </Form>
  )
}
