import type { SearchOptions } from '@asof/core'
import type { Question } from '../questions/question.ts'

/** A quoted word is a condition: so words are joined by AND. */
export function textOf({ form, words }: Question): string {
  if (form === 'or') return words.join(' ')
  return form === 'and' ? words.map(word => `"${word}"`).join(' ') : `"${words.join(' ')}"`
}

/** Options of {@link textOf}'s search. */
export function optionsOf({ limit, queryAt, acquired, published, site, snippets, pro }: Question): SearchOptions {
  return {
    mode: pro ? 'pro' : 'realtime',
    maxResults: limit,
    ...(!snippets && { snippetMaxLength: 0 }),
    ...(queryAt !== undefined && { queryTime: queryAt }),
    ...(acquired && { acquiredAfter: acquired[0], acquiredBefore: acquired[1] }),
    ...(published && { publishedAfter: published[0], publishedBefore: published[1] }),
    ...(site !== undefined && { site }),
  }
}
