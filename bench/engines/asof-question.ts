import type { SearchOptions } from '@asof/core'
import type { Question } from '../questions/question.ts'

/** Returns a query in asof's syntax. asof requires quoted words, so an AND query quotes every word. */
export function textOf({ form, words }: Question): string {
  if (form === 'all') return ''
  if (form === 'or') return words.join(' ')
  return form === 'and' ? words.map(word => `"${word}"`).join(' ') : `"${words.join(' ')}"`
}

/** Returns the options of the search for {@link textOf}. */
export function optionsOf(question: Question): SearchOptions {
  const { limit, instant, acquired, published, site, contents, pro, shareBelow, facet, newestFirst, offset } = question
  return {
    mode: pro ? 'pro' : 'realtime',
    maxResults: limit,
    snippetMaxLength: contents === 'answers' ? undefined : 0,
    titleHighlights: contents === 'answers',
    queryTime: instant,
    acquiredAfter: acquired?.[0],
    acquiredBefore: acquired?.[1],
    publishedAfter: published?.[0],
    publishedBefore: published?.[1],
    site,
    filter: shareBelow === undefined ? undefined : { share: { lt: shareBelow } },
    facets: facet ? ['group'] : undefined,
    sort: newestFirst ? 'publishedAt:desc' : undefined,
    offset,
  }
}
