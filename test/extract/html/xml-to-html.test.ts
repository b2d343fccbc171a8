import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'
import { xmlToHtml } from '../../../extract/html/xml-to-html.ts'

const ns = 'xmlns="http://www.w3.org/1999/xhtml"'
const read = (body: string, type = 'application/xhtml+xml', url = 'https://a.example/') => {
  const { title, markdown } = extractPage(Buffer.from(body), {
    url,
    contentType: type === 'unknown' ? undefined : type,
  })
  return { title, markdown }
}

describe('xmlToHtml', () => {
  it('closes elements that are empty in XML', () => {
    const empty = [
      'title',
      'script',
      'style',
      'textarea',
      'iframe',
      'noframes',
      'a id="x"',
      'div',
      'p',
      'i',
      'td',
      'select',
    ]
    for (const tag of empty) {
      const body = `<html ${ns}><head><title>T</title></head><body><p>Before</p><${tag}/><p>After</p></body></html>`
      expect(read(body), tag).toEqual({ title: 'T', markdown: 'Before\n\nAfter' })
    }
    expect(read(`<html ${ns}><head><title/><script src="x" /></head><body><p>Words</p></body></html>`).markdown).toBe(
      'Words',
    )
    expect(read(`<html ${ns}><body><p>One<br></br>two<br/>three</p><hr></hr></body></html>`).markdown).toBe(
      'One  \ntwo  \nthree\n\n---',
    )
  })
  it('reads CDATA sections as text', () => {
    const body = `<html ${ns}><head><title><![CDATA[A & <b>]]></title></head><body><p><![CDATA[x < y && <i>z</i>]]> end</p></body></html>`
    expect(read(body)).toEqual({ title: 'A & <b>', markdown: 'x < y && \\<i>z\\</i> end' })
    const script = `<script type="application/ld+json"><![CDATA[{"@type":"Article","headline":"From data"}]]></script>`
    expect(read(`<html ${ns}><head>${script}</head><body><p>x</p></body></html>`).title).toBe('From data')
  })
  it('removes the prefixes of XHTML, whatever they are', () => {
    const body = `<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:title>T</h:title></h:head><h:body><h:h2>Head</h:h2><h:p>One</h:p><h:br/><o:p xmlns:o="urn:o">kept</o:p></h:body></h:html>`
    for (const type of ['application/xhtml+xml', 'application/xml', 'text/xml', 'unknown'])
      expect(read(body, type)).toEqual({ title: 'T', markdown: '## Head\n\nOne\n\nkept' })
  })
  it('decodes the entities of HTML and those that the document declares, without expanding them beyond a limit', () => {
    const doctype =
      '<!DOCTYPE html [<!ENTITY co "Foo &amp; Bar"><!-- > ] --><!ENTITY long \'&co; Inc.\'><!ENTITY x SYSTEM "file:///etc/passwd">]>'
    expect(read(`${doctype}<html ${ns}><body><p>caf&eacute;&nbsp;&long; &x; &#x263A;</p></body></html>`).markdown).toBe(
      'café Foo & Bar Inc. \\&x; ☺',
    )
    const laughs = Array.from({ length: 30 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('')
    const bomb = `<!DOCTYPE html [<!ENTITY l0 "lol">${laughs}]><html ${ns}><body><p>${'&l30;'.repeat(20_000)}</p></body></html>`
    expect(xmlToHtml(bomb).length).toBeLessThan(bomb.length + 1_100_000)
  })
  it('reads XHTML that is not well formed by the rules of HTML', () => {
    const body = `<html ${ns}><head><title/><script>if (a < b && c > d) x("<p>");</script></head><body><p>One<br>two <b>bold</p><a id="x"/><p>Three`
    expect(read(body).markdown).toBe('One  \ntwo **bold**\n\nThree')
  })
  it('is used for XHTML by type, XML declaration or file name, and never for text/html', () => {
    const body = `<html ${ns}><body><div/><p>x <i/>y</p></body></html>`
    const asXml = 'x y'
    expect(read(body).markdown).toBe(asXml)
    expect(read(`<?xml version="1.0"?>${body}`, 'unknown').markdown).toBe(asXml)
    expect(read(body, 'unknown', 'https://a.example/page.xhtml').markdown).toBe(asXml)
    expect(read(`<?xml version="1.0"?>${body}`, 'text/html').markdown).toBe('x *y*')
  })
  it('separates the texts of adjacent elements that HTML does not define', () => {
    const body = '<offer><name>Lamp</name><price>3</price><note>H<sub>2</sub>O, <em>not</em> oil</note></offer>'
    expect(read(body, 'application/xml').markdown).toMatch(/^Lamp 3 H.*O, \*not\* oil$/)
  })
  it('keeps HTML that is well-formed XML as it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<p>', '</p>', 'a & b', '<br/>', '<!-- x -->', '<b class="c">', '</b>')),
        parts => {
          const html = `<html><body>${parts.join('')}</body></html>`
          expect(xmlToHtml(html)).toBe(html)
        },
      ),
    )
  })
  it('accepts any text, in linear time', () => {
    const pieces = [
      '<',
      '>',
      '/',
      '<![CDATA[',
      ']]>',
      '<!DOCTYPE',
      '[',
      ']',
      '<!ENTITY a "',
      '&a;',
      '<title',
      '/>',
      '<a:b',
      ' xmlns:a="http://www.w3.org/1999/xhtml"',
      '"',
      '<?',
      '?>',
      '<script>',
      '</',
      'é',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), parts => {
        expect(typeof read(parts.join(''), 'application/xml').markdown).toBe('string')
        expect(typeof read(parts.join('')).markdown).toBe('string')
      }),
    )
    for (const piece of pieces) xmlToHtml(piece.repeat(50_000))
  })
})

describe('XML of other kinds', () => {
  it('reads the descriptions and texts of an SVG picture', () => {
    const svg = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><s:svg xmlns:s="http://www.w3.org/2000/svg"><s:title>Map of A</s:title><s:desc>Where it is</s:desc><s:style>.a{}</s:style><s:g><s:title>Part</s:title><s:text><s:tspan>North</s:tspan><s:tspan>Gate</s:tspan></s:text></s:g></s:svg>`
    const expected = { title: 'Map of A', markdown: 'Map of A\n\nWhere it is\n\nPart\n\nNorth Gate' }
    expect(read(svg, 'image/svg+xml')).toEqual(expected)
    expect(read(svg, 'unknown')).toEqual(expected)
  })
  it('reads a file of MathML', () => {
    const math =
      '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mi>x</m:mi><m:mo>=</m:mo><m:mn>42</m:mn></m:math>'
    expect(read(math, 'application/mathml+xml').markdown).toMatch(/x.*=.*42/)
  })
  it('reads RDF and XML whose root is named like a feed, and that are not feeds', () => {
    expect(
      read(
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><Person><name>Ada</name></Person></rdf:RDF>',
        'application/rdf+xml',
      ).markdown,
    ).toBe('Ada')
    expect(read('<feed><cow>Hay</cow></feed>', 'application/xml').markdown).toBe('Hay')
  })
})

describe('pages of text/html', () => {
  it('are not taken by an element that never closes', () => {
    for (const tag of [
      '<title/>',
      '<title>',
      '<textarea/>',
      '<iframe src="x"/>',
      '<script src="x"/>',
      '<style/>',
      '<noframes>',
      '<xmp/>',
    ]) {
      const { markdown } = read(`<html><head>${tag}</head><body><p>One</p>${tag}<p>Two</p></body></html>`, 'text/html')
      expect(markdown, tag).toBe('One\n\nTwo')
    }
    expect(read('<title>Name<body><p>Words</p></body>', 'text/html')).toEqual({ title: 'Name', markdown: 'Words' })
    expect(read('<p>Words</p><script>cut("off', 'text/html').markdown).toBe('Words')
  })
  it('keeps the titles inside of other vocabularies as headings, and the text around their body', () => {
    const page = read(
      '<?xml version="1.0"?><topic><title>Pump</title><shortdesc>Starts it.</shortdesc><body><section><title>Cause</title><p>Dust.</p></section></body></topic>',
    )
    expect(page).toEqual({ title: 'Pump', markdown: 'Starts it.\n\n## Cause\n\nDust.' })
    const tei = read(
      '<?xml version="1.0"?><TEI><text><body><div><head>One</head><p>Tides.</p></div></body></text></TEI>',
    )
    expect(tei.markdown).toBe('## One\n\nTides.')
  })
})
