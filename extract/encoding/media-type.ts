/** The format as which a body is read. */
export type BodyKind = 'html' | 'xhtml' | 'text' | 'markdown' | 'mdx' | 'json' | 'xml' | DocumentKind

/** Formats of documents that are not text. The files in a `zip` show whether it is an EPUB or an Office document. */
export type DocumentKind = 'pdf' | 'zip'

export function isDocument(kind: BodyKind | undefined): kind is DocumentKind {
  return kind === 'pdf' || kind === 'zip'
}

/**
 * Returns the format of a body from its Content-Type. If that says nothing ({@link isSpecificType}), the first bytes
 * decide.
 *
 * @param head - the first bytes of the body.
 * @returns undefined if the format is not supported.
 */
export function bodyKind(contentType: string | undefined, url: string, head: Uint8Array): BodyKind | undefined {
  if (!isSpecificType(contentType)) {
    const kind = sniffKind(head, url)
    return kind === 'text' && isOddType(essenceOf(contentType ?? '')) ? undefined : kind
  }
  const kind = kindOfType(essenceOf(contentType))
  if (kind === 'html' && feedStart.test(charactersOf(head))) return 'xml'
  if (kind === 'text' && isArticleFile(url)) return 'xml'
  // Servers send Markdown as plain text and MDX as Markdown, so the extension in the URL decides.
  return kind === 'text' || kind === 'markdown' ? (markdownKind(url) ?? kind) : kind
}

/** The top-level types that are registered at IANA, and `chemical`, which is in wide use. */
const topLevelType =
  /^(?:application|audio|chemical|example|font|haptics|image|message|model|multipart|text|video)\/[\w!#$&.+^-]+$/
/** Types that servers send for files of any kind. */
const unspecificType = /^application\/(?:octet-stream|unknown|(?:x-|force-)?download|x-unknown)$/
/**
 * Types that say how a file was made, or that are not registered (RFC 6648). Servers send them for pages of PHP and CGI programs, for
 * documents that replaced an older format, and for HTML that a program wrote as a document.
 */
const oddType =
  /^application\/(?:x-.+|(?:php\d?|phtml|aspx?|jsp|f?cgi|perl|html?|text|plain|txt|zip|msword|acrobat|force)|vnd\.(?:ms-(?:word|excel|powerpoint)\b.*|pdf|php))$|^text\/(?:x-)?php$/

/**
 * True if a Content-Type says what a body is. False if it is missing, has no registered top-level type (`html`, `unknown/unknown`,
 * `binary/octet-stream`, only a charset), is sent for any file, says how the body was made (`application/x-httpd-php`), or misspells the
 * type of HTML.
 */
export function isSpecificType(contentType: string | undefined): contentType is string {
  const type = contentType === undefined ? '' : essenceOf(contentType)
  if (!topLevelType.test(type) || unspecificType.test(type) || isOddType(type)) return false
  return type === 'text/html' || type === 'application/xhtml+xml' || !/\/(?:x-)?x?html?\d*$/.test(type)
}

/**
 * True for a type that servers send for pages, but also for other text, such as programs and settings. The bytes must then show that the
 * body is a page.
 */
function isOddType(type: string): boolean {
  return oddType.test(type) && !unspecificType.test(type)
}

function essenceOf(contentType: string): string {
  const [essence = ''] = contentType.split(';', 1)
  return essence.trim().toLowerCase()
}

function kindOfType(type: string): BodyKind | undefined {
  switch (type) {
    case 'text/html':
    // Servers send this for HTML that they made from templates.
    case 'text/x-server-parsed-html':
      return 'html'
    case 'application/xhtml+xml':
      return 'xhtml'
    case 'application/pdf':
      return 'pdf'
    case 'application/epub+zip':
      return 'zip'
    case 'text/markdown':
    case 'text/x-markdown':
      return 'markdown'
    case 'text/mdx':
      return 'mdx'
    case 'application/json':
    case 'text/json':
    case 'application/ld+json':
    case 'application/feed+json':
      return 'json'
    case 'text/xml':
    case 'application/xml':
    case 'application/rss+xml':
    case 'application/atom+xml':
    case 'application/rdf+xml':
      return 'xml'
    default:
      if (
        /^application\/vnd\.openxmlformats-officedocument\.(?:wordprocessing|spreadsheet|presentation)ml\./.test(type)
      )
        return 'zip'
      if (type.endsWith('+json')) return 'json'
      if (type.endsWith('+xml')) return 'xml'
      return type.startsWith('text/') ? 'text' : undefined
  }
}

/**
 * Matches the start of a feed that is declared as HTML: declarations and comments, then the root of RSS, Atom or RSS 1.0 (MIME Sniffing,
 * "distinguishing if a resource is a feed or HTML", of 2014).
 */
const feedStart = /^(?:\s|<\?(?:(?!\?>).)*\?>|<!--(?:(?!-->).)*-->)*<(?:rss[\s>]|feed\s[^>]{0,200}xmlns|rdf:RDF[\s>])/s

/** Returns the format of a Markdown file from the extension in its URL. */
function markdownKind(url: string): 'markdown' | 'mdx' | undefined {
  const path = URL.parse(url)?.pathname.slice(-20) ?? ''
  // Sites describe themselves to language models in Markdown (llmstxt.org).
  if (/\/llms(?:-full)?\.txt$/i.test(path)) return 'markdown'
  const [, extension] = /\.(md|markdown|mdx)$/i.exec(path) ?? []
  if (extension === undefined) return undefined
  return extension.toLowerCase() === 'mdx' ? 'mdx' : 'markdown'
}

/** True if the URL has an extension of XHTML. Many servers do not know these extensions. */
function isXhtmlFile(url: string): boolean {
  return /\.xht(?:ml)?$/i.test(URL.parse(url)?.pathname.slice(-20) ?? '')
}

/** True for the extensions of JATS and DocBook, which servers send as plain text. */
function isArticleFile(url: string): boolean {
  return /\.(?:nxml|dbk|docbook)$/i.test(URL.parse(url)?.pathname.slice(-20) ?? '')
}

/** Matches the start of XML without an XML declaration: its document type is not that of HTML, or its vocabulary is known. */
const xmlStart =
  /^(?:<!--[^>]{0,500}-->\s*)?(?:<!doctype\s+(?!html\b)[\w:.-]+\s+(?:public|system|\[)|<(?:rss|feed|rdf:rdf|svg|math)[\s>]|<[\w:.-]+\s[^<>]{0,500}http:\/\/docbook\.org\/ns\/docbook)/

const htmlTag = /<(?:!doctype html|html|head|body|title|meta|p|div|article|h1|table|a|br|ul|span|script|!--)[\s>/-]/
/** Length of the longest match of {@link htmlTag}. HTML with binary bytes must begin with a tag. */
const HTML_TAG_CHARS = 15

/** Returns bytes as characters of Latin-1, without a byte order mark of UTF-8. */
function charactersOf(head: Uint8Array): string {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1').replace(/^ï»¿/, '')
}

function sniffKind(head: Uint8Array, url: string): BodyKind | undefined {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  const text = charactersOf(head)
    .replaceAll('\0', isUtf16 ? '' : '\0')
    .trimStart()
  if (text.startsWith('%PDF-')) return 'pdf'
  if (text.startsWith('PK\u0003\u0004')) return isPackage(text, url) ? 'zip' : undefined
  const lower = text.slice(0, 1000).toLowerCase()
  if (lower.startsWith('<?xml')) return /<(?:[\w.-]{1,20}:)?html[\s>]/.test(lower) ? 'xhtml' : 'xml'
  if (xmlStart.test(lower) || (lower.startsWith('<') && isArticleFile(url))) return 'xml'
  if (lower.startsWith('<') && isXhtmlFile(url)) return 'xhtml'
  const markdown = markdownKind(url)
  // Many Markdown files contain HTML elements, so only a whole HTML document overrides the extension.
  if (markdown && !/^<(?:!doctype html|html)[\s>]/.test(lower) && !isBinary(head)) return markdown
  const isText = isUtf16 || !isBinary(head)
  if (htmlTag.test(isText ? lower : lower.slice(0, HTML_TAG_CHARS))) return 'html'
  if (!isText) return undefined
  if (/^[[{]\s*["{[\]}\d-]/.test(text)) return 'json'
  return lower.startsWith('<') ? 'html' : 'text'
}

/** True if the first file names of a ZIP archive, or the extension in the URL, are those of a supported document. */
function isPackage(head: string, url: string): boolean {
  return (
    head.startsWith('mimetype', 30) ||
    /\[Content_Types\]\.xml|(?:^|[^\w])(?:word|xl|ppt)\/\w/.test(head) ||
    /\.(?:epub|docx|xlsx|pptx)$/i.test(URL.parse(url)?.pathname.slice(-20) ?? '')
  )
}

/** True if the bytes contain a "binary data byte" (MIME Sniffing 3). */
function isBinary(head: Uint8Array): boolean {
  return head.some(
    byte => byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f),
  )
}
