import type { Plan } from "../../accounts/plan.ts"
import { group } from "../../values/text.ts"
import { type Html, html, type Offer, type Site, type WritePage } from "./site.ts"

/** The plans that the operator offers, each with what it costs and what one gets. Nothing without plans. */
export function plansSection({ offer, apis }: Site): Html | null {
  const { plans } = offer
  if (plans.length === 0) return null
  const prices = apis.map(({ credits }) => credits)
  const [least, most] = [Math.min(...prices), Math.max(...prices)]
  const cost = least === most ? countText(least, "credit") : `${group(least)} to ${countText(most, "credit")}`
  return html`<section id="plans" class="inner" aria-labelledby="plans-heading">
<h2 id="plans-heading">Plans</h2>
<p class="lead muted">A successful call costs ${cost}, depending on the API. Refused calls are free.</p>
<ul class="plans">${plans.map((plan) => planCard(plan, offer))}</ul>
</section>`
}

function planCard(plan: Plan, offer: Offer): Html {
  const { name, price, description, highlight } = plan
  const shown = shownName(name)
  return html`<li class="plan box${highlight && " highlight"}">
${highlight && html`<p class="tag badge">Recommended</p>`}
<h3>${shown}</h3>
${price !== null && price.toLowerCase() !== name.toLowerCase() && html`<p class="plan-price">${price}</p>`}
${description !== null && html`<p class="muted">${description}</p>`}
<ul class="plan-facts">${factsOf(plan).map((fact) => html`<li>${fact}</li>`)}</ul>
${planAction(plan, offer)}
</li>`
}

/** Customers who sign up by themselves begin with one plan, and ask for another: the card of the other says so. */
function planAction({ name, highlight }: Plan, { signUp, signUpPlan, contact }: Offer): Html | null {
  if (signUp === null) return null
  const shown = shownName(name)
  const button = (text: string, label: string) =>
    html`<a class="button${highlight && " primary"}" href="${signUp}" aria-label="${label}">${text}</a>`
  if (signUpPlan === null || signUpPlan === name)
    return html`<p class="plan-action stack">${button("Sign up", `Sign up for ${shown}`)}</p>`
  const first = `Start with ${shownName(signUpPlan)}`
  return html`<div class="plan-action stack"><p class="hint">Then ask ${operator({ contact }, "the operator")} for ${shown}.</p>
${button(first, `${first}, then ask for ${shown}`)}</div>`
}

/** The operator, with a link where one can be asked. */
export function operator({ contact }: Pick<Offer, "contact">, text = "the operator of this service"): Html {
  return contact === null ? html`${text}` : html`<a href="${contact}">${text}</a>`
}

function shownName(plan: string): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1)
}

function factsOf({ monthlyCredits, signUpBonus, requestsPerMinute, premium, graphqlApis }: Plan) {
  return [
    monthlyCredits === null ? "Credits without a limit" : `${countText(monthlyCredits, "credit")} a month`,
    signUpBonus > 0 && `${countText(signUpBonus, "credit")} more at sign-up`,
    requestsPerMinute === null
      ? "No limit on calls a minute"
      : `${countText(requestsPerMinute, "call")} a minute`,
    premium ? "All fields of answers" : "Answers without premium fields",
    graphqlApis !== 1 &&
      (graphqlApis === null
        ? "Any number of APIs in a GraphQL query"
        : `${graphqlApis} APIs in a GraphQL query`),
  ].filter((fact) => fact !== false)
}

/** The prices of the plans, in a line. Null where prices are too long or too many for that. */
export function costLine({ offer: { plans } }: Site): Html | null {
  const prices = plans.flatMap(({ price }) => price ?? [])
  const line = prices.join(" · ")
  return prices.length > 0 && line.length <= 60
    ? html`<p class="costs">Plans: <a href="#plans">${line}</a></p>`
    : null
}

/** A number of things: "1 call", "1,000 credits". */
export function countText(count: number, thing: string): string {
  return `${group(count)} ${thing}${count === 1 ? "" : "s"}`
}

/** The API whose answer is a report on a domain. */
const audit = "mailaudit"

/** Whether guests may check a domain. */
export function hasDomainCheck({ apis, guests }: Site): boolean {
  return guests?.apis.has(audit) === true && apis.some(({ definition }) => definition.id === audit)
}

/**
 * A field that checks a domain without a key, where guests may: the script shows the report, without it the answer is JSON.
 * @param isPage whether it is the page at `/check`, whose heading it then has
 */
export function domainCheck(site: Site, isPage = false): Html | null {
  if (!site.guests || !hasDomainCheck(site)) return null
  const { signUp, plans } = site.offer
  const checks = countText(site.guests.callsPerMinute, "check")
  const label = html`<label for="domain">Check a domain</label>`
  return html`<section class="domain-check" aria-label="Domain">
<div class="inner">
<form action="/v1/${audit}" method="get" id="check">
${isPage ? html`<h1>${label}</h1>` : label}
<div class="check-line row"><input id="domain" name="domain" required maxlength="1000" placeholder="example.com" autocomplete="off" autocapitalize="none" spellcheck="false" inputmode="url" aria-describedby="check-hint"><button class="button primary">Check</button></div>
<p class="hint" id="check-hint">Does its mail arrive, and can others forge it? Type a domain, or paste an e-mail address or the address of a page. The report has a grade from A to F and covers SPF, DKIM, DMARC, DNSSEC and more. You need no key for up to ${checks} a minute.</p>
</form>
<div id="check-answer"${plans.length > 0 && html` data-plans`}${signUp !== null && html` data-sign-up="${signUp}"`}></div>
</div>
</section>`
}

/** The page at `/check`: of a domain, if its path has one, whose report the script shows. */
export function checkPage(site: Site, write: WritePage): string {
  return write({
    name: "Check a domain",
    description: "Checks whether the mail of a domain arrives, and whether others can forge it.",
    main: html`${domainCheck(site, true)}<noscript><div class="inner"><p>The report needs JavaScript. Without it the answer is JSON.</p></div></noscript>`,
  })
}
