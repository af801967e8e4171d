import { ownAccount } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { ChoiceFilter, Filters, filterValue } from "../../kit/filters.tsx"
import { Page, Section } from "../../kit/page.tsx"
import { Ready } from "../../kit/states.tsx"
import { Adjustments } from "../../shared/adjustments.tsx"
import { monthInWords, StatementActions, StatementView } from "../../shared/statement.tsx"

/** The customer's own statements, and what was added to the bonus or taken from it. */
export function StatementsScreen() {
  const id = ownAccount()
  const months = useRead("statements.months", { id })
  const chosen = filterValue("month") ?? months.data?.data[0]?.month ?? null
  return (
    <Page title="Statements" actions={chosen !== null && <StatementActions account={id} month={chosen} />}>
      <Ready reading={months} what="months">
        {({ data }) => (
          <Filters label="Choose a month">
            <ChoiceFilter
              name="month"
              label="Month"
              choices={data.map(({ month }, index) => [index === 0 ? "" : month, monthInWords(month)])}
            />
          </Filters>
        )}
      </Ready>
      {chosen !== null && <StatementView account={id} month={chosen} />}
      <Section title="Adjustments of credits">
        <Adjustments account={id} />
      </Section>
    </Page>
  )
}
