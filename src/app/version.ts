import packageJson from "../../package.json" with { type: "json" }

/** Put in by the build: the commit that it was made from. */
declare const PENKNIFE_COMMIT: string

/** The version of the program, from package.json. */
export const version = packageJson.version

/** The commit that the program was built from; null when it runs from source, or was built without Git. */
export const commit = typeof PENKNIFE_COMMIT === "undefined" ? null : PENKNIFE_COMMIT
