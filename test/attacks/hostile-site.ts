import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import { answerAsHostileSite as answerWithOrders } from '../hostile-answers.ts'

const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const paragraph = '<w:p><w:r><w:t>a</w:t></w:r></w:p>'

const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${WORD_TYPE}.main+xml"/></Types>`
const relations = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`

function wordText(paragraphs: number): Uint8Array {
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
  return strToU8(
    `<?xml version="1.0"?><w:document ${space}><w:body>${paragraph.repeat(paragraphs)}</w:body></w:document>`,
  )
}

function wordFile(more: Record<string, Uint8Array>, paragraphs: number): Buffer {
  const parts = { '[Content_Types].xml': strToU8(types), '_rels/.rels': strToU8(relations) }
  return Buffer.from(zipSync({ ...parts, 'word/document.xml': wordText(paragraphs), ...more }, { level: 9 }))
}

/** A small document whose text fills a heap. */
function heapBomb(): Buffer {
  return wordFile({}, 1_500_000)
}

/** An archive with two entries of the same name, the second of which is large. */
function duplicateNames(): Buffer {
  const bytes = wordFile({ 'word/documenX.xml': wordText(1_500_000) }, 1)
  const name = Buffer.from('word/documenX.xml')
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name)) bytes.write('word/document.xml', at, 'latin1')
  return bytes
}

/** A PDF of a few KB whose extraction takes long. */
function slowPdf(): Buffer {
  const content = deflateSync(Buffer.from('BT /F1 1 Tf (a) Tj ET\n'.repeat(400_000)), { level: 9 })
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  const length = () => parts.reduce((sum, part) => sum + part.length, 0)
  const add = (body: string, stream?: Buffer) => {
    offsets.push(length())
    parts.push(Buffer.from(`${offsets.length} 0 obj\n${body}\n`))
    if (stream) parts.push(Buffer.from('stream\n'), stream, Buffer.from('\nendstream\n'))
    parts.push(Buffer.from('endobj\n'))
  }
  add('<</Type/Catalog/Pages 2 0 R>>')
  add('<</Type/Pages/Kids[3 0 R]/Count 1>>')
  add('<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>')
  add(`<</Length ${content.length}/Filter/FlateDecode>>`, content)
  add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>')
  const at = length()
  const entries = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const size = offsets.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${entries}`
  parts.push(Buffer.from(`${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${at}\n%%EOF`))
  return Buffer.concat(parts)
}

/**
 * Serves hostile files and an honest page: `/honest`, `/heap-bomb/…`, `/duplicate-names/…`, `/slow-pdf/…`; and the answers of
 * [hostile-answers.ts](../hostile-answers.ts).
 */
export async function startHostileSite(): Promise<{ url: string; close(): Promise<void> }> {
  const files: Record<string, { type: string; body: Buffer }> = {
    honest: { type: 'text/html', body: Buffer.from('<title>Honest</title><p>An honest page about ferries.') },
    'heap-bomb': { type: WORD_TYPE, body: heapBomb() },
    'duplicate-names': { type: WORD_TYPE, body: duplicateNames() },
    'slow-pdf': { type: 'application/pdf', body: slowPdf() },
  }
  const links = Object.keys(files).map(name => `<a href="/${name}/1">${name}</a>`)
  files[''] = { type: 'text/html', body: Buffer.from(`<title>Index</title><p>Files.</p>${links.join(' ')}`) }
  const server = createServer((request, response) => {
    const file = files[request.url!.split('/', 2)[1]!.split('?')[0]!]
    if (file) response.writeHead(200, { 'content-type': file.type }).end(file.body)
    else answerWithOrders(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
