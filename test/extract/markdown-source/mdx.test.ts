import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mdxToMarkdown } from '../../../extract/markdown-source/mdx.ts'
import { processorMs } from '../../processor-time.ts'

describe('MDX as Markdown', () => {
  it('has no imports, exports, components and expressions, and keeps what is inside components', () => {
    const source = `import Tabs from '@theme/Tabs';
import {useState} from 'react';

export const Highlight = ({children, color}) => (
  <span
    style={{ color }}>

    {children}
  </span>
);

export default Layout

## Heading {#custom-id}

<Tabs groupId="os" values={[{label: 'A > B', value: "}"}]}>
  <TabItem value="win">

Use **Windows** & 5 < 6.

  </TabItem>
</Tabs>
{/* a comment with <tags> and a brace } */}
<>A fragment</> with <Highlight color="#fff">color</Highlight>{' '}and <motion.div
  animate={{ x: 1 }}
>motion</motion.div>.
`
    expect(mdxToMarkdown(source)).toBe('## Heading \n\nUse **Windows** & 5 < 6.\n\nA fragment with color and motion.\n')
  })

  it.each([
    ['a fenced block', '```jsx\nimport X from "y"\n\n<Foo bar={1}/>\n```\n'],
    ['a fence within a longer one', '````md\n```\n{x}\n```\n````\n'],
    ['a code span', 'Write `<Foo>{x}` or ``a ` {b}``.\n'],
    ['HTML', 'A <b>bold</b> <a href="x>y">link</a> and <br/>.\n'],
    ['a hard line break before a fence', 'A\\\n```\n{x}\n```\n'],
    ['an escaped brace or bracket', 'A \\{brace} and \\<Tag>.\n'],
    ['a comparison', 'If a < b and b > c, or x<5.\n'],
    ['an autolink', 'See <https://example.com/a> for more.\n'],
    ['a sentence that begins with import', 'Ships\nimport goods.\n'],
    ['a brace or tag without an end', 'A { brace and a <Tag with no end.\n'],
  ])('keeps %s', (_, source) => {
    expect(mdxToMarkdown(source)).toBe(source)
  })

  it('is read in linear time, whatever the file', () => {
    const units = 500_000
    for (const part of [
      '{',
      '<A {',
      '<a "',
      "<a x='",
      '{"\\"',
      '{`\\`',
      '{/*',
      '{//',
      '`',
      '`\\',
      '<>',
      '{}',
      '<A\n',
      '{\n',
      '\n',
      'export {}',
    ])
      for (const source of [part.repeat(units / part.length), `export ${part.repeat(units / part.length)}`])
        expect(
          processorMs(() => mdxToMarkdown(source)),
          JSON.stringify(part),
        ).toBeLessThan(20_000)
  })

  it('never fails', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '<',
      '>',
      '</',
      '/>',
      'A',
      ' ',
      '\n',
      '`',
      '```',
      '"',
      "'",
      '\\',
      '/*',
      '*/',
      '//',
      'import ',
      'export ',
      '(',
      ')',
      '=',
      'x',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), parts => {
        const source = parts.join('')
        expect(mdxToMarkdown(source).length).toBeLessThanOrEqual(source.length)
      }),
      { numRuns: 2000 },
    )
  })
})
