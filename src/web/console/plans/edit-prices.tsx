import { TextField } from "../../kit/field.tsx"
import { ChangeWindow } from "./change-window.tsx"

interface EditPricesProps {
  readonly prices: Readonly<Record<string, number>>
  readonly version: number
  close(): void
  changed(version: number | null): void
}

export function EditPrices({ prices, version, close, changed }: EditPricesProps) {
  const apis = Object.keys(prices)
  return (
    <ChangeWindow
      title="Edit prices"
      version={version}
      numbers={apis}
      required={Object.fromEntries(apis.map((api) => [api, "Type a whole number, such as 1."]))}
      toChanges={(values) =>
        Object.fromEntries(
          apis
            .map((api) => [`credits.${api}`, Number(values.text(api))] as const)
            .filter(([name, value]) => prices[name.slice("credits.".length)] !== value),
        )
      }
      close={close}
      changed={changed}
    >
      <p class="muted">Credits of one call. Calls that are under way keep the price with which they began.</p>
      <div class="field-grid">
        {apis.map((api) => (
          <TextField key={api} name={api} label={api} type="number" required value={String(prices[api])} />
        ))}
      </div>
    </ChangeWindow>
  )
}
