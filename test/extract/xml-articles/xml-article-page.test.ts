import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const read = (xml: string, url = 'https://a.example/x.xml', contentType: string | undefined = 'application/xml') =>
  extractPage(Buffer.from(xml), { url, contentType })
const jats = (body: string, meta = '', back = '') =>
  `<article xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:mml="http://www.w3.org/1998/Math/MathML" xml:lang="en"><front><journal-meta><journal-title>Journal</journal-title></journal-meta><article-meta><title-group><article-title>Silt</article-title></title-group>${meta}</article-meta></front><body>${body}</body><back>${back}</back></article>`
const docbook = (body: string, info = '') =>
  `<article xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink"><info><title>Guide</title>${info}</info>${body}</article>`
const ofJats = (body: string, back = '') => read(jats(body, '', back)).markdown.replace(/^# Silt\n\n/, '')
const ofDocbook = (body: string) => read(docbook(body)).markdown.replace(/^# Guide\n\n/, '')

describe('an article in JATS', () => {
  const meta = `<contrib-group><contrib contrib-type="author"><name><surname>Roe</surname><given-names>Ana</given-names></name><xref ref-type="aff" rid="a">1</xref></contrib>
    <contrib contrib-type="author"><collab>The Silt Group</collab></contrib><contrib contrib-type="editor"><name><surname>Ed</surname></name></contrib><aff id="a">Harbour School</aff></contrib-group>
    <pub-date pub-type="collection"><year>2020</year></pub-date><pub-date pub-type="epub"><day>5</day><month>3</month><year>2020</year></pub-date><pub-date pub-type="pmc-release"><year>2019</year></pub-date>
    <abstract><title>Abstract</title><sec><title>Aim</title><p>We measured.</p></sec></abstract><kwd-group><title>Keywords</title><kwd>silt</kwd>
    <kwd>mud</kwd></kwd-group>`

  it('has its title, authors, day of publication, abstract, key words and sections', () => {
    const page = read(
      jats('<sec><label>1.</label><title>Intro</title><p>Words.</p><sec><title>More</title><p>x</p></sec></sec>', meta),
    )
    expect(page).toMatchObject({
      title: 'Silt',
      author: 'Ana Roe, The Silt Group',
      publishedAt: '2020-03-05',
      publishedFrom: { precision: 'day' },
      lang: 'en',
      kind: 'article',
      description: 'Aim We measured.',
    })
    expect(page.markdown).toBe(
      '# Silt\n\n## Abstract\n\n### Aim\n\nWe measured.\n\nKeywords: silt, mud\n\n## 1. Intro\n\nWords.\n\n### More\n\nx',
    )
  })
  it('has a date in each form in which JATS states it, with its precision', () => {
    const dated = (date: string) => {
      const { publishedAt, publishedFrom } = read(jats('<p>x</p>', date))
      return [publishedAt, publishedFrom?.precision]
    }
    expect(dated('<pub-date date-type="pub" iso-8601-date="2021-04-02"/>')).toEqual(['2021-04-02', 'day'])
    expect(dated('<pub-date pub-type="ppub"><month>Apr</month><year>2021</year></pub-date>')).toEqual([
      '2021-04-01',
      'month',
    ])
    expect(dated('<pub-date pub-type="ppub"><year>2021</year></pub-date>')).toEqual(['2021-01-01', 'year'])
    expect(dated('<history><date date-type="received"><year>2019</year></date></history>')).toEqual([
      undefined,
      undefined,
    ])
  })
  it('keeps marks of notes and references apart from their words and numbers', () => {
    const body = `<p>Silt<xref ref-type="bibr" rid="B">1</xref> of 10<sup>6</sup> kg<sup><xref ref-type="bibr" rid="B">2</xref></sup> in [<xref ref-type="bibr" rid="B">3</xref>], word<fn id="n"><label>1</label><p>Note.</p></fn> and sand<xref ref-type="fn" rid="m">*</xref>.</p>`
    expect(ofJats(body, '<fn-group><fn id="m"><label>*</label><p>Last.</p></fn></fn-group>')).toBe(
      'Silt\\[1\\] of 10⁶ kg\\[2\\] in \\[3\\], word[^1] and sand[^2].\n\n[^2]: Last.\n[^1]: Note.',
    )
  })
  it('reads formulas as TeX, also of a whole TeX document, else as text', () => {
    const tex = '<tex-math>\\documentclass{x}\\begin{document}$$a^2 &lt; b$$\\end{document}</tex-math>'
    const math = '<mml:math><mml:mi>a</mml:mi><mml:mo>=</mml:mo><mml:mn>1</mml:mn></mml:math>'
    const of = (formula: string) => ofJats(`<p>Then ${formula} holds.</p>`)
    expect(of(`<inline-formula><alternatives>${math}${tex}</alternatives></inline-formula>`)).toBe(
      'Then $a^2 < b$ holds.',
    )
    expect(of(`<inline-formula>${math}</inline-formula>`)).toBe('Then a = 1 holds.')
    expect(of(`<alternatives>${tex}${math}</alternatives>`)).toBe('Then $a^2 < b$ holds.')
    expect(ofJats(`<disp-formula><label>(1)</label>${tex}</disp-formula>`)).toBe('$$a^2 < b$$\n\n(1)')
  })
  it('writes the caption before its table and the notes after it', () => {
    const table = `<table-wrap><label>Table 1</label><caption><p>Depths.</p></caption><table><thead><tr><th>Berth</th><th>m<xref ref-type="table-fn" rid="t"><sup>a</sup></xref></th></tr></thead>
      <tbody><tr><td rowspan="2">N</td><td>4</td></tr><tr><td>5</td></tr></tbody></table><table-wrap-foot><fn id="t"><label>a</label><p>Low tide.</p></fn></table-wrap-foot></table-wrap>`
    expect(ofJats(table)).toBe(
      '**Table 1** Depths.\n\n| Berth | m[^1] |\n| --- | --- |\n| N | 4 |\n|  | 5 |\n\n[^1]: Low tide.',
    )
  })
  it('reads lists with their labels, code, definitions and quotations', () => {
    const item = (label: string, text: string) =>
      `<list-item>${label && `<label>${label}</label>`}<p>${text}</p></list-item>`
    expect(ofJats(`<list list-type="order">${item('3.', 'c')}${item('4.', 'd')}</list>`)).toBe('3. c\n4. d')
    expect(ofJats(`<list list-type="order">${item('(a)', 'c')}${item('(b)', 'd')}</list>`)).toBe('- (a) c\n- (b) d')
    expect(ofJats(`<list list-type="bullet">${item('•', 'c')}${item('', 'd')}</list>`)).toBe('- c\n- d')
    expect(ofJats('<code language="c">int a;\n  // end</code>')).toBe('```c\nint a;\n  // end\n```')
    expect(ofJats('<def-list><def-item><term>TEU</term><def><p>A unit.</p></def></def-item></def-list>')).toBe(
      'TEU\n\nA unit.',
    )
    expect(ofJats('<p>x</p><disp-quote><p>Q.</p><attrib>A. Roe</attrib></disp-quote>')).toBe('x\n>\n> Q.\n>\n> A. Roe')
  })
  it('numbers its references, and joins their parts if they have no punctuation', () => {
    const name = (surname: string) => `<name><surname>${surname}</surname><given-names>A</given-names></name>`
    const parts = `<element-citation><person-group>${name('Roe')}\n${name('Li')}</person-group>
      <article-title>Silt</article-title><source>J Ports</source><year>2019</year><volume>12</volume><issue>3</issue><fpage>45</fpage><lpage>67</lpage></element-citation>`
    const mixed = `<mixed-citation>${name('Kim')}. <source>Mud</source>; <year>2018</year>.</mixed-citation>`
    const list = `<ref-list><title>References</title><ref id="a"><label>[1]</label>${parts}</ref>\n<ref><label>[2]</label>${mixed}</ref></ref-list>`
    expect(ofJats('<p>x</p>', list)).toBe(
      'x\n\n## References\n\n1. Roe A, Li A. Silt. J Ports, 2019, 12(3), 45–67\n2. Kim A. Mud; 2018.',
    )
  })
  it('names the target of a reference without text', () => {
    const body =
      '<p>See <xref rid="f"/>.</p><fig id="f"><label>Figure 2</label><caption><title>Map</title></caption><graphic xlink:href="f2"/></fig>'
    expect(ofJats(body)).toBe('See Figure 2.\n\n**Figure 2** Map')
  })
  it('links to addresses and identifiers', () => {
    const body = `<p><ext-link xlink:href="https://b.example/">site</ext-link>, <ext-link ext-link-type="doi" xlink:href="10.1/x">doi</ext-link></p>`
    expect(ofJats(body)).toBe('[site](https://b.example/), [doi](https://doi.org/10.1/x)')
  })
})

describe('a document in DocBook', () => {
  it('has its title, authors, date, abstract and sections, in version 4 and 5', () => {
    const author =
      '<author><personname><firstname>Ana</firstname><surname>Roe</surname></personname><email>a@b.example</email></author>'
    const five = read(
      docbook(
        '<section><title>One</title><para>x</para></section>',
        `${author}<pubdate>2021-05-04</pubdate><abstract><para>About.</para></abstract>`,
      ),
    )
    expect(five).toMatchObject({ title: 'Guide', author: 'Ana Roe', publishedAt: '2021-05-04', description: 'About.' })
    expect(five.markdown).toBe('# Guide\n\nAbout.\n\n## One\n\nx')
    const four = `<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [<!ENTITY who "Bo">]><book lang="de"><title>Buch</title><bookinfo><author><firstname>Bo</firstname><surname>Li</surname></author><date>2001</date></bookinfo><chapter><title>Eins</title><sect1><title>Teil</title><para>&who; hier</para></sect1></chapter></book>`
    expect(read(four)).toMatchObject({
      title: 'Buch',
      author: 'Bo Li',
      lang: 'de',
      publishedAt: '2001-01-01',
      markdown: '# Buch\n\n## Eins\n\n### Teil\n\nBo hier',
    })
  })
  it('reads lists, steps and terms', () => {
    const item = (text: string) => `<listitem><para>${text}</para></listitem>`
    expect(ofDocbook(`<orderedlist startingnumber="3">${item('c')}${item('d')}</orderedlist>`)).toBe('3. c\n4. d')
    expect(
      ofDocbook(
        `<orderedlist>${item('a')}</orderedlist><para>x</para><orderedlist continuation="continues">${item('b')}</orderedlist>`,
      ),
    ).toBe('1. a\n\nx\n\n2. b')
    expect(
      ofDocbook(
        '<procedure><title>To start</title><step><para>Open.</para></step><step><para>Close.</para></step></procedure>',
      ),
    ).toBe('To start\n\n1. Open.\n2. Close.')
    expect(ofDocbook(`<variablelist><varlistentry><term>-a</term>${item('All.')}</varlistentry></variablelist>`)).toBe(
      '-a\n\nAll.',
    )
  })
  it('puts the cells of a table under the columns that they name', () => {
    const table = `<table><title>Depths</title><tgroup cols="3"><colspec colname="a"/><colspec colname="b"/><colspec colname="c"/><thead><row><entry>A</entry><entry>B</entry><entry>C</entry></row></thead>
      <tbody><row><entry morerows="1">1</entry><entry namest="b" nameend="c">wide</entry></row><row><entry colname="c">last</entry></row></tbody></tgroup></table>`
    expect(ofDocbook(table)).toBe('Depths\n\n| A | B | C |\n| --- | --- | --- |\n| 1 | wide |  |\n|  |  | last |')
  })
  it('reads code as it is, without marks of callouts', () => {
    expect(
      ofDocbook(
        '<programlisting language="c">int f() {<co xml:id="c"/>\n  // &lt;end&gt; <emphasis>x</emphasis>\n}</programlisting>',
      ),
    ).toBe('```c\nint f() {\n  // <end> x\n}\n```')
    expect(
      ofDocbook(
        '<para>Call <function>f</function> in <code>a</code>, <citerefentry><refentrytitle>ls</refentrytitle><manvolnum>1</manvolnum></citerefentry></para>',
      ),
    ).toBe('Call `f` in `a`, ls(1)')
  })
  it('puts footnotes to the end, and shows the title of what is referred to', () => {
    expect(
      ofDocbook(
        '<para>word<footnote xml:id="n"><para>Note.</para></footnote> and <xref linkend="s"/>.</para><section xml:id="s"><title>Use</title><para>x</para></section>',
      ),
    ).toBe('word[^1] and Use.\n\n## Use\n\nx\n\n[^1]: Note.')
  })
  it('has a warning of files that it includes', () => {
    const page = read(docbook('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="a.xml"/><para>x</para>'))
    expect(page.warnings).toEqual([{ code: 'parts-unread', message: 'not read: 1 included file' }])
  })
  it('is recognized without a declaration, type or namespace', () => {
    const bare = '<!DOCTYPE chapter SYSTEM "x.dtd"><chapter><title>T</title><para>a</para></chapter>'
    expect(read(bare, 'https://a.example/x', 'application/octet-stream').markdown).toBe('# T\n\na')
    expect(read(docbook('<para>a</para>'), 'https://a.example/x', 'application/octet-stream').title).toBe('Guide')
    expect(read(jats('<p>a</p>'), 'https://a.example/x.nxml', 'text/plain').title).toBe('Silt')
  })
})

describe('other XML', () => {
  it('is not taken for an article', () => {
    expect(read('<article><h1>T</h1><p>x</p></article>').markdown).toBe('# T\n\nx')
    expect(read('<shop><title>S</title><section>x</section></shop>').kind).toBeUndefined()
  })
})

it('reads any article in linear time', () => {
  const names = [
    'article',
    'sec',
    'title',
    'list',
    'list-item',
    'label',
    'p',
    'fn',
    'xref',
    'table',
    'tr',
    'td',
    'alternatives',
    'tex-math',
    'ref',
    'mixed-citation',
    'year',
    'caption',
    'fig',
  ]
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 3 })), { maxLength: 40 }),
      parts => {
        const body = parts
          .map(([name, kind]) => [`<${name}>`, `</${name}>`, `<${name} id="a" rid="a"/>`, 'text'][kind])
          .join('')
        expect(typeof read(jats(body)).markdown).toBe('string')
      },
    ),
  )
  for (const name of names) read(jats(`<${name}>x</${name}>`.repeat(2000)))
})
