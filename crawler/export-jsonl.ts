import type { Engine } from '../core/index.ts'
import { storedCaptures } from './stored-captures.ts'

/**
 * Every capture of an index as JSON Lines, which `importJsonl` reads: URL by URL, those of each oldest first. What a
 * line has no field for (language, site name, structured data) is left out.
 *
 * @param signal - ends it between two lines.
 */
export async function* exportJsonl(engine: Engine, signal?: AbortSignal): AsyncGenerator<string> {
  for await (const capture of storedCaptures(engine, signal)) {
    const { url, title, author, description, publishedAt, acquiredAt, markdown } = capture
    const line = {
      url,
      title,
      author,
      description,
      published_at: publishedAt === undefined ? undefined : new Date(publishedAt).toISOString(),
      acquired_at: new Date(acquiredAt).toISOString(),
      markdown,
    }
    yield `${JSON.stringify(line)}\n`
  }
}
