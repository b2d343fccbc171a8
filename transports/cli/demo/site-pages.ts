import path from 'node:path'
import type { ProjectDocument } from './project-files.ts'

/** A page of the demo site. */
export interface SitePage {
  /** Absolute path on the site. */
  path: string
  title: string
  description: string
  markdown: string
  /** Epoch milliseconds. */
  publishedAt: number
  /** Path of the document of the page. Relative links start from it. A note has no document. */
  file?: string
}

/** Returns the path of a document on the site: `/docs/times` for `docs/times.md`, and the path of its folder for a README. */
function sitePath(file: string): string {
  const bare = file.replace(/\.md$/, '').toLowerCase()
  return `/${bare.replace(/(?:^|\/)readme$/, '')}`
}

function headingOf(markdown: string): string | undefined {
  return /^#\s+(.+)$/m.exec(markdown)?.[1]?.replace(/[`*_]/g, '').trim()
}

/**
 * Returns the beginning of the first paragraph. A line that begins with a word or a link begins a paragraph; headings, lists
 * and tables do not.
 */
function beginningOf(markdown: string): string {
  const paragraph = /^[\w[](?:.|\n(?!\n))*/m.exec(markdown)?.[0] ?? ''
  return paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_]/g, '')
    .replace(/\s+/g, ' ')
    .slice(0, 200)
}

/** Returns the documents of the project as pages of the site. */
export function pagesOfDocuments(documents: readonly ProjectDocument[]): SitePage[] {
  return documents.map(({ file, markdown, modifiedAt }) => ({
    path: sitePath(file),
    title: headingOf(markdown) ?? path.posix.basename(file, '.md'),
    description: beginningOf(markdown),
    markdown,
    publishedAt: modifiedAt,
    file,
  }))
}

/** The roadmap in the first and in the second crawl of the demo. */
export const roadmaps = {
  before: {
    path: '/roadmap',
    title: 'Roadmap',
    description: 'What the project works on now, and what comes after.',
    markdown: `# Roadmap

The team works on the engine now: a million pages in bounded memory, segments merged in the background, every commit
safe against a killed process.

What comes next is the public service: the whole contract over HTTP, with keys, credits and rate limits.`,
    publishedAt: Date.UTC(2025, 0, 15, 9),
  },
  after: {
    path: '/roadmap',
    title: 'Roadmap',
    description: 'What the project works on now, and what comes after.',
    markdown: `# Roadmap

The engine is done. The team works on the public service now: the whole contract over HTTP, with keys, credits and rate
limits.

What comes next is the tool server for agents, so that a language model searches as of any moment by itself.`,
    publishedAt: Date.UTC(2025, 0, 15, 9),
  },
} as const satisfies Record<string, SitePage>

/** Notes with publish dates, for a search in a publish window. */
export const notes: readonly SitePage[] = [
  {
    path: '/notes/answers-that-stay',
    title: 'Answers that stay',
    description: 'Why a search engine should be able to repeat itself.',
    markdown: `# Answers that stay

Ask a web search the same question twice and the answers differ, because the index moved in between. For a back-test, an
audit or a report that cites its sources, that is a fault. asof keeps every capture of a page and answers as of a moment:
the same question with the same query time returns the same pages in the same order, whatever was crawled since.`,
    publishedAt: Date.UTC(2025, 1, 11, 8, 30),
  },
  {
    path: '/notes/time-is-an-ordinal-range',
    title: 'Time is an ordinal range',
    description: 'How a cut in time costs nothing per document.',
    markdown: `# Time is an ordinal range

Inside a segment the captures are numbered in the order in which they were acquired. A cut in time is therefore a range of
numbers, found by one binary search, and the statistics that ranking needs up to the cut come from running sums. Searching
the past costs what searching the present costs.`,
    publishedAt: Date.UTC(2025, 4, 20, 14),
  },
  {
    path: '/notes/a-guest-on-the-web',
    title: 'A guest on the web',
    description: 'How the crawler behaves on other people’s servers.',
    markdown: `# A guest on the web

The crawler asks robots.txt first and takes silence for a no: when the file can't be fetched for a server error, nothing
is fetched at all. One request at a time goes to a host, with a pause in between, and a page that did not change is asked
for with its validators, so that the server may answer in a few bytes.`,
    publishedAt: Date.UTC(2025, 8, 2, 7, 45),
  },
]

function rewriteLink(href: string, file: string | undefined, known: ReadonlySet<string>): string {
  if (file === undefined || /^(?:[a-z][a-z0-9+.-]*:|#|\/)/i.test(href)) return href
  const [target = '', fragment] = href.split('#', 2)
  const to = sitePath(path.posix.join(path.posix.dirname(file), target))
  // The site has no source files, so a link to a source file becomes `#`.
  return known.has(to) ? `${to}${fragment === undefined ? '' : `#${fragment}`}` : '#'
}

/** Returns the file of a page: Markdown with front matter. Links to other documents lead to their pages. */
export function pageFile(
  { title, description, publishedAt, markdown, file }: SitePage,
  known: ReadonlySet<string>,
): string {
  const date = new Date(publishedAt).toISOString()
  const body = markdown.replace(/\]\(([^()\s]+)\)/g, (_, href: string) => `](${rewriteLink(href, file, known)})`)
  return `---\ntitle: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(description)}\ndate: ${date}\n---\n${body}`
}
