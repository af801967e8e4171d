import { logLevels } from "../ports/log.ts"
import { file, fixed, inTable, many, type Option, one, plan, toggle } from "./define-option.ts"
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
export const options = {
  host: fixed(one("host ADDRESS", "address that the service listens on", text, "127.0.0.1")),
  port: fixed(one("port NUMBER", "port that it listens on; 0 picks a free one", integer(0, 65_535), 8080)),
  db: fixed(
    one("db FILE|URL", "data file, or postgres:// URL: accounts, keys, credits", text, "penknife.db"),
  ),
  workers: fixed(one("workers NUMBER", "processes that share the port (Linux only)", integer(1, 64), 1)),
  admin: fixed(
    one<AdminPlace, AdminPlace>(
      "admin off|same|HOST:PORT",
      "where to serve /admin: nowhere, with the APIs, or at this address",
      adminPlace,
      "same",
    ),
  ),
  dnsServers: fixed(many("dns-server IP[:PORT]", "DNS server to ask; repeatable", dnsServer, "the system's")),
  noOutbound: fixed(
    toggle("no-outbound", "send no HTTPS requests to hosts that callers' domains name", "they are sent"),
  ),
  backupDir: fixed(
    one(
      "backup-dir DIR",
      "existing directory for 'backups create', also over /admin",
      text,
      null,
      "no backups over /admin",
    ),
  ),
  backupEverySeconds: fixed(
    one(
      "backup-every DURATION",
      "time between automatic backups, such as 24h; needs --backup-dir",
      backupInterval,
      null,
      "never",
    ),
  ),
  backupKeep: fixed(
    one(
      "backup-keep NUMBER",
      "backups of --backup-every to keep; older ones of these are deleted",
      integer(1, 10_000),
      7,
    ),
  ),
  trustedProxies: many(
    "trust-proxy CIDR",
    "proxy whose X-Forwarded-For is trusted; repeatable",
    network,
    "none",
  ),
  webhookPorts: many(
    "webhook-port PORT",
    "port that webhooks set by customers may use besides 443 and 8443; repeatable",
    integer(1, 65_535),
    "none",
  ),
  drainSeconds: fixed(
    one(
      "drain SECONDS",
      "after SIGTERM, /ready is 503 and calls are served this long before the port closes",
      integer(0, 3_600),
      0,
    ),
  ),
  tlsCert: fixed(one("tls-cert FILE", "PEM certificate chain; needs --tls-key", text, null, "plain HTTP")),
  tlsKey: fixed(one("tls-key FILE", "PEM private key; needs --tls-cert", text, null, "plain HTTP")),
  maxBodyBytes: one("max-body BYTES", "largest request body", integer(1_024, 1_073_741_824), 2_097_152),
  bodyTimeoutSeconds: one("body-timeout SECONDS", "time for a request body to arrive", integer(1, 25), 20),
  maxCalls: one(
    "max-calls NUMBER",
    "most calls at once in a process; others get 503",
    integer(1, 65_535),
    2_048,
  ),
  maxUnsentBytes: one(
    "max-unsent BYTES",
    "most bytes of answers that clients have not read; others get 503",
    integer(1_048_576, 1_099_511_627_776),
    268_435_456,
  ),
  apis: fixed({
    ...one("apis DIR", "folder of own APIs, each in its own folder", text, null, "none"),
    namesFile: true,
  }),
  watch: fixed(toggle("watch", "start again when files of --apis change, for development", "off")),
  apiTimeoutSeconds: one("api-timeout SECONDS", "time for a call of an API in --apis", integer(1, 60), 10),
  apiWorkers: one(
    "api-workers NUMBER",
    "calls at once of each API in --apis, each in a thread",
    integer(2, 64),
    8,
  ),
  apiMemoryBytes: one(
    "api-memory BYTES",
    "most memory of a call of an API in --apis",
    integer(16_777_216, 1_099_511_627_776),
    268_435_456,
  ),
  data: {
    ...one("data DIR", "folder of newer lists, one file each, to replace built-in ones", text, null, "none"),
    namesFile: true,
  },
  dnssecAnchor: {
    ...one(
      "dnssec-anchor FILE",
      "DS records of the root's keys, for a DNS with its own root",
      text,
      null,
      "the root of the Internet",
    ),
    namesFile: true,
  },
  catalogInclude: inTable(
    "catalog",
    many("catalog-include NAME", "API or category to serve, no others; repeatable", text, "all"),
  ),
  catalogExclude: inTable(
    "catalog",
    many("catalog-exclude NAME", "API or category not to serve; repeatable", text, "none"),
  ),
  noGraphql: toggle("no-graphql", "turn GraphQL off", "GraphQL is on"),
  noMcp: toggle("no-mcp", "turn /mcp off", "/mcp is served"),
  noPortal: toggle("no-portal", "turn /portal off", "/portal is served"),
  smtp: fixed(
    one(
      "smtp URL",
      "mail server: smtp://USER@HOST (STARTTLS is required; '?starttls=never' sends in the clear) or smtps://; password in PENKNIFE_SMTP_PASSWORD",
      smtpUrl,
      null,
      "no mail is sent",
    ),
  ),
  smtpPasswordFile: {
    ...fixed(one("smtp-password-file FILE", "file with the password for --smtp", text, null, "none")),
    namesFile: true,
  },
  mailFrom: one(
    "mail-from ADDRESS",
    "address that mails come from; needed with --smtp",
    mailAddress,
    null,
    "none",
  ),
  signUpMode: inTable(
    "sign_up",
    one("sign-up-mode MODE", "who gets an account without an operator", oneOf(signUpModes), "off"),
  ),
  signUpPlan: inTable("sign_up", plan("sign-up-plan PLAN", "plan of accounts that sign up")),
  signUpTerms: inTable(
    "sign_up",
    one("sign-up-terms URL", "terms that customers must accept to sign up", link, null, "none"),
  ),
  signUpBlockDisposable: inTable(
    "sign_up",
    toggle(
      "sign-up-block-disposable",
      "refuse sign-up with addresses of the list disposable-domains",
      "they are accepted",
    ),
  ),
  signUpBlockDomain: inTable(
    "sign_up",
    many(
      "sign-up-block-domain DOMAIN",
      "refuse sign-up with addresses of this domain; repeatable",
      mailDomain,
      "none",
    ),
  ),
  publicUrl: one("public-url URL", "address that clients use, for documents and links", origin, null, "none"),
  exampleDomain: one("example-domain DOMAIN", "domain in examples of pages", mailDomain, "example.com"),
  title: one("title TEXT", "name that pages in a browser show", title, "penknife"),
  brandColor: one("brand-color COLOR", "colour of these pages, as in CSS", opaqueColor, null, "green"),
  logo: file("logo FILE", "SVG or PNG next to the name on pages, 128 KiB at most", "a knife in the colour"),
  favicon: file("favicon FILE", "SVG or PNG in a browser's tab, 128 KiB at most", "the logo"),
  signUpUrl: one("sign-up-url URL", "page where strangers become customers", link, null, "none"),
  contact: one("contact ADDRESS", "e-mail address or page, shown on pages", contact, null, "none"),
  termsUrl: one("terms-url URL", "terms of use, linked from pages", link, null, "none"),
  privacyUrl: one("privacy-url URL", "privacy notice, linked from pages", link, null, "none"),
  statusUrl: one("status-url URL", "status page, linked from pages", link, null, "none"),
  tryCalls: inTable(
    "try",
    one("try-calls NUMBER", "calls a minute and network without a key; 0: none", integer(0, 1_000), 0),
  ),
  tryApis: inTable(
    "try",
    many(
      "try-apis NAME",
      "API or category that may be called without a key; repeatable",
      text,
      "those that ask no other host, and mailaudit",
    ),
  ),
  tryPlan: inTable(
    "try",
    plan("try-plan PLAN", "plan of the account for calls without a key; it must have limits"),
  ),
  allowDebt: toggle("allow-debt", "let adjustments take the bonus of an account below zero", "they do not"),
  history: one(
    "history DAYS",
    "days to keep calls, errors, latency and credits by time; 0 keeps none",
    integer(0, 1_500),
    90,
  ),
  keepNotices: one(
    "keep-notices DAYS",
    "days to keep notices that wait no more, with their attempts",
    integer(1, 36_500),
    90,
  ),
  keepUsage: one(
    "keep-usage DAYS",
    "days to keep usage by day; older usage is kept by month, for good",
    integer(92, 36_500),
    400,
  ),
  keepRequests: one(
    "keep-requests DAYS",
    "days to keep each request of an API, for searches; 0 keeps none",
    integer(0, 3_650),
    0,
  ),
  keepAddresses: toggle(
    "keep-addresses",
    "also keep the client's address with each request of --keep-requests",
    "it is not kept",
  ),
  keepAudit: one(
    "keep-audit DAYS",
    "days to keep audit records; only 'audit prune' deletes older ones",
    integer(1, 36_500),
    null,
    "all are kept",
  ),
  logLevel: one("log-level LEVEL", "lowest level to log", oneOf(logLevels), null, "info, or error for mock"),
  logFormat: fixed(
    one("log-format FORMAT", "auto: pretty on a terminal, else json", oneOf(logFormats), "auto"),
  ),
  logSample: one("log-sample SHARE", "share of requests to log, 0 to 1; 5xx are always logged", share, 1),
  noMetrics: toggle("no-metrics", "turn /metrics off", "/metrics is served"),
  metricsToken: one("metrics-token TOKEN", "bearer token that /metrics requires", text, null, "none"),
} as const satisfies Record<string, Option<unknown>>

/** The settings that only `mock` has. */
export const mockOptions = {
  seedTimeMs: one("seed-time INSTANT", "the clock at the start", instant, seedTimeMs, "2025-01-01T00:00:00Z"),
  clock: one(
    "clock MODE",
    "stopped: it stands still until it is moved; real: it runs on from --seed-time",
    oneOf(clockModes),
    "stopped",
  ),
  dnsFile: one("dns FILE", "YAML file with the DNS records to answer with", text, null, "some examples"),
  webFile: one("web FILE", "YAML file with the HTTPS replies of other hosts", text, null, "some examples"),
  plan: one("plan PLAN", "plan of the key mock-key", text, "pro"),
  webhook: one(
    "webhook URL",
    "webhook of the accounts of all keys, on this machine",
    webhookUrl,
    null,
    "none",
  ),
  webhookTime: one(
    "webhook-time CLOCK",
    "whose time signs webhooks: machine, by which receivers check it, or mock, for the same bytes on every run",
    oneOf(signingClocks),
    "machine",
  ),
  seedFile: one("seed FILE", "YAML or TOML file with the state at the start", text, null, "none"),
  tlsSelfSigned: one("tls-self-signed NAME[,NAME…]", "serve TLS for these names", hosts, [], "plain HTTP"),
  caOut: one("ca-out FILE", "file for the CA certificate of --tls-self-signed", text, null, "not written"),
  like: one("like URL", "running service to compare with at the start", origin, null, "none"),
  strictLike: toggle("strict-like", "do not start if --like finds a difference", "it starts"),
} as const satisfies Record<string, Option<unknown>>

/** The settings of commands that administer: a running service instead of a store. */
const remoteOptions = {
  server: one("server URL", "work on a running service instead of --db", text, null, "works on --db"),
  adminKey: one(
    "admin-key KEY",
    "admin key for --server; other users can see it in the list of processes, so prefer the variable",
    text,
    null,
    "none",
  ),
} as const satisfies Record<string, Option<unknown>>

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
