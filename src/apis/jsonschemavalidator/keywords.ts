import { entries, keys, step, typeOf, value } from "@hyperjump/browser"
import { addKeyword, getKeywordName, type Keyword, Validation } from "@hyperjump/json-schema/experimental"
import * as Instance from "@hyperjump/json-schema/instance/experimental"
import { type Pattern, toPattern } from "./patterns.ts"
