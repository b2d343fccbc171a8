import type { SearchResponse } from '../../../service/index.ts'
import { oneLine } from './untrusted-text.ts'

export type Result = SearchResponse['results'][number]
export type WizardItem = NonNullable<SearchResponse['wizards']>[number]

/** One result as text for a model. */
export function resultText({ title, url, published_at, acquired_at, snippet }: Result, index: number): string {
  const dates = [
    published_at === undefined ? 'publish date unknown' : `published ${published_at}`,
    ...(acquired_at === undefined ? [] : [`indexed ${acquired_at}`]),
  ]
  const lines = [`${index + 1}. ${oneLine(title) || '(untitled)'}`, `   ${oneLine(url)}`, `   ${dates.join(', ')}`]
  if (snippet) lines.push(`   ${oneLine(snippet)}`)
  return lines.join('\n')
}

/** One wizard item as text for a model. */
export function wizardText({ wizard, url, acquired_at, ...fields }: WizardItem): string {
  return oneLine(`[${wizard}] ${JSON.stringify(fields)} from ${url}, indexed ${acquired_at}`)
}
