import { readTimeZones } from "../values/time-zones/zone-data.ts"
import { barcodegenerator } from "./barcodegenerator/index.ts"
import { bimivalidator } from "./bimivalidator/index.ts"
import { readCompanies } from "./bluetoothlookup/company-list.ts"
import { bluetoothlookup, createBluetoothlookup } from "./bluetoothlookup/index.ts"
import { caavalidator } from "./caavalidator/index.ts"
import { cardvalidator } from "./cardvalidator/index.ts"
import { certificatedecoder } from "./certificatedecoder/index.ts"
import type { ApiDefinition } from "./contract.ts"
import { createCronparser, cronparser } from "./cronparser/index.ts"
import { createDanelookup, danelookup } from "./danelookup/index.ts"
import { danevalidator } from "./danevalidator/index.ts"
import { dataconverter } from "./dataconverter/index.ts"
import { dkimvalidator, lookUpKey } from "./dkimvalidator/index.ts"
import { dmarcvalidator } from "./dmarcvalidator/index.ts"
import { dnslookup } from "./dnslookup/index.ts"
import { createDnssecvalidator, dnssecvalidator } from "./dnssecvalidator/index.ts"
import { readDisposableDomains } from "./emailvalidator/disposable.ts"
import { createEmailvalidator, emailvalidator } from "./emailvalidator/index.ts"
import { geodistance } from "./geodistance/index.ts"
import { gtinvalidator } from "./gtinvalidator/index.ts"
import { hmac } from "./hmac/index.ts"
import { createIbanvalidator, ibanvalidator } from "./ibanvalidator/index.ts"
import { readRegistry } from "./ibanvalidator/registry.ts"
import { createIpcalculator, ipcalculator } from "./ipcalculator/index.ts"
import { readRegistries } from "./ipcalculator/read-registries.ts"
import { jsondiff } from "./jsondiff/index.ts"
import { jsonpath } from "./jsonpath/index.ts"
import { jsonschemavalidator } from "./jsonschemavalidator/index.ts"
import { jwtdecoder } from "./jwtdecoder/index.ts"
import { linesorter } from "./linesorter/index.ts"
import { loanpaymentcalculator } from "./loanpaymentcalculator/index.ts"
import { createMacvendor, macvendor } from "./macvendor/index.ts"
import { readVendors } from "./macvendor/vendor-list.ts"
import { createMailaudit } from "./mailaudit/index.ts"
import { mailreportparser } from "./mailreportparser/index.ts"
import { markdownconverter } from "./markdownconverter/index.ts"
import { messageauth } from "./messageauth/index.ts"
import { mtastsvalidator } from "./mtastsvalidator/index.ts"
import { phonevalidator } from "./phonevalidator/index.ts"
import { qrcodegenerator } from "./qrcodegenerator/index.ts"
import { reversedns } from "./reversedns/index.ts"
import { spfvalidator } from "./spfvalidator/index.ts"
import { createSunrisesunset, sunrisesunset } from "./sunrisesunset/index.ts"
import { createTimezoneconverter, timezoneconverter } from "./timezoneconverter/index.ts"
import { tlsrptvalidator } from "./tlsrptvalidator/index.ts"
import { vatvalidator } from "./vatvalidator/index.ts"

const documents = [".json", ".yaml", ".yml"] as const

/**
 * The lists that `--data` can replace: for each the name of its file, the endings that the file may have, and its reader. A
 * reader throws for a wrong list.
 */
export const dataLists = {
  "bluetooth-companies": { endings: documents, read: readCompanies },
  "disposable-domains": { endings: [".txt", ".conf"], read: readDisposableDomains },
  "iban-registry": { endings: documents, read: readRegistry },
  "mac-vendors": { endings: documents, read: readVendors },
  "special-purpose-addresses": { endings: [".csv"], read: readRegistries },
  "time-zones": { endings: [".json"], read: readTimeZones },
} as const

/** The operator's lists by their names. */
export type CatalogData = {
  readonly [Name in keyof typeof dataLists]?: Awaited<ReturnType<(typeof dataLists)[Name]["read"]>>
}

/** The mail audit, which asks other APIs: those that check signatures depend on the trust anchors. */
function auditBy(dnssec: typeof dnssecvalidator, dane: typeof danelookup) {
  return createMailaudit({
    ...{ spf: spfvalidator, dmarc: dmarcvalidator, dkim: { run: lookUpKey }, caa: caavalidator },
    ...{
      tlsrpt: tlsrptvalidator,
      mtaSts: mtastsvalidator,
      bimi: bimivalidator,
      reverse: reversedns,
      dnssec,
      dane,
    },
  })
}

export const mailaudit = auditBy(dnssecvalidator, danelookup)

/**
 * Every API that penknife offers. A new API is a folder in `src/apis`, an import and a line here.
 * @param anchors the keys of the DNS's own root; those of the root of the Internet by default
 */
export function createCatalog(
  {
    "bluetooth-companies": companies,
    "disposable-domains": disposable,
    "iban-registry": registry,
    "mac-vendors": vendors,
    "special-purpose-addresses": purposes,
    "time-zones": zones,
  }: CatalogData = {},
  anchors?: Parameters<typeof createDnssecvalidator>[0],
): readonly ApiDefinition[] {
  const dnssec = anchors ? createDnssecvalidator(anchors) : dnssecvalidator
  const dane = anchors ? createDanelookup(anchors) : danelookup
  return [
    hmac,
    loanpaymentcalculator,
    spfvalidator,
    danevalidator,
    dnssec,
    linesorter,
    companies ? createBluetoothlookup(companies) : bluetoothlookup,
    zones ? createSunrisesunset(zones) : sunrisesunset,
    registry ? createIbanvalidator(registry) : ibanvalidator,
    gtinvalidator,
    purposes ? createIpcalculator(purposes) : ipcalculator,
    vatvalidator,
    phonevalidator,
    cardvalidator,
    zones ? createCronparser(zones) : cronparser,
    zones ? createTimezoneconverter(zones) : timezoneconverter,
    disposable ? createEmailvalidator(disposable) : emailvalidator,
    dataconverter,
    geodistance,
    jsondiff,
    jsonpath,
    markdownconverter,
    qrcodegenerator,
    barcodegenerator,
    jwtdecoder,
    certificatedecoder,
    vendors ? createMacvendor(vendors) : macvendor,
    jsonschemavalidator,
    dnslookup,
    reversedns,
    caavalidator,
    tlsrptvalidator,
    mtastsvalidator,
    dmarcvalidator,
    dkimvalidator,
    bimivalidator,
    dane,
    mailreportparser,
    messageauth,
    anchors ? auditBy(dnssec, dane) : mailaudit,
  ]
}
