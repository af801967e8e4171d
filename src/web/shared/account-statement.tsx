import type { RenderableProps } from "preact"
import { useRead } from "../client/use-read.ts"
import { ChoiceFilter, Filters, filterValue } from "../kit/filters.tsx"
import { Notice, Page, type PageProps, Ready } from "../kit/page.tsx"
import { monthInWords, StatementActions, StatementView } from "./statement.tsx"

interface AccountStatementProps extends Pick<PageProps, "title" | "up"> {
  readonly account: string
}

/** The statements of an account, one month at a time; the newest unless the address has another one. */
export function AccountStatement({ account, title, up, children }: RenderableProps<AccountStatementProps>) {
  const months = useRead("statements.months", { id: account })
  const known = months.data?.data.map(({ month }) => month) ?? []
  const asked = filterValue("month")
  const chosen = known.find((month) => month === asked) ?? known[0] ?? null
  return (
    <Page
      title={title}
      up={up}
      actions={chosen !== null && <StatementActions account={account} month={chosen} />}
    >
      <Ready reading={months} what="months">
        {() => (
          <Filters label="Choose a month">
            <ChoiceFilter
              name="month"
              label="Month"
              isFixed
              choices={known.map((month, index) => [index === 0 ? "" : month, monthInWords(month)])}
            />
          </Filters>
        )}
      </Ready>
      {chosen !== null && asked !== null && chosen !== asked && (
        <Notice tone="plain">
          {whyNot(asked)} {monthInWords(chosen)} is shown instead.
        </Notice>
      )}
      {chosen !== null && <StatementView account={account} month={chosen} />}
      {children}
    </Page>
  )
}

function whyNot(asked: string): string {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(asked)
    ? `There is no statement of ${monthInWords(asked)}.`
    : "The address has no month such as 2027-01."
}
