import { type Html, html } from "./html.ts"
import { referencePage } from "./reference-page.ts"
import type { RuleId, rulesOf } from "./rule-list.ts"
import { creditsRule, errorsRule, formatsRule, identityRule, limitsRule } from "./rules-of-calls.ts"
import { batchRule, graphqlRule, mcpRule } from "./rules-of-surfaces.ts"
import type { Site, WritePage } from "./site.ts"

const contents: Readonly<Record<RuleId, (site: Site) => Html>> = {
  identity: identityRule,
  errors: errorsRule,
  formats: formatsRule,
  limits: limitsRule,
  credits: creditsRule,
  batch: batchRule,
  graphql: graphqlRule,
  mcp: mcpRule,
}

/** The page of a rule that holds for every API. */
export function rulePage(
  site: Site,
  { id, title, summary }: ReturnType<typeof rulesOf>[number],
  write: WritePage,
): string {
  return referencePage(
    site,
    {
      name: title,
      description: summary,
      path: `/docs/${id}`,
      article: html`<header><h1>${title}</h1><p class="lead">${summary}</p></header>
${contents[id](site)}`,
    },
    write,
  )
}
