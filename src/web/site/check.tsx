/** The field of the landing page that checks a domain without a key, and the report below it. It is loaded when it is used. */
import { render } from "preact"
import { Problem } from "../client/request.ts"
import { useLoad } from "../client/use-read.ts"
import { ErrorBox, Loading } from "../kit/page.tsx"
import { sendCall } from "../playground/call.ts"
import { type AuditReport, Report, readReport } from "../playground/report.tsx"

/** Asks for the report on a domain and shows it in its place, whose `data-` attributes say what the operator offers. */
export function showCheck(place: HTMLElement, domain: string): void {
  render(<Check domain={domain} offer={place.dataset} />, place)
}

interface CheckProps {
  readonly domain: string
  /** The attributes of the place: where one signs up, and whether there are plans to see. */
  readonly offer: DOMStringMap
}

function Check({ domain, offer }: CheckProps) {
  const { data: report, error, isLoading, reload } = useLoad(domain, () => ask(domain))
  // Another domain is needed where the domain is wrong.
  const isMistyped = error instanceof Problem && error.status === 400
  return (
    <div class="check-result box">
      {isLoading && <Loading what={`what the DNS says of ${domain}`} />}
      {error && <ErrorBox error={error} onRetry={isMistyped ? undefined : reload} />}
      {report && (
        <>
          <p class="hidden" role="status">
            The report on {report.domain} is here.
          </p>
          <h2>Report on {report.domain}</h2>
          <Report report={report} />
          {report.fixes === undefined && <PaidPart report={report} offer={offer} />}
          <p class="hint">
            To share the report, copy the address of this page: it makes the report anew. For your own tools
            it is an API: <a href="/apis/mailaudit">mailaudit</a>.
          </p>
        </>
      )}
    </div>
  )
}

/** The parts that the answer to a call on a paid plan adds to this one. */
function PaidPart({ report, offer }: { readonly report: AuditReport; readonly offer: DOMStringMap }) {
  const count = report.checks.filter(({ advice }) => advice !== null).length
  if (count === 0) return null
  return (
    <section class="card" aria-label="What a paid answer adds">
      <h3>What a paid answer adds</h3>
      <p>
        How to mend {count === 1 ? "this point" : `these ${count} points`}: the records and files to publish,
        ready to paste into the zone file, those that bring most points first. It comes with a key of a plan
        with all fields.
      </p>
      <p class="actions row gap-3">
        {offer.signUp !== undefined && (
          <a class="button primary" href={offer.signUp}>
            Sign up
          </a>
        )}
        {offer.plans !== undefined && (
          <a class="button" href="/#plans">
            See the plans
          </a>
        )}
        <a class="button" href="/apis/mailaudit">
          See the whole answer
        </a>
      </p>
    </section>
  )
}

async function ask(domain: string): Promise<AuditReport> {
  const call = { method: "GET", url: `${location.origin}/v1/mailaudit`, key: "", input: { domain } } as const
  const { status, body, error } = await sendCall(call, null)
  const report = error === null ? readReport(body) : null
  if (report) return report
  throw new Problem(status, { detail: error ?? body })
}
