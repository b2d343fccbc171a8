import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../transports/http/running-server.ts'
import { chromiumPath, startBrowser } from './console-server.ts'

/** A text that fills several screens. */
const screens = Array.from({ length: 100 }, (_, i) => `${i + 1}.\n\n`).join('')

/** Each page has one passage below several screens, which the query finds, and begins with words of that passage. */
const pages: [what: string, query: string, passage: string, opening?: string][] = [
  ['English', 'ferry', 'The harbor master says that the night ferry leaves the old pier at seven in the evening.'],
  [
    'lines of 40 characters',
    'lighthouse',
    'The lighthouse on the northern rock was\nlit again in the spring, after the storm\nhad broken its lens.',
  ],
  [
    'links and emphasis',
    'bridge',
    'The **old bridge** over the [river Aln](https://river.example/a_b) is closed until the *masons* have come.',
  ],
  [
    'words that stand above too',
    'granary',
    'The keeper of the mill opens the granary on Monday.',
    'THE KEEPER OF THE MILL',
  ],
  ['Chinese', '灯塔', '灯塔看守人已经重新测量了水位，因为春天发了洪水，所有的船都要在港口等待。'],
  ['Japanese', '桟橋', '夜間のフェリーは午後七時に古い桟橋を出発し、翌朝に島へ着く予定です。'],
  ['Thai', 'เรือ', 'นายท่าเรือบอกว่าเรือข้ามฟากออกจากท่าเก่าตอนเจ็ดโมงเย็นของทุกวัน'],
  ['Korean', '부두를', '야간 여객선은 저녁 일곱 시에 오래된 부두를 떠난다고 항만장이 말했다.'],
  ['Arabic', 'الجسر', 'الجسر الحجري القديم مغلق حتى نهاية الشهر بسبب أعمال الصيانة الطارئة.'],
  ['Russian', 'паром', 'Ночной паром отходит от старой пристани в семь часов вечера, говорит начальник порта.'],
]

describe.skipIf(chromiumPath === undefined)('a citation in Chromium (skipped if it is not installed)', () => {
  let server: RunningServer
  let browser: Browser
  beforeAll(async () => {
    server = await startServer({
      captures: pages.map(([what, , passage, opening = ''], i) => ({
        url: `https://example.com/${i}`,
        title: what,
        markdown: `${opening}\n\n${screens}${passage}\n\n${screens}`,
      })),
    })
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  it.each(pages)('scrolls to the passage of a page with %s', async (_what, query, passage) => {
    const response = await fetch(`${server.url}/v1/search/public?query=${encodeURIComponent(query)}&include=citation`, {
      headers: { 'X-Service-Title': 'tests' },
    })
    const { results } = (await response.json()) as { results: { citation: { url: string } }[] }
    const page = await browser.newPage()
    await page.goto(results[0]!.citation.url)
    await page.waitForFunction('scrollY > 0')
    const line = JSON.stringify(passage)
    const [top, height] = await page.evaluate<[number, number]>(`(() => {
      const text = document.querySelector('pre').firstChild
      const range = document.createRange()
      const from = text.textContent.indexOf(${line})
      range.setStart(text, from)
      range.setEnd(text, from + ${line}.length)
      return [range.getBoundingClientRect().top, innerHeight]
    })()`)
    expect(top).toBeGreaterThan(0)
    expect(top).toBeLessThan(height)
    await page.close()
  })
})
