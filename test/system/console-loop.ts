/**
 * Makes the moving pictures of the README: somebody drags the time line of the console from now into the past and back, and the answers change.
 * Writes `console-light.webp` and `console-dark.webp` into a folder, by default `docs`. Run: `npm run console:loop -- [folder]`.
 * Needs Chromium, and `img2webp`, which is not an npm package (`apt install webp`, `brew install webp`).
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { ObservationInput } from '../../core/index.ts'
import { buildConsole, serveConsole, startBrowser } from './console-server.ts'

const folder = resolve(process.argv[2] ?? join(import.meta.dirname, '../../docs'))
/** The part of the page that is shown: below the links at its top. CSS pixels. */
const TOP = 50
const SIZE = { width: 1_000, height: 684 }
/** Makes 1,000 pixels: wider than a README is shown, so that letters stay sharp. */
const SCALE = 1_000 / SIZE.width
/** Time between two frames while the line moves, and the number of these frames in each direction. */
const FRAME_MS = 80
const MOVES = 22
/** Time for which the first frame, and the one farthest in the past, stay. */
const REST_MS = 900
/** Duration of the movements in the list of results, as in `result-list.tsx`. */
const MOVE_MS = 280
/** Where the line rests in the past, as a share of the width of the time line. */
const PAST = 0.2
const DAY_MS = 86_400_000

/** A history about a night train whose fare, timetable and news change over eight years, and the timetables of other lines. */
function nightTrainHistory(): ObservationInput[] {
  const page = (host: string, path: string, at: string, title: string, text: string): ObservationInput => ({
    url: `https://${host}/${path}`,
    title,
    text,
    acquiredAt: at,
    publishedAt: at.slice(0, 10),
  })
  const [rail, news, guide] = ['rail.example', 'news.example', 'guide.example']
  const fare = (at: string, title: string, text: string) =>
    page(rail, 'night-train-lisbon', at, `Night train to Lisbon: ${title}`, `The night train to Lisbon ${text}`)
  const others = ['Porto', 'Madrid', 'Paris', 'Vienna', 'Rome', 'Berlin', 'Prague', 'Oslo', 'Zürich', 'Warsaw']
  return [
    fare('2018-03-10', 'from 29 euros', 'leaves at 21:50. Tickets to Lisbon cost 29 euros.'),
    fare('2019-06-04', 'from 39 euros', 'leaves at 21:50. Tickets to Lisbon cost 39 euros.'),
    fare('2020-03-17', 'suspended', 'does not run. Tickets to Lisbon are refunded.'),
    fare('2023-05-02', 'from 59 euros', 'leaves at 20:15. Tickets to Lisbon cost 59 euros.'),
    fare('2025-04-08', 'from 49 euros', 'leaves at 19:40. Tickets to Lisbon cost 49 euros.'),
    page(
      guide,
      'lisbon',
      '2018-05-20',
      'A weekend in Lisbon',
      'Arrive by train in the morning, after a night on rails.',
    ),
    page(
      guide,
      'sleepers',
      '2018-08-01',
      'Europe by night train',
      'A night train saves a hotel. Our favorite one goes to Lisbon.',
    ),
    page(
      guide,
      'sleepers',
      '2021-02-01',
      'Europe by night train',
      'A night train saves a hotel. Our favorite one went to Lisbon.',
    ),
    page(
      guide,
      'sleepers',
      '2024-02-01',
      'Europe by night train',
      'A night train saves a hotel. Our favorite one goes to Lisbon again.',
    ),
    page(
      news,
      '2020/lisbon',
      '2020-03-16',
      'Last night train leaves for Lisbon',
      'The borders close. The last night train to Lisbon leaves this evening.',
    ),
    { url: `https://${news}/2020/lisbon`, removedAt: '2023-01-15' },
    page(
      news,
      '2022/petition',
      '2022-02-11',
      '90,000 people want their night train to Lisbon',
      'A petition reaches parliament: the night train to Lisbon should run again.',
    ),
    page(
      news,
      '2023/back',
      '2023-04-20',
      'Back after three years: the night train to Lisbon',
      'The night train to Lisbon runs again, with new beds and new cars.',
    ),
    page(
      news,
      '2025/sold-out',
      '2025-07-01',
      'Night train to Lisbon sold out until September',
      'All beds of the night train to Lisbon are sold. A second train is planned.',
    ),
    ...Array.from({ length: 420 }, (_, n): ObservationInput => {
      const other = others[n % others.length] ?? ''
      // More pages each year, and a few less in winter.
      const at = Date.UTC(2018, 0, 8) + Math.sqrt(n / 420) * 3_200 * DAY_MS + ((n * 37) % 23) * DAY_MS
      const text = `Trains to ${other} leave every ${(n % 5) + 1} hours from platform ${(n * 7) % 13}.`
      return {
        url: `https://${rail}/${n % 90}`,
        title: `Trains to ${other}`,
        text,
        acquiredAt: Math.min(at, Date.now() - DAY_MS),
      }
    }),
  ]
}

/**
 * Runs in each page: shows a pointer where the mouse is, and holds the movements of results, which `showAfter` advances. So each frame has the
 * movements of its time, however long it takes to make it.
 */
const PREPARED = `
  const animate = Element.prototype.animate
  const held = new Map()
  Element.prototype.animate = function (...how) {
    const animation = animate.apply(this, how)
    animation.pause()
    held.set(animation, 0)
    return animation
  }
  window.showAfter = ms => {
    for (const [animation, shownMs] of held) {
      held.set(animation, shownMs + ms)
      if (shownMs + ms < ${MOVE_MS}) animation.currentTime = shownMs + ms
      else if (held.delete(animation)) animation.finish()
    }
  }
  addEventListener('DOMContentLoaded', () => {
    const pointer = document.createElement('div')
    pointer.innerHTML = '<svg width="20" height="26" viewBox="0 0 20 26"><path d="M2 2v18l4.7-4.2 3 7 3.3-1.4-3-6.8H17z" fill="#111" stroke="#fff" stroke-width="1.6"/></svg>'
    pointer.style.cssText = 'position: fixed; left: 0; top: 0; z-index: 9999; pointer-events: none'
    document.body.append(pointer)
    addEventListener('pointermove', ({ clientX, clientY }) => {
      pointer.style.transform = 'translate(' + (clientX - 2) + 'px, ' + (clientY - 2) + 'px)'
    }, true)
  })`

interface Frame {
  file: string
  shownMs: number
}

/**
 * Drags the line from now into the past and back.
 *
 * @param frames - the folder of the pictures. Default: none is taken.
 * @returns the frames. The last one is like the first, so that the loop has no seam.
 */
async function drag(page: Page, frames?: string): Promise<Frame[]> {
  const track = await page.locator('.track').boundingBox()
  const handle = await page.locator('[role=slider]').boundingBox()
  if (!track || !handle) throw new Error('the console has no time line')
  const now = handle.x + handle.width / 2
  const past = track.x + track.width * PAST
  const y = track.y + track.height * 0.55
  const taken: Frame[] = []
  const move = async (x: number) => {
    await page.mouse.move(x, y)
    await page.waitForFunction("!document.querySelector('.handle.going') && !document.querySelector('.progress.runs')")
  }
  const take = async (shownMs: number) => {
    await page.evaluate(`showAfter(${FRAME_MS})`)
    if (frames === undefined) return
    const file = join(frames, `${String(taken.length).padStart(3, '0')}.png`)
    await page.screenshot({ path: file, clip: { x: 0, y: TOP, ...SIZE } })
    taken.push({ file, shownMs })
  }
  const dragLine = async (from: number, to: number) => {
    for (let n = 1; n <= MOVES; n++) {
      // Slow at both ends, as a hand is.
      const way = (1 - Math.cos((Math.PI * n) / MOVES)) / 2
      await move(from + (to - from) * way)
      await take(FRAME_MS)
    }
    // What still moves in the list comes to rest.
    for (let ms = 0; ms < MOVE_MS; ms += FRAME_MS) await take(FRAME_MS)
    await take(REST_MS)
  }
  await move(now)
  await page.mouse.down()
  await dragLine(now, past)
  await dragLine(past, now)
  await page.mouse.up()
  return taken
}

/** Makes the picture in one theme. */
async function makeLoop(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<void> {
  const frames = mkdtempSync(join(tmpdir(), 'asof-loop-'))
  const viewport = { width: SIZE.width, height: SIZE.height + TOP }
  const page = await browser.newPage({ viewport, colorScheme, deviceScaleFactor: SCALE, bypassCSP: true })
  try {
    await page.addInitScript(PREPARED)
    // The first searches of a server load and compile what the next ones use, and their durations are in the picture.
    for (let round = 0; round < 2; round++) {
      await page.goto(`${url}/?q=night+train+lisbon`)
      await page.waitForSelector('.result')
      await drag(page)
    }
    // Now the page knows all answers, and none is waited for.
    const taken = await drag(page, frames)
    const picture = join(folder, `console-${colorScheme}.webp`)
    const each = taken.flatMap(({ file, shownMs }) => ['-d', String(shownMs), file])
    execFileSync('img2webp', ['-loop', '0', '-min_size', '-lossless', '-m', '6', ...each, '-o', picture])
    const seconds = taken.reduce((sum, { shownMs }) => sum + shownMs, 0) / 1000
    console.log(
      `${picture}: ${taken.length} frames, ${seconds.toFixed(1)} s, ${Math.round(statSync(picture).size / 1000)} kB`,
    )
  } finally {
    await page.close()
    rmSync(frames, { recursive: true })
  }
}

mkdirSync(folder, { recursive: true })
buildConsole()
const server = await serveConsole(nightTrainHistory())
const browser = await startBrowser()
try {
  for (const colorScheme of ['light', 'dark'] as const) await makeLoop(browser, server.url, colorScheme)
} finally {
  await browser.close()
  await server.close()
}
