import type { Plans } from "../accounts/plan.ts"
import type { OptionKey, Settings } from "./options.ts"
import { type SettingPlaces, settingName } from "./setting-name.ts"

interface ReadPlaces extends SettingPlaces {
  /** The keys of settings whose values were refused. Their mistakes are said already. */
  readonly refused: ReadonlySet<string>
}

/** The mistakes that two settings make together, such as one that needs another. */
export function mistakesBetween(settings: Settings, places: ReadPlaces, plans: Plans): readonly string[] {
  const name = (key: OptionKey, beside?: OptionKey) => settingName(places, key, beside)
  const isGiven = (key: OptionKey) => places.origins[key] !== "default"
  const { tlsCert, tlsKey, caOut, tlsSelfSigned, smtp, mailFrom, like, strictLike } = settings
  const { tryCalls, tryPlan, signUpMode, signUpPlan } = settings

  /** Says that a setting needs another one, unless that one is given and wrong. */
  function needs(key: OptionKey, other: OptionKey): readonly string[] {
    return places.refused.has(other) ? [] : [`${name(key)} needs ${name(other, key)}.`]
  }

  /** A wrong plan is said although the rest of its table is off or wrong. */
  function mistakeOfPlan(key: "tryPlan" | "signUpPlan", isOn: boolean, plan: string): readonly string[] {
    if (plans.has(plan) || !(isOn || isGiven(key))) return []
    return [`${name(key)} must be one of ${[...plans.keys()].join(", ")}, not '${plan}'.`]
  }

  return [
    ...(tlsCert !== null && tlsKey === null ? needs("tlsCert", "tlsKey") : []),
    ...(tlsKey !== null && tlsCert === null ? needs("tlsKey", "tlsCert") : []),
    ...(caOut !== null && tlsSelfSigned.length === 0 ? needs("caOut", "tlsSelfSigned") : []),
    ...(strictLike && like === null ? needs("strictLike", "like") : []),
    ...mistakesOfBackups(settings, name, needs),
    ...(smtp !== null && mailFrom === null ? needs("smtp", "mailFrom") : []),
    ...mistakeOfPlan("tryPlan", tryCalls > 0, tryPlan),
    ...(tryCalls > 0 ? mistakesOfTry(tryPlan, plans, name) : []),
    ...mistakeOfPlan("signUpPlan", signUpMode !== "off", signUpPlan),
  ]
}

type Name = (key: OptionKey, beside?: OptionKey) => string
type Needs = (key: OptionKey, other: OptionKey) => readonly string[]

function mistakesOfBackups(
  { backupEverySeconds, backupDir, db }: Settings,
  name: Name,
  needs: Needs,
): readonly string[] {
  if (backupEverySeconds === null) return []
  const every = name("backupEverySeconds")
  if (/^postgres(?:ql)?:/.test(db))
    return [`${every} copies a data file. PostgreSQL has backups of its own; see docs/backup.md.`]
  if (db === ":memory:") return [`${every} needs a data file: a store in memory has no backups.`]
  return backupDir === null ? needs("backupEverySeconds", "backupDir") : []
}

/** Strangers share the plan of calls without a key, so it has to end their use. */
function mistakesOfTry(tryPlan: string, plans: Plans, name: Name): readonly string[] {
  const plan = plans.get(tryPlan)
  if (!plan || (plan.monthlyCredits !== null && plan.requestsPerMinute !== null)) return []
  return [
    `${name("tryPlan", "tryCalls")}: calls without a key need a plan with limits. Set monthly_credits and requests_per_minute of ` +
      `the plan '${tryPlan}', or name another one.`,
  ]
}
