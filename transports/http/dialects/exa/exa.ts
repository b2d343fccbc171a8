import { type InputOf, type ResponseOf, refusedFields } from '../../../../service/index.ts'
import type { AnswerRequest, Asking, Dialect, SentRequest } from '../frame/dialect.ts'
import { lastSeenAt } from '../frame/last-seen.ts'
import { readEach } from '../frame/read-each.ts'
import { searchPages } from '../frame/search-pages.ts'
import { writeError } from './errors.ts'
import { type ExaPages, pageNames, readPages, readSearch, readSimilar, searchNames } from './read.ts'
import { writePages, writeResults } from './write.ts'

function search(sent: SentRequest): AnswerRequest {
  const { request, query, wanted, warnings } = readSearch(sent)
  return async asking => {
    const { results } = await searchPages(asking, { ...request, query }, warnings)
    return writeResults(results, { id: sent.id, wanted, warnings, asking })
  }
}

/** Characters of a title that are operators in a query. */
const OPERATORS = /["“”„«»:()|*+~-]/gu

/** Finds pages by the title of a page, and leaves that page out. */
function findSimilar(sent: SentRequest): AnswerRequest {
  const { request, most, url, excludesSite, withTexts, wanted, warnings } = readSimilar(sent)
  return async asking => {
    const { query_time, exclude_sites = [] } = request
    const { body: page } = await asking.call('page', { url, query_time, max_chars: 1 })
    const words = page.title.replace(OPERATORS, ' ')
    if (!/[\p{L}\p{N}]/u.test(words))
      throw refusedFields('unprocessable', [{ path: 'url', reason: 'the page has no title to search for' }])
    warnings.push({ path: 'url', message: 'results were found by the title of this page' })
    const similar = {
      ...request,
      query: withTexts(words),
      exclude_sites: excludesSite ? [...exclude_sites, new URL(page.url).hostname] : request.exclude_sites,
    }
    const { results } = await searchPages(asking, similar, warnings)
    const others = results.filter(result => result.url !== page.url).slice(0, most)
    return writeResults(others, { id: sent.id, wanted, warnings, asking })
  }
}

/** Reads one page from the index or from its site. */
async function readPage(
  url: string,
  { query_time, from, fallsBack, wanted, requestedAt }: ExaPages,
  asking: Asking,
): Promise<ResponseOf<'fetch'>> {
  const read = async (where: Pick<InputOf<'fetch'>, 'query_time' | 'live'>) => {
    const { body } = await asking.call('fetch', { url, max_chars: wanted.textChars ?? 1, ...where })
    return body
  }
  const stored = () => read({ query_time })
  const live = () => read({ live: true })
  if (from === 'index') return await stored()
  if (from === 'site') return await live().catch(failure => (fallsBack ? stored() : Promise.reject(failure)))
  const seenAt = await lastSeenAt(url, asking)
  return seenAt < requestedAt - from.seenWithinMs ? await live() : await stored()
}

function contents(sent: SentRequest): AnswerRequest {
  const asked = readPages(sent)
  const { urls, wanted, warnings } = asked
  return async asking => {
    const pages = await readEach(urls, 'urls', url => readPage(url, asked, asking))
    return writePages(pages, { id: sent.id, wanted, warnings, asking })
  }
}

const NO_MODEL = 'needs a language model, and asof has none'

/** The search API of Exa, by `exa-js` and `exa-py`. */
export const exa: Dialect = {
  vendor: 'Exa',
  clients: 'exa-js and exa-py',
  routes: [
    { methods: ['POST'], path: '/search', names: searchNames, read: search },
    { methods: ['POST'], path: '/contents', names: pageNames, read: contents },
    { methods: ['POST'], path: '/findSimilar', names: { ...searchNames, url: 'url' }, read: findSimilar },
  ],
  missing: { '/answer': NO_MODEL, '/context': NO_MODEL, '/research': NO_MODEL },
  writeError,
}
