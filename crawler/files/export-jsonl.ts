import { type Engine, fieldsInJson } from '@asof/core'
import { storedCaptures } from './stored-captures.ts'

/**
 * Exports every version of every page as JSON Lines, which `importJsonl` reads: URL by URL, the versions of each oldest
 * first. A change of metadata alone is a line with the same text and its own `acquired_at`. The field `asof` holds language,
 * site name, kind, structured data, and where the publish date was found.
 *
 * @param signal - ends the export between two lines.
 */
export async function* exportJsonl(engine: Pick<Engine, 'history'>, signal?: AbortSignal): AsyncGenerator<string> {
  for await (const capture of storedCaptures(engine, signal)) {
    const { url, title, author, description, publishedAt, acquiredAt, revisedAt = acquiredAt, markdown } = capture
    const { lang, siteName, publishedFrom, kind, data, fields } = capture
    const line = {
      url,
      title,
      author,
      description,
      published_at: publishedAt === undefined ? undefined : new Date(publishedAt).toISOString(),
      acquired_at: new Date(revisedAt).toISOString(),
      markdown,
      fields: fields && fieldsInJson(fields),
      asof: { lang, siteName, publishedFrom, kind, data },
    }
    yield `${JSON.stringify(line)}\n`
  }
}
