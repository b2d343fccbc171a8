import { describe, expect, it } from 'vitest'
import { extractBody } from '../../../extract/extract-body.ts'
import { archiveOf } from './made-files.ts'

const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'

/** Reads an EPUB with chapters in the files `0.xhtml`, `1.xhtml` and so on. */
async function read(chapters: readonly (string | undefined)[], files: Readonly<Record<string, string>> = {}) {
  const names = chapters.map((_, at) => `${at}.xhtml`)
  const items = names.map((name, at) => `<item id="c${at}" href="${name}" media-type="application/xhtml+xml"/>`)
  const bytes = archiveOf({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf': `<package><manifest>${items.join('')}</manifest><spine>${names.map((_, at) => `<itemref idref="c${at}"/>`).join('')}</spine></package>`,
    ...Object.fromEntries(chapters.flatMap((text, at) => (text === undefined ? [] : [[names[at]!, text]]))),
    ...files,
  })
  return await extractBody(bytes, { url: 'https://a.example/x' })
}
const encryption = (...paths: string[]) => ({
  'META-INF/encryption.xml': `<encryption xmlns:enc="e">${paths.map(path => `<enc:EncryptedData><enc:CipherData><enc:CipherReference URI="${path}"/></enc:CipherData></enc:EncryptedData>`).join('')}</encryption>`,
})

describe('a chapter of an EPUB', () => {
  it.each([
    ['an empty title', `<html ${XHTML}><head><title/></head><body><p>text</p></body></html>`],
    [
      'an empty script',
      `<?xml version="1.0"?><html ${XHTML}><head><script src="a.js"/></head><body><p>text</p></body></html>`,
    ],
    ['an empty style', `<html ${XHTML}><head><style/></head><body><p>text</p></body></html>`],
    ['an empty anchor and a text area', `<html ${XHTML}><body><textarea/><p><a id="x"/>text</p></body></html>`],
    ['CDATA', `<html ${XHTML}><body><p><![CDATA[text]]></p></body></html>`],
    [
      'a prefix',
      '<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title/></h:head><h:body><h:p>text</h:p></h:body></h:html>',
    ],
    ['no namespace', '<?xml version="1.0"?><html><head><title/></head><body><p>text</p></body></html>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><style>a{}</style><text>text</text></svg>'],
  ])('is read as XML: with %s', async (_what, chapter) => {
    expect((await read([chapter])).markdown).toBe('text')
  })
  it('keeps the mark of a note apart from its word', async () => {
    const note = '<aside epub:type="footnote" id="n"><p>A note.</p></aside>'
    const body = `<p>Word<a epub:type="noteref" href="#n">1</a> ends.</p>${note}`
    const page = await read([`<html ${XHTML} xmlns:epub="http://www.idpf.org/2007/ops"><body>${body}</body></html>`])
    expect(page.markdown).toBe('Word[^1] ends.\n\n[^1]: A note.')
  })
  it('keeps entities and signs as they are', async () => {
    const chapter = `<html ${XHTML}><body><p title='"'>1 &lt; 2 &amp; caf&eacute; <![CDATA[a<b]]></p></body></html>`
    expect((await read([chapter])).markdown).toBe('1 < 2 & café a\\<b')
  })
  it('that is missing or encrypted gives a warning', async () => {
    const chapter = `<html ${XHTML}><body><p>text</p></body></html>`
    expect(await read([chapter, undefined, 'cipher'], encryption('2.xhtml', 'a.otf'))).toMatchObject({
      markdown: 'text',
      warnings: [{ code: 'pages-unread', message: 'not read: 2 of 3 chapters' }],
    })
    expect((await read([chapter], encryption('a.otf'))).warnings).toBeUndefined()
  })
})

it('an EPUB throws ASOF_EXTRACT_FAILED if all its chapters are encrypted', async () => {
  await expect(read(['cipher'], encryption('0.xhtml'))).rejects.toMatchObject({
    code: 'ASOF_EXTRACT_FAILED',
    message: 'the EPUB is encrypted',
  })
})
