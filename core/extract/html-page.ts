import type { PageKind } from '../page.ts'
import { breadcrumbsOf } from './breadcrumbs.ts'
import { findSidelines } from './class-evidence.ts'
import { type ContentOptions, chooseContent, everything } from './content-choice.ts'
import { dayOrder } from './day-order.ts'
import type { ExtractedPage } from './extracted-page.ts'
import { parseHtml } from './html-parser.ts'
import type { HtmlTree } from './html-tree.ts'
import { typesOf } from './json-ld.ts'
import { languageAlternates } from './language-alternates.ts'
import { LinkResolver } from './link-resolver.ts'
import { writeMarkdown } from './markdown-writer.ts'
import { modifiedDateOf } from './modified-date.ts'
import { authorOf } from './page-author.ts'
import { canonicalOf, descriptionOf, imageOf, isPaywalled, languageOf, robotsOf } from './page-declarations.ts'
import { gatherFacts, type PageFacts } from './page-facts.ts'
import { isForum, kindOfPage } from './page-kind.ts'
import { pageLinks } from './page-links.ts'
import { siteNameOf, titleOf } from './page-title.ts'
import { findPublishDate } from './publish-date.ts'
import { structuredData } from './structured-data.ts'

/** Extracts an HTML page from its decoded source. */
export function extractHtml(source: string, options: { url: string; latestAt?: number }): ExtractedPage {
  const tree = parseHtml(source)
  const facts = gatherFacts(tree)
  const resolver = new LinkResolver(options.url, facts.baseHref)
  const sideline = findSidelines(tree)
  const siteName = siteNameOf(facts)
  const author = authorOf(tree, facts, siteName, sideline)
  const title = titleOf(facts, { tree, siteName, url: options.url, sideline, isSigned: author !== undefined })
  const description = descriptionOf(facts)
  const lang = languageOf(facts)
  const canonicalUrl = canonicalOf(facts, resolver)
  const alternates = languageAlternates(tree, resolver)
  const order = dayOrder(lang ?? '', options.url)
  const modifiedAt = modifiedDateOf(tree, facts, order)
  const published = findPublishDate(tree, facts, { ...options, title: title ?? '', order, sideline, modifiedAt })
  const image = imageOf(facts, resolver)
  const paywalled = isPaywalled(facts)
  const items = structuredData(tree, facts, resolver)
  const breadcrumbs = breadcrumbsOf(tree, items, resolver)
  const kind = kindOfPage(tree, facts, {
    url: options.url,
    isDated: published !== undefined,
    isSigned: author !== undefined,
  })
  return {
    ...(title === undefined ? {} : { title }),
    ...(author === undefined ? {} : { author }),
    ...(description === undefined ? {} : { description }),
    ...(published === undefined
      ? {}
      : { publishedAt: published.iso, publishedFrom: { source: published.source, precision: published.precision } }),
    ...(modifiedAt === undefined ? {} : { modifiedAt }),
    ...(lang === undefined ? {} : { lang }),
    ...(canonicalUrl === undefined ? {} : { canonicalUrl }),
    ...(alternates.length === 0 ? {} : { alternates }),
    ...(siteName === undefined ? {} : { siteName }),
    ...(image === undefined ? {} : { image }),
    ...(breadcrumbs.length === 0 ? {} : { breadcrumbs }),
    ...(paywalled === undefined ? {} : { isPaywalled: paywalled }),
    robots: robotsOf(facts),
    markdown: contentOf(
      tree,
      { resolver, url: options.url },
      {
        forum: kind === 'forum',
        listing: kind === 'listing',
        comments: isForum(facts, options.url),
        shortBlocks: isOfShortBlocks(kind, published !== undefined || author !== undefined),
        unknown: kind === undefined,
        story: published !== undefined && (kind === 'article' || kind === undefined) && !isInstructions(facts),
        title: title ?? '',
        author,
        declared: facts.article?.articleBody,
      },
    ),
    links: pageLinks(tree, resolver),
    data: items,
    ...(kind === undefined ? {} : { kind }),
  }
}

/** Recipes and instructions consist of short lines, not of prose. */
function isInstructions({ article }: PageFacts): boolean {
  return article !== undefined && typesOf(article).some(type => type === 'Recipe' || type === 'HowTo')
}

/** Manuals and products; and what nobody signed or dated is hardly an article. */
function isOfShortBlocks(kind: PageKind | undefined, isSigned: boolean): boolean {
  return kind === 'docs' || kind === 'product' || (kind !== 'forum' && !isSigned)
}

/** Markdown shorter than this is set against the article text that the page declares. */
const THIN_CHARS = 300

/** Never empty when the page has text to show: less and less is left out until there is some. */
function contentOf(
  tree: HtmlTree,
  page: { resolver: LinkResolver; url: string },
  options: ContentOptions & { /** `articleBody` of the JSON-LD. */ declared: unknown },
): string {
  const { resolver } = page
  let markdown = writeMarkdown(tree, chooseContent(tree, options, page), resolver)
  for (const hidden of [false, true]) {
    if (markdown !== '') break
    markdown = writeMarkdown(tree, everything(tree, { hidden }), resolver)
  }
  const declared = markdown.length < THIN_CHARS ? options.declared : undefined
  if (typeof declared !== 'string' || declared.length < THIN_CHARS) return markdown
  // The page fills itself in by script; its structured data carries the text, at times as HTML.
  const body = parseHtml(declared.slice(0, MAX_DECLARED_CHARS).replaceAll('\n', '<br><br>'))
  return writeMarkdown(body, everything(body, { hidden: false }), resolver)
}

const MAX_DECLARED_CHARS = 1_000_000
