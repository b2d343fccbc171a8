import { chooseContent, chooseEverything } from './content/content-choice.ts'
import { explainChoice, undoRules } from './content/dropped-text.ts'
import { type ExtractedPage, type PageDates, unreadParts, withWarnings } from './extracted-page.ts'
import { breadcrumbsOf } from './facts/breadcrumbs.ts'
import {
  canonicalOf,
  descriptionOf,
  imageOf,
  isPaywalled,
  languageAlternates,
  robotsOf,
} from './facts/page-declarations.ts'
import { isForum, kindOfPage } from './facts/page-kind.ts'
import { pageLinks } from './facts/page-links.ts'
import { refreshOf } from './facts/page-refresh.ts'
import { unreadFormulas } from './html/formulas.ts'
import { parseHtml } from './html/html-parser.ts'
import { LinkResolver } from './html/link-resolver.ts'
import { factsOf, type HtmlFacts } from './html-facts.ts'
import { writeMarkdown } from './markdown/markdown-writer.ts'
import { withoutOpeningFence } from './markdown-source/opening-fence.ts'
import type { PageKind } from './page.ts'
import type { FieldRules } from './page-fields/field-rules.ts'
import { extractFields } from './page-fields/page-fields.ts'
import { parsedOnce } from './page-fields/parsed-once.ts'
import { typesOf } from './structured/json-ld.ts'
import type { PageMetadata } from './structured/page-metadata.ts'
import { structuredData } from './structured/structured-data.ts'

/** Extracts an HTML page from its decoded source. */
export function extractHtml(
  source: string,
  { fields, explain, ...options }: { url: string; latestAt?: number; fields?: FieldRules; explain?: boolean },
): ExtractedPage {
  const wanted = fields && parsedOnce(fields)
  const tree = parseHtml(source, wanted?.attributes)
  const { metadata, title, author, siteName, languages, order, published, modifiedAt } = factsOf(tree, options)
  const resolver = new LinkResolver(options.url, metadata.baseHref)
  const description = descriptionOf(metadata)
  const canonicalUrl = canonicalOf(tree, resolver)
  const alternates = languageAlternates(tree, resolver)
  const image = imageOf(metadata, resolver)
  const paywalled = isPaywalled(metadata)
  const items = structuredData(tree, metadata, resolver)
  const breadcrumbs = breadcrumbsOf(tree, items, resolver)
  const kind = kindOfPage(tree, metadata, {
    url: options.url,
    isDated: published !== undefined,
    isSigned: author !== undefined,
  })
  const content = undoRules(
    tree,
    chooseContent(
      tree,
      {
        isForum: kind === 'forum',
        isListing: kind === 'listing',
        keepsComments: isForum(metadata, options.url),
        isLenient: isOfShortBlocks(kind, published !== undefined || author !== undefined),
        isOfKnownKind: kind !== undefined,
        mayBeArticle:
          published !== undefined && (kind === 'article' || kind === undefined) && !isInstructions(metadata),
        title: title ?? '',
        author,
      },
      { resolver, url: options.url },
    ),
  )
  const markdown = writeMarkdown(tree, content.choice, resolver)
  const page: ExtractedPage = {
    title,
    author,
    description,
    ...datesIn({ published, modifiedAt }),
    lang: languages[0],
    canonicalUrl,
    refresh: refreshOf(tree, resolver),
    alternates: alternates.length > 0 ? alternates : undefined,
    siteName,
    image,
    breadcrumbs: breadcrumbs.length > 0 ? breadcrumbs : undefined,
    isPaywalled: paywalled,
    robots: robotsOf(metadata),
    markdown: withoutOpeningFence(declaredText(markdown, metadata.article?.articleBody, resolver) ?? markdown),
    links: pageLinks(tree, resolver),
    data: items,
    kind,
    fields: wanted && extractFields(wanted.rules, { tree, metadata, resolver, order }),
    explanation: explain ? explainChoice(tree, content) : undefined,
  }
  return withWarnings(page, unreadParts(source.includes('<mjx-container') ? unreadFormulas(tree) : 0, 'formula'))
}

/**
 * Finds only the dates of an HTML page, which takes less time than {@link extractHtml}.
 */
export function datesOfHtml(source: string, options: { url: string; latestAt?: number | undefined }): PageDates {
  return datesIn(factsOf(parseHtml(source), options))
}

function datesIn({ published, modifiedAt }: Pick<HtmlFacts, 'published' | 'modifiedAt'>): PageDates {
  return {
    publishedAt: published?.iso,
    publishedFrom: published && { source: published.source, precision: published.precision },
    modifiedAt,
  }
}

/** True for recipes and instructions, which have short lines instead of prose. */
function isInstructions({ article }: PageMetadata): boolean {
  return article !== undefined && typesOf(article).some(type => type === 'Recipe' || type === 'HowTo')
}

/** True for pages that are hardly ever articles: manuals, products, and pages without author and date. */
function isOfShortBlocks(kind: PageKind | undefined, isSigned: boolean): boolean {
  return kind === 'docs' || kind === 'product' || (kind !== 'forum' && !isSigned)
}

/**
 * Length below which the Markdown is replaced by the article text that the structured data declares, if there is any.
 */
const THIN_CHARS = 300

/**
 * Returns the declared text of a page as Markdown if the page is filled in by a script: the page has hardly any text,
 * and its structured data has it, sometimes as HTML. Otherwise undefined.
 */
function declaredText(markdown: string, declared: unknown, resolver: LinkResolver): string | undefined {
  if (markdown.length >= THIN_CHARS || typeof declared !== 'string' || declared.length < THIN_CHARS) return undefined
  const body = parseHtml(declared.slice(0, MAX_DECLARED_CHARS).replaceAll('\n', '<br><br>'))
  return writeMarkdown(body, chooseEverything(body, { hidden: false }), resolver)
}

const MAX_DECLARED_CHARS = 1_000_000
