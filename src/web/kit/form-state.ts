import { createContext } from "preact"

/** The messages of a form's fields, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>

export const FieldErrorsContext = createContext<FieldErrors>({})
