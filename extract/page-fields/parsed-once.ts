import { type FieldRules, type ParsedRules, parseFieldRules } from './field-rules.ts'

let last: { json: string; parsed: ParsedRules } | undefined

/**
 * Returns the parsed form of rules. All pages of a crawl have the same rules, so the last ones are kept.
 *
 * @throws ASOF_INVALID_OPTION - a rule is wrong, as in {@link parseFieldRules}.
 */
export function parsedOnce(rules: FieldRules): ParsedRules {
  const json = JSON.stringify(rules)
  if (last?.json !== json) last = { json, parsed: parseFieldRules(rules) }
  return last.parsed
}
