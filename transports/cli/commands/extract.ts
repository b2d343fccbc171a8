import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { AsofError, type ExtractedPage, extract } from '@asof/core'
import { parseInstant } from '@asof/core/internal'
import { isAbsence, messageOf } from '@asof/extract/errors'
import type { Command } from 'commander'
import { extractValues, faultText, jsonFault, parseValueSchema, printable } from '../../../service/index.ts'
import { type CommandContext, commandContext } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { droppedText } from '../output/dropped-text.ts'
import { folderSettings } from '../settings/server-settings.ts'
import { addSettingOptions } from '../settings/setting.ts'
import { examples } from './shared-options.ts'

const MAX_BYTES = 20 * 1024 * 1024

/** Media types of text files by extension. The type of other files is detected from their first bytes. */
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

/** The bytes of a page, with its address and declared media type. */
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
  if (!info?.isFile()) throw new UsageError(`${name} is neither a file nor an http or https URL`)
  if (info.size > MAX_BYTES) {
    throw new AsofError(
      'ASOF_EXTRACT_TOO_LARGE',
      `${name} is too large: ${info.size} bytes, and the limit is ${MAX_BYTES}`,
    )
  }
  const contentType = typeOfExtension[path.extname(name).toLowerCase()]
  return { url: pathToFileURL(name).href, body: await readFile(name), contentType }
}

/** Returns a page as a JSON document. Its fields are those of a line of JSONL for `asof import`. */
export function pageJson(url: string, page: ExtractedPage, acquiredAt: number): string {
  const { publishedAt, publishedFrom, canonicalUrl, siteName, ...rest } = page
  return JSON.stringify({
    url,
    ...rest,
    published_at: publishedAt,
    published_from: publishedFrom,
    canonical_url: canonicalUrl,
    site_name: siteName,
    acquired_at: new Date(acquiredAt).toISOString(),
  })
}

/** Returns an extracted page in the form that a page of an index has. */
function asStored(url: string, { title = '', publishedAt: published, ...page }: ExtractedPage) {
  const publishedAt = published === undefined ? undefined : parseInstant(published, 'publishedAt')
  return { ...page, url, title, publishedAt }
}

interface ExtractFlags extends Flags {
  contentType?: string
  explain?: boolean
  schema?: string
}

/** Reads the JSON Schema in a file. */
async function readSchema(name: string) {
  const text = await readFile(name, 'utf8').catch(cause => {
    const reason = isAbsence(cause) ? 'does not exist' : `cannot be read: ${messageOf(cause)}`
    throw new UsageError(`--schema ${name} ${reason}`)
  })
  const fault = jsonFault(text)
  if (fault) throw new UsageError(`--schema ${name} is not JSON: ${faultText(fault)}`)
  return parseValueSchema(JSON.parse(text))
}

export function addExtractCommand(program: Command): void {
  const command = program
    .command('extract')
    .description('print a file or web page as Markdown; needs and changes no index')
    .argument('<file|url>', 'HTML, PDF, EPUB, Office document, feed or text to read')
    .option(
      '--content-type <type>',
      'media type of the file, such as text/html (default: as served, or by its name and content)',
    )
    .option('--data <dir>', 'folder with the settings file asof.json (env ASOF_DATA; default: ./data)')
    .option('--explain', 'print which rules dropped how many words of an HTML page, instead of its Markdown')
    .option(
      '--schema <file>',
      'print the values of the JSON Schema in this file, each with the passage that states it, as JSON',
    )
    .option('--json', 'print one JSON document, which asof import accepts as a line of JSONL')
    .addHelpText(
      'after',
      examples(
        'asof extract report.pdf',
        'asof extract https://example.com/ --json',
        'asof extract page.html --explain',
        'asof extract https://example.com/chair --schema product.json',
      ),
    )
  addSettingOptions(command, folderSettings.allowPrivate).action(
    async (name: string, { contentType, explain, schema: file, ...flags }: ExtractFlags) => {
      const context = await commandContext(flags)
      const schema = file === undefined ? undefined : await readSchema(file)
      const source = await readSource(name, context)
      const acquiredAt = context.now()
      const { url, body } = source
      const type = contentType ?? source.contentType
      const page = await extract(body, { url, latestAt: acquiredAt, contentType: type, explain })
      for (const warning of page.warnings ?? []) context.progress.line(`warning: ${warning.message}`)
      if (schema) {
        const values = await extractValues(asStored(url, page), schema)
        context.print(JSON.stringify(values, undefined, context.json ? 0 : 2))
      } else if (context.json) context.print(pageJson(url, page, acquiredAt))
      else context.print(printable(explain ? droppedText(page.explanation) : page.markdown))
    },
  )
}
