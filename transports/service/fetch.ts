import type { Engine } from '../../core/index.ts'
import { firstCodePoints } from './code-points.ts'
import { ServiceError } from './errors.ts'
import type { LivePage } from './live-page.ts'
import type { FetchRequest, FetchResponse } from './schemas.ts'

/** Reads a page from its source, now. See `readLivePage` for what it throws. */
export type ReadLive = (url: string) => Promise<LivePage>

function refusal(reason: string, path: string): ServiceError {
  return new ServiceError('invalid_request', `${path}: ${reason}`, { details: [{ path, reason }] })
}

/**
 * Answers a fetch request: the capture as of now, or the source itself when `live`.
 *
 * @throws ServiceError not_indexed - not live, and the index has no such page.
 * @throws ServiceError invalid_request - credentials in the URL, or a `prompt`.
 * @throws what a live fetch throws, see `readLivePage`.
 */
export async function answerFetch(engine: Engine, readLive: ReadLive, request: FetchRequest): Promise<FetchResponse> {
  if (request.prompt !== undefined) throw refusal("prompts aren't available on this server yet", 'prompt')
  const { username, password } = new URL(request.url)
  if (username !== '' || password !== '') throw refusal('must not contain credentials', 'url')

  const page = request.live ? await readLive(request.url) : await engine.page(request.url)
  if (!page) {
    throw new ServiceError('not_indexed', 'The index holds no page at this URL; live=true fetches it from its source.')
  }
  return {
    url: page.url,
    content: firstCodePoints(page.markdown, request.max_chars),
    title: page.title,
    description: '',
    ...(page.author === undefined ? {} : { author: page.author }),
    ...(page.publishedAt === undefined ? {} : { published_at: new Date(page.publishedAt).toISOString() }),
  }
}
