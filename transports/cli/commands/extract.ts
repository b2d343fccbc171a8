import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { AsofError, type ExtractedPage, extract } from '@asof/core'
import type { Command } from 'commander'
import { printable } from '../../service/index.ts'
import { type CommandContext, commandContext } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'

const MAX_BYTES = 20 * 1024 * 1024

/** Types of files that are text, which their first bytes tell less well than their names; other files are sniffed. */
const typeOfExtension: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.txt': 'text/plain',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.rss': 'application/rss+xml',
  '.atom': 'application/atom+xml',
}

/** Bytes with where they were found and what they were said to be. */
interface Source {
  url: string
  body: Uint8Array
  contentType: string | undefined
}

async function readSource(name: string, { settings }: CommandContext): Promise<Source> {
  if (/^https?:\/\//i.test(name)) {
    const { fetchPage } = await import('../../../crawler/index.ts')
    return await fetchPage(name, { allowPrivate: settings.allowPrivate, maxBytes: MAX_BYTES })
  }
  const info = await stat(name).catch(() => undefined)
  if (!info?.isFile()) throw new UsageError(`${name}: no such file, and no http or https URL`)
  if (info.size > MAX_BYTES) {
    throw new AsofError('ASOF_EXTRACT_TOO_LARGE', `${name} has ${info.size} bytes; at most ${MAX_BYTES} are read`)
  }
  const contentType = typeOfExtension[path.extname(name).toLowerCase()]
  return { url: pathToFileURL(name).href, body: await readFile(name), contentType }
}

/** The page as one JSON document; its fields have the names of a line of JSONL, so that `import` takes it as one. */
function pageJson(url: string, page: ExtractedPage, acquiredAt: number): string {
  const { publishedAt, publishedFrom, canonicalUrl, siteName, ...rest } = page
  return JSON.stringify({
    url,
    ...rest,
    ...(publishedAt !== undefined && { published_at: publishedAt, published_from: publishedFrom }),
    ...(canonicalUrl !== undefined && { canonical_url: canonicalUrl }),
    ...(siteName !== undefined && { site_name: siteName }),
    acquired_at: new Date(acquiredAt).toISOString(),
  })
}

export function addExtractCommand(program: Command): void {
  program
    .command('extract')
    .description('print a file or page as markdown, without an index')
    .argument('<file|url>')
    .option('--content-type <type>', 'what the bytes are; default: as served, or by the name and content of the file')
    .option('--allow-private', 'allow fetching loopback and private addresses')
    .option('--data <dir>', 'folder with the settings (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document, which import takes as a line')
    .action(async (name: string, { contentType, ...flags }: Flags & { contentType?: string }) => {
      const context = await commandContext(flags)
      const source = await readSource(name, context)
      const acquiredAt = context.now()
      const type = contentType ?? source.contentType
      const page = await extract(source.body, {
        url: source.url,
        latestAt: acquiredAt,
        ...(type !== undefined && { contentType: type }),
      })
      context.print(context.json ? pageJson(source.url, page, acquiredAt) : printable(page.markdown))
    })
}
