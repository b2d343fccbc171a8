import { limits, type ResponseOf, ServiceError } from '../../../../service/index.ts'
import type { AnswerRequest, Asking, Dialect, SentRequest } from '../frame/dialect.ts'
import { lastSeenAt } from '../frame/last-seen.ts'
import { writeError } from './errors.ts'
import { type ReaderRequest, readReader } from './read.ts'
import { writeReader } from './write.ts'

/** Reads a page from the index, or from its site if the index does not have it or saw it too long ago. */
async function readPage({ url, seenSince }: ReaderRequest, asking: Asking): Promise<ResponseOf<'fetch'>> {
  const request = { url, max_chars: limits.fetchChars.longest, include: ['metadata' as const] }
  const live = async () => (await asking.call('fetch', { ...request, live: true })).body
  if (seenSince !== undefined && (await lastSeenAt(url, asking)) < seenSince) return await live()
  try {
    return (await asking.call('fetch', request)).body
  } catch (failure) {
    if (asking.seesPast || !(failure instanceof ServiceError) || failure.kind !== 'not_indexed') throw failure
    return await live()
  }
}

function read(sent: SentRequest): AnswerRequest {
  const asked = readReader(sent)
  return async asking => writeReader(await readPage(asked, asking), asked)
}

/** The reader of Jina, which answers a URL behind its own address with the page as Markdown. */
export const r: Dialect = {
  vendor: 'Jina Reader',
  clients: 'any program that puts an address before a URL',
  routes: [{ methods: ['GET'], path: '/*', names: { live: 'x-no-cache' }, read }],
  missing: {},
  writeError,
}
