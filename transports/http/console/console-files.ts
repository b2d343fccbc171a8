import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, parse } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import { llmsTxt } from './llms-txt.ts'

/** A file that is served, in memory. */
export interface ServedFile {
  body: Buffer
  /** The body compressed with gzip. Undefined if that is not shorter. */
  compressed: Buffer | undefined
  contentType: string
  etag: string
}

/** A document of the project. */
export interface ServedDocument extends ServedFile {
  /** The name in addresses: that of `ARCHITECTURE.md` is `architecture`. */
  name: string
  title: string
  /** The first sentence below the title, without markup. Empty if there is none. */
  description: string
}

/** What the console consists of. */
export interface ConsoleFiles {
  /** The page that every address of the console opens. Undefined if the console has not been built. */
  page: ServedFile | undefined
  /** The files that the page loads, by name. Each name has a hash of the content, so a file never changes. */
  assets: ReadonlyMap<string, ServedFile>
  /** In the order in which they are listed. */
  documents: readonly ServedDocument[]
  /** The pictures in the documents, by name. */
  pictures: ReadonlyMap<string, ServedFile>
  /** The list of the documents for language models. */
  llmsTxt: ServedFile
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}

const isPicture = (name: string) => contentTypes[extname(name)]?.startsWith('image/') ?? false

/** The documents that a reader wants first. The others follow by name. */
const firstDocuments = [
  'console',
  'embedding',
  'extraction',
  'time-travel',
  'search-and-ranking',
  'crawling-and-import',
  'command-line',
  'http-api',
  'mcp',
  'wizards',
  'models',
  'operations',
  'scale',
  'selling-access',
  'accounts',
  'pay-per-request',
  'agent-plans',
  'advisor',
  'payments',
  'errors',
  'spec',
  'decisions',
  'packages',
  'architecture',
]

/** The folder of the package, in a clone or where it is installed. */
const packageFolder = dirname(createRequire(import.meta.url).resolve('asof/package.json'))

/** Beside the sources in a clone, and in `dist` in the package: in both, the folder lies at the same place from here. */
const builtFolder = join(import.meta.dirname, '../../../console/built')

function servedFile(body: Buffer, extension: string): ServedFile {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
  const compressed = gzipSync(body, { level: constants.Z_BEST_COMPRESSION })
  return {
    body,
    compressed: compressed.length < body.length ? compressed : undefined,
    contentType: contentTypes[extension] ?? 'application/octet-stream',
    etag,
  }
}

function readServed(path: string): ServedFile {
  return servedFile(readFileSync(path), extname(path))
}

/** Returns the words of Markdown, without its marks and the addresses of its links. */
function plainText(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

function rankOf(name: string): number {
  const rank = firstDocuments.indexOf(name)
  return rank < 0 ? firstDocuments.length : rank
}

function readDocuments(folder: string): ServedDocument[] {
  const paths = [
    ...namesIn(join(folder, 'docs')).map(name => join('docs', name)),
    ...['ARCHITECTURE.md', 'CHANGELOG.md'].filter(name => existsSync(join(folder, name))),
  ]
  return paths
    .filter(path => path.endsWith('.md'))
    .map(path => {
      const served = readServed(join(folder, path))
      const name = parse(path).name.toLowerCase()
      const [, heading = name, opening = ''] =
        /^# (.+)\n+([^#\n`|!<-].*(?:\n.+)*)?/m.exec(served.body.toString('utf8')) ?? []
      const [description = ''] = plainText(opening).split(/(?<=\.) /, 1)
      return { ...served, name, title: plainText(heading), description }
    })
    .sort((a, b) => rankOf(a.name) - rankOf(b.name) || (a.name < b.name ? -1 : 1))
}

/**
 * Reads the files of the console and the documents into memory, where all of them together take about 0.6 MB, and compressed 0.2 MB.
 *
 * @param built - the folder into which the console was built. Default: that of this package.
 * @param root - the folder with `docs`. Default: this package.
 * @param dialects - the dialects that `/llms.txt` lists. Default: none.
 */
export function readConsoleFiles(
  built: string = builtFolder,
  root: string = packageFolder,
  dialects: Parameters<typeof llmsTxt>[1] = [],
): ConsoleFiles {
  const page = join(built, 'index.html')
  const assets = namesIn(join(built, 'assets')).map(name => [name, readServed(join(built, 'assets', name))] as const)
  const documents = readDocuments(root)
  return {
    page: existsSync(page) ? readServed(page) : undefined,
    assets: new Map(assets),
    documents,
    pictures: new Map(
      namesIn(join(root, 'docs'))
        .filter(isPicture)
        .map(name => [name, readServed(join(root, 'docs', name))] as const),
    ),
    llmsTxt: servedFile(Buffer.from(llmsTxt(documents, dialects)), '.txt'),
  }
}
