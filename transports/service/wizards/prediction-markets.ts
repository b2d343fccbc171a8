import type { StructuredItem } from '@asof/core'
import { isNamed, termsOf } from './naming.ts'
import { findItems, given, isItem, listOf, textOf, textsOf } from './structured-data.ts'
import type { Wizard, WizardAnswer } from './wizard.ts'
import { currencyOf, numberOf } from './written-number.ts'
import { timeOf } from './written-time.ts'

const intent = termsOf(
  'odds probability chance chances forecast prediction predictions market markets bet betting will win',
)

/** Where pages list the outcomes of a market. */
const lists = [
  'outcomes',
  'contracts',
  'options',
  'answers',
  'suggestedAnswer',
  'additionalProperty',
  'offers',
  'hasPart',
]

interface Outcome {
  name: string
  /** 0 to 1. */
  probability: number
  /** What a share that pays 1 costs, where the page gives a price. */
  price?: number
}

/** A share of 1: `0.63`, `"63%"`. Of bare numbers over 1 nothing is known. */
function shareOf(value: unknown): number | undefined {
  const number = numberOf(value)
  if (number === undefined) return undefined
  const [first] = listOf(value)
  const share = typeof first === 'string' && /%\s*$/.test(first) ? number / 100 : number
  return share >= 0 && share <= 1 ? Number(share.toFixed(6)) : undefined
}

function outcomeOf(value: unknown): Outcome | undefined {
  if (!isItem(value)) return undefined
  const name = textOf(value.name) ?? textOf(value.itemOffered) ?? textOf(value.text)
  const price = shareOf(value.price)
  const percent = /^(?:P1|%|percent)$/i.test(textOf(value.unitCode) ?? textOf(value.unitText) ?? '')
  const given = percent ? `${textOf(value.value)}%` : value.value
  const probability = shareOf(value.probability) ?? shareOf(given) ?? price
  if (name === undefined || probability === undefined) return undefined
  return { name, probability, ...(price !== undefined && { price }) }
}

/** Outcomes in one list and what they cost in another beside it. */
function pairedOutcomes(item: StructuredItem): Outcome[] {
  const names = listOf(item.outcomes)
  const prices = listOf(item.outcomePrices ?? item.probabilities)
  if (names.length !== prices.length || !names.every(name => typeof name === 'string')) return []
  return names.flatMap((written, at) => {
    const [name, probability] = [textOf(written), shareOf(prices[at])]
    return name === undefined || probability === undefined ? [] : [{ name, probability }]
  })
}

/**
 * The outcomes of a market: at least two, all with a share of 1. Where nothing but prices or values says so they must
 * about add up to 1, or a shop's two offers under a dollar would be a market.
 */
function outcomesOf(item: StructuredItem): Outcome[] {
  const paired = pairedOutcomes(item)
  if (paired.length >= 2) return paired
  for (const list of lists) {
    const members = listOf(item[list])
    const outcomes = members.flatMap(member => outcomeOf(member) ?? [])
    if (outcomes.length < 2 || outcomes.length < members.length) continue
    const declared = members.every(member => isItem(member) && member.probability !== undefined)
    const sum = outcomes.reduce((all, { probability }) => all + probability, 0)
    if (declared || (sum > 0.9 && sum < 1.15)) return outcomes
  }
  return []
}

function questionOf(item: StructuredItem): string | undefined {
  return textOf(item.question) ?? textOf(item.name) ?? textOf(item.headline) ?? textOf(item.text)
}

/** Markets whose question or outcomes the query names, with what each outcome is given. */
export const predictionMarkets: Wizard = {
  name: 'prediction_markets',
  answer: ({ terms, captures }) =>
    captures.flatMap(capture => {
      const seen = new Set<string>()
      return findItems(capture.data, item => outcomesOf(item).length > 0).flatMap((item): WizardAnswer[] => {
        const question = questionOf(item) ?? capture.title
        const outcomes = outcomesOf(item)
        const besides = [...outcomes.map(({ name }) => name), ...textsOf(item.keywords)]
        if (!isNamed(terms, intent, { names: [question], besides })) return []
        const closes = timeOf(item.endDate ?? item.validThrough ?? item.expires)
        const fields = given({
          question,
          outcomes,
          currency: currencyOf(item.priceCurrency, listOf(item.offers).find(isItem)?.priceCurrency),
          volume: numberOf(item.volume),
          closes_at: closes.at,
          closes_local: closes.local,
        })
        const key = JSON.stringify(fields)
        if (seen.has(key)) return []
        seen.add(key)
        return [{ capture, fields }]
      })
    }),
}
