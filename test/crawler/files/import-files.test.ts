import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { importFiles } from '../../../crawler/files/import-files.ts'
import { archiveOf, docx, epub, pdf, pptx, xlsx } from '../../extract/documents/made-files.ts'

let dir: string
let folder: string
let engine: Engine
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-folder-'))
  folder = join(dir, 'site')
  engine = await open(':memory:')
  await mkdir(join(folder, 'sub dir', '.hidden'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<title>Start</title><p>The first page of the folder.</p>')
  await writeFile(join(folder, 'sub dir', 'read me.md'), '# Read me\n\nMarkdown it is.')
  await writeFile(join(folder, 'sub dir', 'note.TXT'), 'Plain text it is.')
  await writeFile(join(folder, 'image.png'), 'png')
  await writeFile(join(folder, 'sub dir', '.hidden', 'x.html'), '<p>hidden</p>')
})
afterEach(async () => {
  await engine.close()
  await rm(dir, { recursive: true })
})

describe('folder import', () => {
  it('imports HTML, Markdown and text under a base URL, and skips other files', async () => {
    await symlink(folder, join(folder, 'loop'))
    const report = await importFiles(engine, folder, { baseUrl: 'https://a.org/docs' })
    expect(report).toMatchObject({ read: 3, added: 3, failed: 0, leftOut: { '.png': 1 } })
    expect((await engine.page('https://a.org/docs/index.html'))?.title).toBe('Start')
    expect((await engine.page('https://a.org/docs/sub%20dir/read%20me.md'))?.markdown).toContain('Markdown it is')
    expect((await engine.page('https://a.org/docs/sub%20dir/note.TXT'))?.markdown).toContain('Plain text it is')
  })
  it('imports PDF, EPUB and Office documents with their metadata', async () => {
    const files = {
      docx: docx(),
      epub: epub(),
      pdf: pdf([[{ text: 'Whales', size: 11, x: 72, y: 700 }]]),
      pptx: pptx(),
      xlsx: xlsx(),
    }
    for (const [extension, bytes] of Object.entries(files)) await writeFile(join(folder, `a.${extension}`), bytes)
    await writeFile(join(folder, 'broken.pdf'), '%PDF-1.4')
    const report = await importFiles(engine, folder, { baseUrl: 'https://a.org/' })
    expect(report).toMatchObject({ read: 9, added: 8, failed: 1 })
    expect(report.failures[0]).toMatchObject({ where: 'broken.pdf', code: 'ASOF_EXTRACT_FAILED' })
    expect(await engine.page('https://a.org/a.docx')).toMatchObject({ title: 'The tides', author: 'Ann Lee' })
    const found = await Promise.all(
      ['whales', 'hisses', 'dredging', 'Hamburg', 'almanac'].map(word => engine.search(word)),
    )
    expect(found.map(({ results }) => results[0]?.url.slice(-4)).sort()).toEqual([
      '.pdf',
      'docx',
      'epub',
      'pptx',
      'xlsx',
    ])
  })
  it('names the file in a document that cannot be read', async () => {
    const twice = Buffer.from(archiveOf({ 'word/document.xml': '', 'word/document.xmm': '' }))
    for (let at = twice.indexOf('.xmm'); at >= 0; at = twice.indexOf('.xmm')) twice.write('.xml', at)
    await writeFile(join(folder, 'twice.docx'), twice)
    const { failures } = await importFiles(engine, folder, { baseUrl: 'https://a.org/' })
    expect(failures).toMatchObject([{ where: 'twice.docx', message: expect.stringContaining('“word/document.xml”') }])
  })
  it('makes file URLs without a base', async () => {
    await importFiles(engine, folder)
    expect((await engine.page(pathToFileURL(join(folder, 'index.html')).href))?.title).toBe('Start')
  })
  it('reports a file that it cannot import and continues', async () => {
    await writeFile(join(folder, 'big.html'), '')
    await truncate(join(folder, 'big.html'), 30 * 1024 * 1024)
    const report = await importFiles(engine, folder, { baseUrl: 'https://a.org/' })
    expect(report).toMatchObject({ read: 4, added: 3, failed: 1 })
    expect(report.failures[0]).toMatchObject({ where: 'big.html', code: 'ASOF_EXTRACT_TOO_LARGE' })
  })
  // Root can read every folder.
  it.skipIf(process.getuid?.() === 0)('reports a subfolder that it cannot read and continues', async () => {
    await chmod(join(folder, 'sub dir'), 0)
    try {
      const report = await importFiles(engine, folder, { baseUrl: 'https://a.org/' })
      expect(report).toMatchObject({ read: 2, added: 1, failed: 1, failures: [{ where: 'sub dir' }] })
    } finally {
      await chmod(join(folder, 'sub dir'), 0o700)
    }
  })
  it('imports a single file, whose URL is below that of its folder', async () => {
    const file = join(folder, 'sub dir', 'read me.md')
    expect(await importFiles(engine, file, { baseUrl: 'https://a.org/docs' })).toMatchObject({ read: 1, added: 1 })
    expect((await engine.page('https://a.org/docs/read%20me.md'))?.title).toBe('Read me')
    await importFiles(engine, file)
    expect((await engine.page(pathToFileURL(file).href))?.title).toBe('Read me')
    await expect(importFiles(engine, join(folder, 'image.png'))).rejects.toMatchObject({
      code: 'ASOF_UNSUPPORTED_TYPE',
      message: expect.stringContaining('.markdown'),
    })
  })
  it('reads the front matter of Markdown, and MDX without its code', async () => {
    const front = '---\nlayout: page\ntitle: Harbours\ndate: 2024-03-01\n---\n'
    await writeFile(join(folder, 'a.markdown'), `${front}Ships arrive.`)
    await writeFile(join(folder, 'b.mdx'), `${front}import Tabs from 'tabs'\n\n<Tabs values={[1]}>Ships leave.</Tabs>`)
    await writeFile(join(folder, 'c.txt'), `${front}Plain.`)
    expect(await importFiles(engine, folder, { baseUrl: 'https://a.org/' })).toMatchObject({ added: 6, failed: 0 })
    const page = { title: 'Harbours', publishedAt: Date.UTC(2024, 2, 1), publishedFrom: { source: 'meta' } }
    expect(await engine.page('https://a.org/a.markdown')).toMatchObject({ ...page, markdown: 'Ships arrive.' })
    expect(await engine.page('https://a.org/b.mdx')).toMatchObject({ ...page, markdown: 'Ships leave.' })
    expect((await engine.page('https://a.org/c.txt'))?.markdown).toContain('layout: page')
  })
  it('counts the files that it leaves out by their endings, whatever these are', async () => {
    for (const name of ['a.__proto__', 'constructor', 'b.PNG', 'c.constructor']) await writeFile(join(folder, name), '')
    const { leftOut } = await importFiles(engine, folder)
    expect(Object.entries(leftOut).sort()).toEqual([
      ['', 1],
      ['.__proto__', 1],
      ['.constructor', 1],
      ['.png', 2],
    ])
  })
  it('imports XML that is a document, whatever its ending, and counts other XML', async () => {
    const files = {
      'a.xhtml':
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>Barges moor.</p></body></html>',
      'b.xml':
        '<?xml version="1.0"?><article><front><article-meta><title-group><article-title>On tides</article-title></title-group></article-meta></front><body><p>Tides turn.</p></body></article>',
      'c.dbk': '<article xmlns="http://docbook.org/ns/docbook"><title>Locks</title><para>Locks fill.</para></article>',
      'd.svg': '<svg xmlns="http://www.w3.org/2000/svg"><text>Depth of the dock</text></svg>',
      'e.xml':
        '<!DOCTYPE topic PUBLIC "-//OASIS//DTD DITA Topic//EN" "topic.dtd"><topic id="t"><title>Cranes</title><body><p>Cranes lift.</p></body></topic>',
      'f.xml': '<rss version="2.0"><channel><title>News</title><item><title>Quay opens</title></item></channel></rss>',
      'g.xml': '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p>Ropes hold.</p></body></text></TEI>',
      'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"><path d="M1 2"/></svg>',
      'pom.xml': '<project xmlns="http://maven.apache.org/POM/4.0.0"><name>Harbor</name></project>',
      'sitemap.xml': '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/a</loc></url></urlset>',
    }
    for (const [name, source] of Object.entries(files)) await writeFile(join(folder, name), source)
    const report = await importFiles(engine, folder, { baseUrl: 'https://a.org/' })
    expect(report).toMatchObject({ read: 13, added: 10, failed: 0, otherXml: { '.svg': 1, '.xml': 2 } })
    const words = ['moor', 'tides', 'locks', 'dock', 'cranes', 'quay', 'ropes']
    const found = await Promise.all(words.map(word => engine.search(word)))
    expect(found.map(({ results }) => results[0]?.url.slice('https://a.org/'.length))).toEqual(
      Object.keys(files).slice(0, 7),
    )
  })
  it('rejects a single XML file that is not a document, with what can be imported', async () => {
    await writeFile(join(folder, 'pom.xml'), '<project><name>Harbor</name></project>')
    const report = await importFiles(engine, join(folder, 'pom.xml'))
    expect(report).toMatchObject({ read: 1, failed: 1, otherXml: {} })
    expect(report.failures[0]).toMatchObject({
      code: 'ASOF_UNSUPPORTED_TYPE',
      message: expect.stringContaining('JATS'),
    })
  })
  it('reports what it could not read of a document', async () => {
    await writeFile(join(folder, 'scan.pdf'), pdf([[{ text: 'Whales', size: 11, x: 72, y: 700 }], []]))
    const { warned, added } = await importFiles(engine, join(folder, 'scan.pdf'))
    expect(added).toBe(1)
    expect(warned).toMatchObject([{ where: 'scan.pdf', field: 'markdown', reason: expect.stringContaining('1 of 2') }])
  })
  it('fails if the folder does not exist', async () => {
    await expect(importFiles(engine, join(dir, 'nothing'))).rejects.toMatchObject({ code: 'ENOENT' })
  })
  it('rejects a base URL that is not http or https', async () => {
    await expect(importFiles(engine, folder, { baseUrl: 'file:///x' })).rejects.toMatchObject({
      code: 'ASOF_INVALID_URL',
    })
  })
})
