import { may, session } from "../../client/session.ts"
import { useRead } from "../../client/use-read.ts"
import { CheckField, CheckGroup } from "../../kit/field.tsx"
import type { FormValues } from "../../kit/form.tsx"
import { Ready } from "../../kit/page.tsx"

/** The field for permissions in a form, in the place of a list to type. */
export function permissionField(given: readonly string[]) {
  return { draw: () => <PermissionFields given={given} />, read: chosenPermissions }
}

/** The permissions to choose from: those that the user has, since nobody can give another one. */
function PermissionFields({ given }: { readonly given: readonly string[] }) {
  const reading = useRead(may("whoami") ? "whoami" : null, {})
  const own = session.value?.permissions ?? []
  return (
    <Ready reading={reading} what="permissions">
      {({ known_permissions: known }) => {
        const names = Object.keys(known).filter((name) => covers(own, name))
        // Such as `keys.*`: it stays what it is unless it is taken away.
        const groups = [...new Set([...own, ...given])].filter((name) => name.endsWith(".*"))
        return (
          <CheckGroup name="may" label="Permissions">
            {own.includes("*") && (
              <CheckField
                name="may"
                value="*"
                label="Everything"
                hint="All permissions, whatever is ticked below."
                checked={given.includes("*")}
              />
            )}
            {[...groups, ...names].map((name) => (
              <CheckField
                key={name}
                name="may"
                value={name}
                label={name}
                hint={known[name] ?? `All about ${name.slice(0, -2)}.`}
                checked={given.includes(name)}
              />
            ))}
          </CheckGroup>
        )
      }}
    </Ready>
  )
}

/** The chosen permissions. */
function chosenPermissions(values: FormValues): string[] {
  const chosen = values.list("may")
  return chosen.includes("*") ? ["*"] : chosen
}

function covers(own: readonly string[], name: string): boolean {
  return own.includes("*") || own.includes(name) || own.includes(name.replace(/\..*/, ".*"))
}

/** Permissions in a table. */
export function Permissions({ names }: { readonly names: readonly string[] }) {
  return <span class="small">{names.includes("*") ? "Everything" : names.join(", ")}</span>
}
