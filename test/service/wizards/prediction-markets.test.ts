import { describe, expect, it } from 'vitest'
import { predictionMarkets } from '../../../service/wizards/prediction-markets.ts'
import { fieldsOf } from './wizard-question.ts'

const answers = (query: string, ...data: unknown[]) => fieldsOf(predictionMarkets, query, ...data)
const question = 'Will the Harbour bridge open in 2027?'

const yesNo = [
  { name: 'Yes', probability: 0.63 },
  { name: 'No', probability: 0.37 },
]

describe('prediction_markets', () => {
  it('answers with the probability of each outcome and the closing time of the market', async () => {
    const market = {
      '@type': 'Question',
      name: question,
      endDate: '2027-12-31T23:59:59Z',
      volume: '12,500.5',
      outcomes: [
        { name: 'Yes', probability: '63%' },
        { name: 'No', probability: 0.37 },
      ],
    }
    expect(await answers('harbour bridge odds', market)).toEqual([
      { question, outcomes: yesNo, volume: 12_500.5, closes_at: '2027-12-31T23:59:59.000Z' },
    ])
  })

  it.each([
    ['outcomes and their prices in two lists', { outcomes: ['Yes', 'No'], outcomePrices: ['0.63', '0.37'] }, yesNo],
    [
      'values of properties in percent',
      {
        additionalProperty: [
          { '@type': 'PropertyValue', name: 'Yes', value: 63, unitText: 'percent' },
          { '@type': 'PropertyValue', name: 'No', value: 37, unitCode: 'P1' },
        ],
      },
      yesNo,
    ],
    [
      'offers of shares whose prices add up to about one',
      {
        offers: [
          { '@type': 'Offer', name: 'Yes', price: '0.63', priceCurrency: 'USD' },
          { '@type': 'Offer', name: 'No', price: 0.39, priceCurrency: 'USD' },
        ],
      },
      [
        { name: 'Yes', probability: 0.63, price: 0.63 },
        { name: 'No', probability: 0.39, price: 0.39 },
      ],
    ],
  ])('reads %s', async (_shape, data, outcomes) => {
    expect(await answers('harbour bridge', { '@type': 'Event', name: question, ...data })).toMatchObject([
      { question, outcomes },
    ])
  })

  it.each([
    [
      'prices that do not add up to one',
      {
        offers: [
          { name: 'a', price: 0.2 },
          { name: 'b', price: 0.3 },
        ],
      },
    ],
    [
      'prices of goods',
      {
        offers: [
          { name: 'a', price: 20 },
          { name: 'b', price: 30 },
        ],
      },
    ],
    ['one outcome', { outcomes: [{ name: 'Yes', probability: 0.5 }] }],
    [
      'a probability over one',
      {
        outcomes: [
          { name: 'Yes', probability: 5 },
          { name: 'No', probability: 0.5 },
        ],
      },
    ],
    ['lists of two lengths', { outcomes: ['Yes', 'No'], outcomePrices: ['0.5'] }],
    [
      'properties without probabilities',
      {
        additionalProperty: [
          { name: 'Colour', value: 'red' },
          { name: 'Size', value: 3 },
        ],
      },
    ],
  ])('takes no market from %s', async (_what, data) => {
    expect(await answers('harbour bridge', { '@type': 'Product', name: question, ...data })).toEqual([])
  })

  it('does not answer if the query is about something else', async () => {
    const market = { '@type': 'Question', name: question, outcomes: yesNo }
    expect(await answers('election odds', market)).toEqual([])
    expect(await answers('yes', market)).toEqual([])
  })
})
