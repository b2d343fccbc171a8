import { describe, expect, it } from 'vitest'
import { labelsOf } from '../../../service/extraction/labels.ts'
import { processorMs } from '../../processor-time.ts'

const labels = (markdown: string) =>
  labelsOf(markdown).labels.map(({ label, value, isLoose }) => [label, markdown.slice(...value), isLoose])

describe('labels of a page', () => {
  it('are in lines, list items and headings', () => {
    expect(labels('Price: 12 €\n- **Author**: Jane Doe\n1. **ISBN:** 978-3\n### Weight: 3 kg\n> Size： L')).toEqual([
      ['Price', '12 €', false],
      ['Author', 'Jane Doe', false],
      ['ISBN', '978-3', false],
      ['Weight', '3 kg', false],
      ['Size', 'L', false],
    ])
  })

  it('end where the next label of the line begins', () => {
    expect(labels('**Color:** red **Size:** L')[0]).toEqual(['Color', 'red', false])
    expect(labels('SKU: A4; Category: cups')[0]).toEqual(['SKU', 'A4', false])
    expect(labels('Time: at 10:30 in Kiel')[0]).toEqual(['Time', 'at 10:30 in Kiel', false])
  })

  it('are in tables with two columns, and in the head of a table with one row', () => {
    expect(labels('| Price | 12 |\n| --- | --- |\n| Brand | **Acme** |')).toEqual([
      ['Price', '12', true],
      ['Brand', 'Acme', false],
    ])
    expect(labels('| A | B | C |\n|---|---|---|\n| 1 | 2 | 3 |')).toEqual([
      ['A', '1', false],
      ['B', '2', false],
      ['C', '3', false],
    ])
  })

  it('may be the paragraph before the value', () => {
    expect(labels('Weight\n\n12 kg')).toEqual([['Weight', '12 kg', true]])
  })

  it.each([
    'https://a.example/',
    'At 10:30 we met',
    'A sentence.\n\nAnother one.',
    '```\nPrice: 12\n```',
    'Price:',
    ': 12',
    '`type: x`',
    '<b: c>',
  ])('are not in %j', markdown => {
    expect(labels(markdown)).toEqual([])
  })

  it('keep the rows of tables for objects, with bars that are part of a cell', () => {
    const markdown = '| Size | Stock |\n| --- | --- |\n| L \\| XL | 3 |\n| M | 4 |'
    const [table] = labelsOf(markdown).tables
    expect(table?.head.map(({ label }) => label)).toEqual(['Size', 'Stock'])
    expect(table?.rows.map(row => row.map(cell => markdown.slice(...cell).trim()))).toEqual([
      ['L \\| XL', '3'],
      ['M', '4'],
    ])
  })

  it('take linear time', () => {
    const sources = [
      '*'.repeat(200_000),
      'a: '.repeat(70_000),
      '|'.repeat(200_000),
      `${'| - '.repeat(50_000)}|`,
      '[a: '.repeat(60_000),
      `${' '.repeat(200_000)}x`,
    ]
    for (const source of sources)
      expect(
        processorMs(() => labelsOf(`x | y\n${source}\n${source}`)),
        source.slice(0, 20),
      ).toBeLessThan(20_000)
  })
})
