import MarkdownIt, { type Token } from 'markdown-it'
import { type ComponentChild, type ComponentChildren, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { texts } from '../texts.ts'
import { headingId } from './heading-id.ts'

/**
 * Markdown of strangers as elements. The parser makes tokens, and the elements are made from these by a fixed list of names: no HTML
 * is ever parsed, so a page cannot bring an element, attribute, style or script of its own. Images of strangers are not loaded; their
 * description and address are shown instead. Links lead to http, https and mailto only.
 */
export function Markdown({ text, linkOf = webLink, pictureOf = noPicture }: MarkdownProps) {
  const content = useMemo(() => elementsOf(parser.parse(text, {}), { linkOf, pictureOf }), [text, linkOf, pictureOf])
  return (
    <div class="markdown" dir="auto">
      {content}
    </div>
  )
}

/** How links and pictures of a text become elements. */
interface Decisions {
  linkOf: LinkOf
  pictureOf: PictureOf
}

interface MarkdownProps extends Partial<Decisions> {
  text: string
}

/** Decides which address of this server a picture has; undefined shows its description alone. */
export type PictureOf = (src: string) => string | undefined

const noPicture: PictureOf = () => undefined

/** Decides where a link leads; undefined shows its text alone. A local address stays in the console. */
export type LinkOf = (href: string) => { href: string; isLocal: boolean } | undefined

const parser = new MarkdownIt('default', { html: false, linkify: false, typographer: false, maxNesting: 60 })
// All links are decided by `linkOf`, so that a refused one still shows its text.
parser.validateLink = () => true

/** Links of a page on the web. */
export const webLink: LinkOf = href => {
  if (!URL.canParse(href)) return undefined
  const { protocol } = new URL(href)
  return ['http:', 'https:', 'mailto:'].includes(protocol) ? { href, isLocal: false } : undefined
}

/** The elements that Markdown may become. Everything else is shown as its text. */
const names: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote em strong s table thead tbody tr th td'.split(' '),
)

interface Open {
  make: (children: ComponentChild[]) => ComponentChild
  children: ComponentChild[]
}

function elementsOf(tokens: readonly Token[], decide: Decisions): ComponentChildren {
  const ids = new Map<string, number>()
  const root: Open = { make: children => children as ComponentChild, children: [] }
  const open: Open[] = [root]
  const add = (child: ComponentChild) => (open.at(-1) ?? root).children.push(child)
  for (const [place, token] of tokens.entries()) {
    if (token.nesting === 1) {
      open.push({ make: makerOf(token, tokens[place + 1], ids, decide), children: [] })
    } else if (token.nesting === -1) {
      const closed = open.length > 1 ? open.pop() : undefined
      if (closed) add(closed.make(closed.children))
    } else {
      add(leafOf(token, decide))
    }
  }
  return root.children
}

function makerOf(token: Token, next: Token | undefined, ids: Map<string, number>, { linkOf }: Decisions): Open['make'] {
  if (token.type === 'link_open') {
    const link = linkOf(String(token.attrGet('href') ?? ''))
    if (!link) return children => h('span', { class: 'dead-link' }, children)
    if (link.isLocal) return children => h('a', { href: link.href }, children)
    return children => h('a', { href: link.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, children)
  }
  // The paragraphs of a tight list are hidden.
  if (token.hidden) return children => h('span', null, children)
  if (!names.has(token.tag)) return children => h('span', null, children)
  if (/^h[1-6]$/.test(token.tag)) {
    const id = headingId(next?.content ?? '', ids)
    // The title of the page is the only heading of the first level.
    const level = `h${Math.min(6, Number(token.tag[1]) + 1)}`
    return children => h(level, { id }, children)
  }
  if (token.tag === 'table') return children => <div class="table">{h('table', null, children)}</div>
  if (token.tag === 'ol') return children => h('ol', { start: Number(token.attrGet('start') ?? 1) || 1 }, children)
  return children => h(token.tag, null, children)
}

function leafOf(token: Token, decide: Decisions): ComponentChild {
  switch (token.type) {
    case 'inline':
      return h('span', null, elementsOf(token.children ?? [], decide))
    case 'softbreak':
      return ' '
    case 'hardbreak':
      return <br />
    case 'hr':
      return <hr />
    case 'code_inline':
      return <code>{token.content}</code>
    case 'code_block':
    case 'fence':
      return (
        <pre tabIndex={0}>
          <code>{token.content}</code>
        </pre>
      )
    case 'image': {
      const src = decide.pictureOf(String(token.attrGet('src') ?? ''))
      if (src !== undefined) return <img src={src} alt={token.content} loading="lazy" />
      return (
        <span class="image" title={String(token.attrGet('src') ?? '')}>
          {texts.page.image}
          {token.content !== '' && `: ${token.content}`}
        </span>
      )
    }
    default:
      return token.content
  }
}
