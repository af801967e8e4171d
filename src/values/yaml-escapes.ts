/**
 * Characters that are written as escapes in double quotes. YAML 1.1 reads some as line breaks (§5.4), both versions forbid others
 * (YAML 1.2.2 §5.1), and common readers refuse or lose tabs outside of quotes.
 */
export const yamlEscapes = /[\t\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g
