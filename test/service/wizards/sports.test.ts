import { describe, expect, it } from 'vitest'
import { sports } from '../../../service/wizards/sports.ts'
import { fieldsOf } from './wizard-question.ts'

const derby = {
  '@context': 'https://schema.org',
  '@type': 'SportsEvent',
  name: 'Northport Rovers vs Southbay United',
  sport: 'https://en.wikipedia.org/wiki/Football',
  startDate: '2026-05-01T19:30:00+02:00',
  endDate: '2026-05-01T21:30:00+02:00',
  eventStatus: 'https://schema.org/EventScheduled',
  homeTeam: { '@type': 'SportsTeam', name: 'Northport Rovers' },
  awayTeam: { '@type': 'SportsTeam', name: 'Southbay United' },
  location: { '@type': 'StadiumOrArena', name: 'Harbour Ground', address: 'Northport' },
  superEvent: { '@type': 'SportsEvent', name: 'Coastal Cup' },
  offers: { '@type': 'Offer', url: '/tickets' },
}

const answers = (query: string, ...data: unknown[]) => fieldsOf(sports, query, ...data)

describe('sports', () => {
  it('answers with teams, time in UTC and venue', async () => {
    const [match] = await answers('northport rovers next match', derby)
    expect(match).toEqual({
      name: 'Northport Rovers vs Southbay United',
      sport: 'Football',
      competition: 'Coastal Cup',
      home_team: 'Northport Rovers',
      away_team: 'Southbay United',
      starts_at: '2026-05-01T17:30:00.000Z',
      ends_at: '2026-05-01T19:30:00.000Z',
      venue: 'Harbour Ground',
      status: 'scheduled',
      tickets_url: 'https://shop.example.com/tickets',
    })
  })

  it.each(['rovers vs united', 'southbay fixtures', 'coastal cup football schedule'])('answers %j', async query => {
    const answered = await answers(query, derby)
    expect(answered[0]).toMatchObject({ name: derby.name })
  })

  it.each(['football', 'harbour ground', 'match today', 'northport hotels'])('does not answer %j', async query => {
    expect(await answers(query, derby)).toEqual([])
  })

  it('keeps a time without an offset as local time, and builds a name from two teams', async () => {
    const match = {
      '@type': ['Event', 'SportsEvent'],
      competitor: [{ name: 'Ann Lee' }, { name: 'Bo Ray' }],
      startDate: '2026-05-01T19:30',
    }
    expect(await answers('ann lee', match)).toEqual([
      { name: 'Ann Lee – Bo Ray', competitors: ['Ann Lee', 'Bo Ray'], starts_local: '2026-05-01T19:30' },
    ])
  })

  it('ignores other events', async () => {
    expect(await answers('ann lee', { '@type': 'MusicEvent', name: 'Ann Lee live' })).toEqual([])
    expect(await answers('ann lee', { '@type': 'Event', name: 'Ann Lee reads' })).toEqual([])
  })
})
