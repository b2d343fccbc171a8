import fc from 'fast-check'
import { Tokenizer } from 'htmlparser2'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HtmlTokenizer } from '../../../extract/html/html-tokenizer.ts'

type Callbacks = ConstructorParameters<typeof Tokenizer>[1]

/** Records every event with its positions. */
function recorder(): { callbacks: Callbacks; events: string[] } {
  const events: string[] = []
  const callbacks = new Proxy({} as Callbacks, {
    get: (_, name) =>
      name === 'isInForeignContext' ? () => false : (...at: unknown[]) => void events.push(`${String(name)} ${at}`),
  })
  return { callbacks, events }
}

const markup = fc
  .array(
    fc.constantFrom(
      '<',
      '</',
      '>',
      '/>',
      '<!--',
      '-->',
      '--!>',
      '<![CDATA[',
      ']]>',
      '<!doctype ',
      '<?',
      '&amp;',
      '&',
      '"',
      "'",
      '=',
      ' ',
      'a',
      'é€',
      '<p',
      '<script',
      '</script',
      '<style>',
      '</style>',
      '<title>',
      '</title>',
      '<textarea',
      '<xmp>',
      '<plaintext>',
      ' href="',
      ' x',
    ),
    { maxLength: 40 },
  )
  .map(parts => parts.join(''))

describe('HtmlTokenizer', () => {
  it('reports the same events as the tokenizer of htmlparser2, for any input in any chunks', () => {
    fc.assert(
      fc.property(fc.array(markup, { minLength: 1, maxLength: 3 }), chunks => {
        const [expected, found] = [recorder(), recorder()]
        for (const tokenizer of [
          new Tokenizer({ decodeEntities: false }, expected.callbacks),
          new HtmlTokenizer(found.callbacks),
        ]) {
          for (const chunk of chunks) tokenizer.write(chunk)
          tokenizer.end()
        }
        expect(found.events).toEqual(expected.events)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    'fastForwardTo',
    'stateInTagName',
    'stateInClosingTagName',
    'stateInAttributeName',
    'stateBeforeAttributeName',
  ] as const)('overrides %s, which htmlparser2 calls', method => {
    const skip = vi.spyOn(HtmlTokenizer.prototype, method)
    onTestFinished(() => skip.mockRestore())
    const tokenizer = new HtmlTokenizer(recorder().callbacks)
    tokenizer.write('<p title="long value" id=a>long text<!-- comment --><script>let a</script></p>')
    tokenizer.end()
    expect(skip.mock.calls.length).toBeGreaterThanOrEqual(2)
  })
})
