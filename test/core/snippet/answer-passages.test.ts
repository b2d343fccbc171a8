import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerPassages } from '../../../core/index.ts'

const cake = `# Lemon cake

A cake for a summer day, by Ada.

## Ingredients

You need:

- 200 g flour
- 3 eggs
- 2 lemons

## Prices

| item | price |
|---|---|
| flour | 1 € |
| eggs | 3 € |

## Method

Mix everything. Bake for 40 minutes at 180 degrees.

\`\`\`
oven(180)
\`\`\`
`

describe('the passages that answer an instruction', () => {
  it('contain its words, and come with their heading', () => {
    expect(answerPassages(cake, 'How long does it bake?')).toBe(
      '## Method\n\nMix everything. Bake for 40 minutes at 180 degrees.',
    )
  })

  it('include the whole list under a matching heading, with the line that introduces it', () => {
    expect(answerPassages(cake, 'List the ingredients')).toBe(
      '## Ingredients\n\nYou need:\n\n- 200 g flour\n- 3 eggs\n- 2 lemons',
    )
  })

  it('come with the head of their table', () => {
    const answer = answerPassages(cake, 'extract the price of flour')
    expect(answer).toContain('| item | price |\n|---|---|\n| flour | 1 € |')
    expect(answer).not.toContain('| eggs |')
  })

  it('are found by the stems of words', () => {
    expect(answerPassages(cake, 'baking in ovens')).toContain('oven(180)')
  })

  it.each([
    ['only gives an order', 'Please summarize the page'],
    ['has words that the page does not contain', 'Which phone to call?'],
  ])('are the beginning of the page if the instruction %s', (_, instruction) => {
    expect(answerPassages(cake, instruction)).toBe(cake.trim())
    const long = Array.from({ length: 100 }, (_, at) => `Paragraph number ${at} is here.`).join('\n\n')
    expect(answerPassages(long, instruction)).toBe(long.slice(0, answerPassages(long, instruction).length))
    expect(answerPassages(long, instruction).length).toBeLessThanOrEqual(1_000)
  })

  it('are empty for a page without text', () => {
    expect(answerPassages('\n \n', 'anything')).toBe('')
  })

  it('are at most 40, and at most 8,000 characters', () => {
    const many = Array.from({ length: 500 }, () => '- the tide').join('\n')
    expect(answerPassages(many, 'tide').split('\n')).toHaveLength(40)
    expect(answerPassages(`\`\`\`\n${'tide '.repeat(9_000)}\n\`\`\``, 'tide').length).toBeLessThanOrEqual(8_000)
  })

  it('are verbatim: every line of an answer is part of the page', () => {
    const line = fc.constantFrom(
      '# ships',
      '## tide',
      'ships at sea',
      'the tide:',
      '- tide',
      '  - ships',
      '| tide |',
      '|---|',
      '```',
      '',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), fc.string(), (lines, words) => {
        const page = lines.join('\n')
        const answer = answerPassages(page, `tide ${words}`)
        for (const part of answer.split('\n')) expect(page).toContain(part)
        expect(answer.isWellFormed() || !page.isWellFormed()).toBe(true)
      }),
    )
  })
})
