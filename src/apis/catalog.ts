import type { Companies } from "./bluetoothlookup/company-list.ts"
import { bluetoothlookup, createBluetoothlookup } from "./bluetoothlookup/index.ts"
import type { ApiDefinition } from "./contract.ts"
import { danevalidator } from "./danevalidator/index.ts"
import { gtinvalidator } from "./gtinvalidator/index.ts"
import { hmac } from "./hmac/index.ts"
import { ibanvalidator } from "./ibanvalidator/index.ts"
import { ipcalculator } from "./ipcalculator/index.ts"
import { linesorter } from "./linesorter/index.ts"
import { loanpaymentcalculator } from "./loanpaymentcalculator/index.ts"
import { spfvalidator } from "./spfvalidator/index.ts"
import { sunrisesunset } from "./sunrisesunset/index.ts"

/** Data that an operator can replace. */
export type CatalogData = { readonly bluetoothCompanies?: Companies }

/** Every API that penknife offers. A new API is a folder in `src/apis`, an import and a line here. */
export function createCatalog({ bluetoothCompanies }: CatalogData = {}): readonly ApiDefinition[] {
  return [
    hmac,
    loanpaymentcalculator,
    spfvalidator,
    danevalidator,
    linesorter,
    bluetoothCompanies ? createBluetoothlookup(bluetoothCompanies) : bluetoothlookup,
    sunrisesunset,
    ibanvalidator,
    gtinvalidator,
    ipcalculator,
  ]
}
