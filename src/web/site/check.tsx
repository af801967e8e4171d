/** The field of the landing page that checks a domain without a key, and the report below it. It is loaded when it is used. */
import { render } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Problem, Unreachable } from "../client/problem.ts"
import { ErrorBox, Loading } from "../kit/states.tsx"
import { sendCall } from "../playground/call.ts"
import { type AuditReport, Report, readReport } from "../playground/report.tsx"

let asked = 0

/** Asks for the report on a domain and shows it in its place. */
export function showCheck(place: HTMLElement, domain: string): void {
  // Another number makes another check, also of the same domain.
  render(<Check key={++asked} domain={domain} />, place)
}

type State = "loading" | { readonly report: AuditReport } | { readonly error: Problem | Unreachable }

function Check({ domain }: { readonly domain: string }) {
  const [state, setState] = useState<State>("loading")
  const [tries, setTries] = useState(0)
  useEffect(() => {
    let isShown = true
    setState("loading")
    ask(domain).then(
      (report) => isShown && setState({ report }),
      (error) => {
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error
        if (isShown) setState({ error })
      },
    )
    return () => {
      isShown = false
    }
  }, [tries])
  return (
    <div class="check-result">
      {state === "loading" && <Loading what={`what the DNS says of ${domain}`} />}
      {state !== "loading" && "error" in state && (
        <ErrorBox
          error={state.error}
          // Another domain is needed where the domain is wrong.
          onRetry={isMistyped(state.error) ? undefined : () => setTries(tries + 1)}
        />
      )}
      {state !== "loading" && "report" in state && (
        <>
          <p class="hidden" role="status">
            The report on {state.report.domain} is here.
          </p>
          <Report report={state.report} />
          <p class="hint">
            The same as an API, with what to change and for your own tools:{" "}
            <a href="/apis/mailaudit">mailaudit</a>.
          </p>
        </>
      )}
    </div>
  )
}

function isMistyped(error: Problem | Unreachable): boolean {
  return error instanceof Problem && error.status === 400
}

async function ask(domain: string): Promise<AuditReport> {
  const call = { method: "GET", url: `${location.origin}/v1/mailaudit`, key: "", input: { domain } } as const
  const { status, body, error } = await sendCall(call, null)
  const report = error === null ? readReport(body) : null
  if (report) return report
  throw new Problem(status, { detail: error ?? body })
}
