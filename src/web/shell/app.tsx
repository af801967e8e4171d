import type { ReadonlySignal } from "@preact/signals"
import { type ComponentType, render } from "preact"
import { useEffect, useState } from "preact/hooks"
import { area, followLinks, path, serviceName } from "../client/address.ts"
import { isReachable, returns } from "../client/connection.ts"
import { hasEnded, Problem, type Unreachable } from "../client/request.ts"
import { loadSession, may, session, signIn, takeLinkToken } from "../client/session.ts"
import { Dialog, Status } from "../kit/dialog.tsx"
import { Empty, ErrorBox, Loading, Page } from "../kit/page.tsx"
import { Frame, type Screen, type SearchWindow } from "./frame.tsx"
import { Mark } from "./mark.tsx"
import { SignInForm, SignInPage } from "./sign-in.tsx"

/** Parts that a front end may have besides its screens. */
interface AppParts {
  /** Shown above the form that signs in with a key. */
  readonly otherSignIn?: ComponentType
  /** Pages for visitors, instead of the page for signing in, and whether they are shown although someone may be signed in. */
  readonly guests?: {
    readonly Page: ComponentType<{ readonly problem: Problem | null }>
    readonly covers: ReadonlySignal<boolean>
  }
  /** Searches from every screen. */
  readonly search?: SearchWindow
}

/** Shows the front end in the page. */
export function startApp(screens: readonly Screen[], parts: AppParts): void {
  const token = takeLinkToken()
  followLinks()
  document.title = serviceName
  const root = document.getElementById("app")
  if (root === null) throw new Error("the page has no place for the app")
  hideWhatIsLeft(root)
  render(<App {...parts} screens={screens} token={token} />, root)
}

/** A browser may cache a page and show it again on the way back, even after the session has ended. */
function hideWhatIsLeft(root: HTMLElement): void {
  addEventListener("pagehide", () => {
    root.hidden = true
  })
  addEventListener("pageshow", (event) => {
    if (event instanceof PageTransitionEvent && event.persisted) location.reload()
  })
}

interface AppProps extends AppParts {
  readonly screens: readonly Screen[]
  /** The token of a one-time link. */
  readonly token: string | null
}

function App({ token, ...parts }: AppProps) {
  const { error, retry } = useStart(token)
  const { guests, otherSignIn: Other } = parts
  const problem = error instanceof Problem ? error : null
  return (
    <>
      <ConnectionBanner />
      {guests?.covers.value && session.value !== undefined ? (
        <guests.Page problem={null} />
      ) : session.value ? (
        // The key removes all content of one customer before another's is shown.
        <SignedIn key={session.value.account?.id} {...parts} />
      ) : session.value === undefined ? (
        <main class="start stack gap-5" id="main">
          <Mark />
          {problem ? <ErrorBox error={problem} onRetry={retry} /> : <Loading what={serviceName} />}
        </main>
      ) : guests ? (
        <guests.Page problem={problem} />
      ) : (
        <SignInPage problem={problem}>{Other && <Other />}</SignInPage>
      )}
      <Status />
    </>
  )
}

/** Signs in with the token of a link, or finds out who is signed in. */
function useStart(token: string | null) {
  const [error, setError] = useState<Problem | Unreachable | null>(null)
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (session.peek() === undefined) start(token).then(setError, setError)
  }, [count, returns.value])
  return { error, retry: () => setCount((before) => before + 1) }
}

/** Returns why a link was refused; null if it was not. */
async function start(token: string | null): Promise<Problem | null> {
  if (token === null) {
    await loadSession()
    return null
  }
  try {
    await signIn({ token })
    return null
  } catch (thrown) {
    if (!(thrown instanceof Problem) || thrown.status >= 500) throw thrown
    // Someone who opens a used link may be signed in already.
    await loadSession()
    return thrown
  }
}

function SignedIn({ screens, search, otherSignIn: Other }: Omit<AppProps, "token">) {
  const shown = screens.filter(({ operation }) => operation === null || may(operation))
  const current = path.value
  const screen = shown.find((each) => isWithin(current, each))
  return (
    <>
      <Frame screens={shown} search={search} current={screen ?? null}>
        {screen ? <ScreenOf screen={screen} current={current} /> : <NoScreen />}
      </Frame>
      {hasEnded.value && (
        <Dialog title="Sign in again" close={() => {}} mayClose={false}>
          <p class="dialog-text stack gap-3 muted">Your session has ended. Nothing that you typed is lost.</p>
          {Other && <Other />}
          <SignInForm />
        </Dialog>
      )}
    </>
  )
}

function ScreenOf({ screen, current }: { readonly screen: Screen; readonly current: string }) {
  const { component: Component, detail: Detail } = screen
  const rest = current.slice(screen.path.length + 1)
  if (rest === "" || current === "/") return <Component />
  // The key makes a new screen for each id, without what was typed on the last one.
  return Detail ? <Detail key={rest} id={decode(rest)} /> : <NoScreen />
}

/** Invalid percent-encoding is returned unchanged: nothing has such an id. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function isWithin(current: string, { path, detail }: Screen): boolean {
  if (current === path) return true
  return detail !== undefined && path !== "/" && current.startsWith(`${path}/`)
}

function NoScreen() {
  return (
    <Page title="Not found">
      <Empty
        title="There is no such screen"
        action={<a href={area.base}>{area.kind === "console" ? "Overview" : "Keys"}</a>}
      >
        It may have moved, or you may not be allowed to see it.
      </Empty>
    </Page>
  )
}

/** Says that the service does not answer, as long as it does not. */
function ConnectionBanner() {
  return (
    <div role="status" class={isReachable.value ? "banner" : "banner shown"}>
      {!isReachable.value && (
        <p>
          <strong>The service cannot be reached.</strong> It is tried again by itself. What you see may be
          old; nothing that you typed is lost.
        </p>
      )}
    </div>
  )
}
