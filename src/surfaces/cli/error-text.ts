import { AccountError } from "../../accounts/requirements.ts"
import { AdminFault } from "../../admin/fault.ts"
import { ApiMistake, InputRejected, Unavailable } from "../../apis/contract.ts"
import { ConfigError } from "../../config/config-error.ts"
import { PluginRefused } from "../../plugins/plugin-refused.ts"
import { StoreUnavailable, StoreUnusable } from "../../store/store.ts"
import { Declined, ServerFailed } from "./admin/backend.ts"
import { GradeTooLow } from "./audit-mail.ts"
import { WorkerFailed } from "./worker.ts"

/** Errors whose message already says what to change. */
const plainErrors = [
  AccountError,
  AdminFault,
  ApiMistake,
  ConfigError,
  Declined,
  GradeTooLow,
  InputRejected,
  PluginRefused,
  ServerFailed,
  StoreUnavailable,
  StoreUnusable,
  Unavailable,
  WorkerFailed,
]

/** Advice when the operating system refuses to let a server listen, by error code. */
const listenAdvice: Readonly<Record<string, string>> = {
  EADDRINUSE: "If another program listens there, choose a free port with --port; else check --host.",
  EADDRNOTAVAIL: "This machine does not have this address: check --host.",
  EINVAL: "This machine cannot listen on this host or address: check --host.",
  EACCES: "Ports below 1024 need more rights: choose another with --port.",
  EPERM: "Ports below 1024 need more rights: choose another with --port.",
}

/** The text that the command line prints for an error: a message with advice if there is one, else the stack. */
export function errorText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (plainErrors.some((type) => thrown instanceof type)) return thrown.message
  const code = "code" in thrown ? String(thrown.code) : ""
  if ("syscall" in thrown && thrown.syscall === "listen") {
    // For an unknown host name Bun reports its last failure, or that port 0 is in use.
    const isUnknownHost = !(code in listenAdvice) || thrown.message.includes(" port 0 ")
    if (isUnknownHost) return "This machine does not have the host's name or address: check --host."
  }
  const advice = listenAdvice[code] ?? tlsAdvice(code, thrown.message)
  return advice ? `${toSentence(thrown.message)} ${advice}` : (thrown.stack ?? thrown.message)
}

function tlsAdvice(code: string, message: string): string | null {
  const isTls = code.includes("SSL") || /PEM|X509|KEY_VALUES/.test(message)
  return isTls ? "Check that --tls-cert and --tls-key belong together." : null
}

/** Most messages of the operating system lack the full stop. */
function toSentence(message: string): string {
  const text = message.trim()
  return /[.?!]$/.test(text) ? text : `${text}.`
}
