import type { StructuredItem } from '@asof/core'
import { answerAbout, isNamedBy, termsOf } from './naming.ts'
import { findItems, given, itemTypesOf, listOf, memberOf, valueText, valueTexts, valueUrl } from './structured-data.ts'
import type { Wizard, WizardAnswer, WizardCapture } from './wizard.ts'
import { timeOf } from './written-time.ts'

const intent = termsOf(
  'match matches game games fixture fixtures score scores result results schedule kickoff tickets live next today tonight vs v when time',
)

function isSportsEvent(item: StructuredItem): boolean {
  const types = itemTypesOf(item)
  if (types.includes('SportsEvent')) return true
  return types.includes('Event') && (item.homeTeam !== undefined || item.sport !== undefined)
}

function fieldsOf(item: StructuredItem, base: string): Record<string, unknown> | undefined {
  const [home, away] = [valueText(item.homeTeam), valueText(item.awayTeam)]
  const competitors = [...new Set([...valueTexts(item.competitor), ...valueTexts(item.performer)])]
  const sides = home !== undefined && away !== undefined ? `${home} – ${away}` : undefined
  const name = valueText(item.name) ?? sides ?? (competitors.length === 2 ? competitors.join(' – ') : undefined)
  if (name === undefined) return undefined
  const [starts, ends] = [timeOf(item.startDate), timeOf(item.endDate)]
  return given({
    name,
    sport: valueText(item.sport)?.replace(/^https?:\/\/.*\//, ''),
    competition: valueText(item.superEvent),
    home_team: home,
    away_team: away,
    competitors,
    starts_at: starts.at,
    starts_local: starts.local,
    ends_at: ends.at,
    ends_local: ends.local,
    venue: valueText(item.location),
    status: memberOf(item.eventStatus)?.replace(/^event_/, ''),
    tickets_url: listOf(item.offers).map(offer => valueUrl(offer, base))[0],
  })
}

/** Answers with sports events that the query names by event, teams or competition. */
export const sports: Wizard = {
  name: 'sports',
  answer: question =>
    answerAbout(question, intent, captures => captures.flatMap(capture => matchesOn(capture, question.terms))),
}

function matchesOn(capture: WizardCapture, terms: readonly string[]): WizardAnswer[] {
  const seen = new Set<string>()
  return findItems(capture.data, isSportsEvent).flatMap((item): WizardAnswer[] => {
    const fields = fieldsOf(item, capture.url)
    if (!fields) return []
    const { name, home_team, away_team, sport, competition, venue } = fields as Record<string, string | undefined>
    const competitors = valueTexts(item.competitor)
    const names = [name, home_team, away_team, ...competitors, competition]
    if (!isNamedBy(terms, intent, { names, qualifiers: [sport, venue] })) return []
    const key = JSON.stringify([name, fields.starts_at, fields.starts_local])
    if (seen.has(key)) return []
    seen.add(key)
    return [{ capture, fields }]
  })
}
