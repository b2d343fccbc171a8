import { hash } from 'node:crypto'
import type { FieldRules } from '@asof/core'

/** The field rules of a corpus. */
export interface CorpusFields {
  rules: FieldRules
  /** A hash of the rules. A page that was read with other rules is requested whole, because its fields may have changed. */
  key: string
}

/** @returns undefined if the corpus has no rules. */
export function corpusFields(rules: FieldRules | undefined): CorpusFields | undefined {
  return rules && { rules, key: hash('sha256', JSON.stringify(rules), 'base64url').slice(0, 16) }
}
