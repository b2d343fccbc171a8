import type { StructuredItem } from '@asof/core'
import { isNamedBy, termsOf } from './naming.ts'
import { findItems, given, isStructuredItem, listOf, valueText, valueTexts } from './structured-data.ts'
import type { Wizard, WizardAnswer } from './wizard.ts'
import { currencyOf, numberOf } from './written-number.ts'
import { timeOf } from './written-time.ts'

const intent = termsOf(
  'odds probability chance chances forecast prediction predictions market markets bet betting will win',
)

/** Properties in which pages list the outcomes of a market. */
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
  /** Price of a share that pays 1. Undefined if the page does not show one. */
  price?: number
}

/**
 * Parses a probability, such as `0.63` or `"63%"`. Returns undefined for a number over 1 without a percent sign, which
 * is ambiguous.
 */
function probabilityOf(value: unknown): number | undefined {
  const number = numberOf(value)
  if (number === undefined) return undefined
  const [first] = listOf(value)
  const share = typeof first === 'string' && /%\s*$/.test(first) ? number / 100 : number
  return share >= 0 && share <= 1 ? Number(share.toFixed(6)) : undefined
}

function outcomeOf(value: unknown): Outcome | undefined {
  if (!isStructuredItem(value)) return undefined
  const name = valueText(value.name) ?? valueText(value.itemOffered) ?? valueText(value.text)
  const price = probabilityOf(value.price)
  const percent = /^(?:P1|%|percent)$/i.test(valueText(value.unitCode) ?? valueText(value.unitText) ?? '')
  const given = percent ? `${valueText(value.value)}%` : value.value
  const probability = probabilityOf(value.probability) ?? probabilityOf(given) ?? price
  if (name === undefined || probability === undefined) return undefined
  return { name, probability, price }
}

/** Returns outcomes that have their names in one list and their prices in another. */
function pairedOutcomes(item: StructuredItem): Outcome[] {
  const names = listOf(item.outcomes)
  const prices = listOf(item.outcomePrices ?? item.probabilities)
  if (names.length !== prices.length || !names.every(name => typeof name === 'string')) return []
  return names.flatMap((written, at) => {
    const [name, probability] = [valueText(written), probabilityOf(prices[at])]
    return name === undefined || probability === undefined ? [] : [{ name, probability }]
  })
}

/**
 * Returns the outcomes of a market: at least two, each with a probability. If a page has only prices or values, they
 * must add up to about 1; otherwise two cheap offers of a shop would look like a market.
 */
function outcomesOf(item: StructuredItem): Outcome[] {
  const paired = pairedOutcomes(item)
  if (paired.length >= 2) return paired
  for (const list of lists) {
    const members = listOf(item[list])
    const outcomes = members.flatMap(member => outcomeOf(member) ?? [])
    if (outcomes.length < 2 || outcomes.length < members.length) continue
    const declared = members.every(member => isStructuredItem(member) && member.probability !== undefined)
    const sum = outcomes.reduce((all, { probability }) => all + probability, 0)
    if (declared || (sum > 0.9 && sum < 1.15)) return outcomes
  }
  return []
}

function questionOf(item: StructuredItem): string | undefined {
  return valueText(item.question) ?? valueText(item.name) ?? valueText(item.headline) ?? valueText(item.text)
}

/** Answers with markets whose question or outcomes the query names, with the probability of each outcome. */
export const predictionMarkets: Wizard = {
  name: 'prediction_markets',
  answer: ({ terms, captures }) =>
    captures.flatMap(capture => {
      const seen = new Set<string>()
      return findItems(capture.data, item => outcomesOf(item).length > 0).flatMap((item): WizardAnswer[] => {
        const question = questionOf(item) ?? capture.title
        const outcomes = outcomesOf(item)
        const qualifiers = [...outcomes.map(({ name }) => name), ...valueTexts(item.keywords)]
        if (!isNamedBy(terms, intent, { names: [question], qualifiers })) return []
        const closes = timeOf(item.endDate ?? item.validThrough ?? item.expires)
        const fields = given({
          question,
          outcomes,
          currency: currencyOf(item.priceCurrency, listOf(item.offers).find(isStructuredItem)?.priceCurrency),
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
