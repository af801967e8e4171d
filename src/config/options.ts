import { logLevels } from "../ports/log.ts"
import { defineOptions, file, fixed, inTable, many, type Option, one, plan, toggle } from "./define-option.ts"
import texts from "./options.json"
import {
  type AdminPlace,
  adminPlace,
  backupInterval,
  contact,
  dnsServer,
  hosts,
  instant,
  integer,
  link,
  mailAddress,
  mailDomain,
  network,
  oneOf,
  opaqueColor,
  origin,
  share,
  smtpUrl,
  text,
  title,
  webhookUrl,
} from "./readers.ts"

const clockModes = ["stopped", "real"] as const
const signingClocks = ["machine", "mock"] as const
const logFormats = ["auto", "json", "pretty"] as const
const signUpModes = ["off", "invite", "open"] as const
const seedTimeMs = Date.UTC(2025, 0, 1)

/** The settings of `serve`. */
export const options = defineOptions(texts.serve, {
  host: fixed(one(text, "127.0.0.1")),
  port: fixed(one(integer(0, 65_535), 8080)),
  db: fixed(one(text, "penknife.db")),
  workers: fixed(one(integer(1, 64), 1)),
  admin: fixed(one<AdminPlace, AdminPlace>(adminPlace, "same")),
  dnsServers: fixed(many(dnsServer)),
  noOutbound: fixed(toggle()),
  backupDir: fixed(one(text, null)),
  backupEverySeconds: fixed(one(backupInterval, null)),
  backupKeep: fixed(one(integer(1, 10_000), 7)),
  trustedProxies: many(network),
  webhookPorts: many(integer(1, 65_535)),
  drainSeconds: fixed(one(integer(0, 3_600), 0)),
  tlsCert: fixed(one(text, null)),
  tlsKey: fixed(one(text, null)),
  maxBodyBytes: one(integer(1_024, 1_073_741_824), 2_097_152),
  bodyTimeoutSeconds: one(integer(1, 25), 20),
  maxCalls: one(integer(1, 65_535), 2_048),
  maxUnsentBytes: one(integer(1_048_576, 1_099_511_627_776), 268_435_456),
  apis: fixed(file()),
  watch: fixed(toggle()),
  apiTimeoutSeconds: one(integer(1, 60), 10),
  apiWorkers: one(integer(2, 64), 8),
  apiMemoryBytes: one(integer(16_777_216, 1_099_511_627_776), 268_435_456),
  data: file(),
  dnssecAnchor: file(),
  catalogInclude: inTable("catalog", many(text)),
  catalogExclude: inTable("catalog", many(text)),
  noGraphql: toggle(),
  noMcp: toggle(),
  noPortal: toggle(),
  smtp: fixed(one(smtpUrl, null)),
  smtpPasswordFile: fixed(file()),
  mailFrom: one(mailAddress, null),
  signUpMode: inTable("sign_up", one(oneOf(signUpModes), "off")),
  signUpPlan: inTable("sign_up", plan()),
  signUpTerms: inTable("sign_up", one(link, null)),
  signUpBlockDisposable: inTable("sign_up", toggle()),
  signUpBlockDomain: inTable("sign_up", many(mailDomain)),
  publicUrl: one(origin, null),
  exampleDomain: one(mailDomain, "example.com"),
  title: one(title, "penknife"),
  brandColor: one(opaqueColor, null),
  logo: file(),
  favicon: file(),
  signUpUrl: one(link, null),
  contact: one(contact, null),
  termsUrl: one(link, null),
  privacyUrl: one(link, null),
  statusUrl: one(link, null),
  tryCalls: inTable("try", one(integer(0, 1_000), 0)),
  tryApis: inTable("try", many(text)),
  tryPlan: inTable("try", plan()),
  allowDebt: toggle(),
  history: one(integer(0, 1_500), 90),
  keepNotices: one(integer(1, 36_500), 90),
  keepUsage: one(integer(92, 36_500), 400),
  keepRequests: one(integer(0, 3_650), 0),
  keepAddresses: toggle(),
  keepAudit: one(integer(1, 36_500), null),
  logLevel: one(oneOf(logLevels), null),
  logFormat: fixed(one(oneOf(logFormats), "auto")),
  logSample: one(share, 1),
  noMetrics: toggle(),
  metricsToken: one(text, null),
})

/** The settings that only `mock` has. */
export const mockOptions = defineOptions(texts.mock, {
  seedTimeMs: one(instant, seedTimeMs),
  clock: one(oneOf(clockModes), "stopped"),
  dnsFile: one(text, null),
  webFile: one(text, null),
  plan: one(text, "pro"),
  webhook: one(webhookUrl, null),
  webhookTime: one(oneOf(signingClocks), "machine"),
  seedFile: one(text, null),
  tlsSelfSigned: one(hosts, []),
  caOut: one(text, null),
  like: one(origin, null),
  strictLike: toggle(),
})

/** The settings of commands that administer: a running service instead of a store. */
const remoteOptions = defineOptions(texts.remote, {
  server: one(text, null),
  adminKey: one(text, null),
})

/** The settings of `mock` that differ from those of `serve`. */
export const mockOwn = {
  // Both can run on one machine.
  port: { ...options.port, default: 8090, defaultText: "8090" },
  // A test needs no settings to sign up and to search requests.
  signUpMode: { ...options.signUpMode, default: "open", defaultText: "open" },
  keepRequests: { ...options.keepRequests, default: 30, defaultText: "30" },
  smtp: {
    ...options.smtp,
    help: "mail catcher on this machine that gets the mails, such as smtp://127.0.0.1:1025",
    defaultText: "mails are only listed",
  },
  mailFrom: { ...options.mailFrom, default: "no-reply@localhost", defaultText: "no-reply@localhost" },
} as const satisfies { readonly [K in keyof typeof options]?: (typeof options)[K] }

/** Every setting by its key. */
export const allOptions = { ...options, ...mockOptions, ...remoteOptions }

/** The values of all settings. */
export type Settings = {
  readonly [K in OptionKey]: (typeof allOptions)[K] extends Option<infer T> ? T : never
}

/** The key of a setting in a {@link Config}. */
export type OptionKey = keyof typeof allOptions

/** Settings of one command that differ from those of the table. */
export type OwnOptions = { readonly [K in OptionKey]?: Option<unknown> }
