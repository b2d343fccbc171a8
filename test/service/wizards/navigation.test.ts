import { describe, expect, it } from 'vitest'
import { navigation } from '../../../service/wizards/navigation.ts'
import { captureOf, questionOf } from './wizard-question.ts'

const article = captureOf([], {
  url: 'https://news.example.co.uk/a/1',
  title: 'An article',
  siteName: 'The Daily Bugle',
})
const home = captureOf([], { url: 'https://www.example.co.uk/', title: 'Welcome', siteName: 'The Daily Bugle' })
const newsHome = captureOf([], { url: 'https://news.example.co.uk/', title: 'News' })

async function hosts(query: string, results = [article], elsewhere = [home, newsHome]): Promise<unknown[]> {
  const answers = await navigation.answer(questionOf(query, results, elsewhere))
  return answers.map(({ capture, fields }) => {
    expect(fields.host).toBe(new URL(capture.url).host)
    return fields.host
  })
}

describe('navigation', () => {
  it.each([
    ['a domain without its public suffix', 'example', 'www.example.co.uk'],
    ['a domain', 'example.co.uk', 'www.example.co.uk'],
    ['a host', 'news.example.co.uk', 'news.example.co.uk'],
    ['the site name', 'the daily bugle', 'news.example.co.uk'],
    ['the site name in one word', 'TheDailyBugle', 'news.example.co.uk'],
    ['part of the site name with a navigation word', 'Daily bugle website', undefined],
    ['the site name with a navigation word', 'the daily bugle website', 'news.example.co.uk'],
  ])('leads to the home page when the query is %s', async (_rule, query, host) => {
    expect(await hosts(query)).toEqual(host === undefined ? [] : [host])
  })

  it('gives the name of the site and the title of its home page', async () => {
    const [answer] = await navigation.answer(questionOf('example', [article], [home]))
    expect(answer).toEqual({
      capture: home,
      fields: { name: 'The Daily Bugle', title: 'Welcome', host: 'www.example.co.uk' },
    })
  })

  it('finds a host without a result', async () => {
    expect(await hosts('www.example.co.uk', [])).toEqual(['www.example.co.uk'])
  })

  it('reads names in other scripts', async () => {
    const page = captureOf([], { url: 'https://xn--bcher-kva.example/shop' })
    const root = captureOf([], { url: 'https://xn--bcher-kva.example/' })
    expect(await hosts('Bücher', [page], [root])).toEqual(['xn--bcher-kva.example'])
  })

  it.each(['example prices', 'bugle', 'a', '...', 'co.uk', 'file.txt', 'site'])('does not answer %j', async query => {
    expect(await hosts(query)).toEqual([])
  })

  it('does not answer if the index does not have the home page', async () => {
    expect(await hosts('example', [article], [])).toEqual([])
  })
})
