export { suites } from "./suites/jsonschemavalidator.ts"
