import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { type Engine, type ObservationInput, open } from '../../core/index.ts'
import { Access } from '../../service/accounts/index.ts'
import { Crawls } from '../../service/crawls/index.ts'
import { createService } from '../../service/index.ts'
import { LiveDoctor } from '../../transports/cli/live-doctor.ts'
import { createServer, type HttpSettings, listen, shutDown } from '../../transports/http/index.ts'
import { main } from './running-command.ts'

const root = resolve(import.meta.dirname, '../..')

/** Debian's Chromium; undefined if there is none. */
export const chromiumPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)

/** Starts Chromium as tests need it. */
export async function startBrowser() {
  const { chromium } = await import('playwright-core')
  return await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] })
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the rules of accessibility that a page breaks, as axe finds them, each with some of the elements. */
export async function violationsIn(page: Page): Promise<string[][]> {
  await page.evaluate(axeSource)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html }) => html.slice(0, 200))])
  })
}

/** With which administrators sign in to the server of {@link serveConsole}. */
export const adminToken = 'token-of-the-operator'

/** A server with the console. */
export interface ConsoleServer {
  url: string
  access: Access
  crawls: Crawls
  engine: Engine
  close(): Promise<void>
}

/** Builds the console from its sources. */
export function buildConsole(): void {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  execFileSync(process.execPath, [vite, 'build', 'console', '--logLevel', 'error'], { cwd: root, stdio: 'inherit' })
}

/** Serves the console, as it was built last, over an index with these observations. */
export async function serveConsole(
  observations: Iterable<ObservationInput>,
  { sealedAt, ...http }: Pick<HttpSettings, 'privateSearch' | 'keylessLimits'> & { sealedAt?: number } = {},
): Promise<ConsoleServer> {
  const dir = await mkdtemp(join(tmpdir(), 'asof-console-'))
  const engine = await open(dir)
  const { failures } = await engine.add(observations)
  if (failures[0]) throw new Error(failures[0].message)
  const whole = createService(engine, () => Promise.reject(new Error('nothing is fetched live here')))
  const service = sealedAt === undefined ? whole : whole.sealed(sealedAt)
  const keylessLimits = { perSecond: 1_000, perHour: 100_000 }
  const access = await Access.open(join(dir, 'accounts'), { now: Date.now })
  const crawls = new Crawls({
    engine,
    dir: join(dir, 'crawl'),
    allowPrivate: true,
    now: Date.now,
    onNotice: line => console.error(line),
  })
  const doctor = new LiveDoctor(engine, Date.now, main)
  const settings = { keylessLimits, access, adminToken, engine, crawls, doctor, ...http }
  const app = createServer(service, { console: true, ...settings })
  const url = await listen(app, { host: '127.0.0.1', port: 0 })
  return {
    url,
    access,
    crawls,
    engine,
    async close() {
      await shutDown(app, 0)
      await doctor.close()
      await crawls.close()
      await Promise.all([engine.close(), access.close()])
      await rm(dir, { recursive: true })
    },
  }
}

/** The text with which a page attacks whoever shows it. Whatever of it ran would set `pwned`. */
export const hostileMarkdown = `# Harbor <img src=x onerror="window.pwned=1">

<script>window.pwned=1</script><style>body{display:none}</style><svg onload="window.pwned=1"><iframe src="javascript:parent.pwned=1"></iframe>

[script link](javascript:window.pwned=1) [data link](data:text/html,<script>window.pwned=1</script>) [vb](vbscript:msgbox(1))
![picture](http://tracker.invalid/pixel.png "title") <https://harbor.example/ok> &lt;script&gt;

\u202Eright to left\u202C ${'خليج '.repeat(40)}

${'x'.repeat(5_000)}

| a | b |
|---|---|
| ${'wide '.repeat(60)} | ${'y'.repeat(400)} |

${'> '.repeat(200)}deep

harbor ferry timetable`

/** A small history: pages about a harbor whose ranking changes over three years, one that is removed, and a hostile one. */
export function harborHistory(): ObservationInput[] {
  const page = (path: string, title: string, markdown: string, acquiredAt: string, more: object = {}) => ({
    url: `https://harbor.example/${path}`,
    title,
    markdown,
    acquiredAt,
    ...more,
  })
  const article = {
    author: 'Ada Sailor',
    siteName: 'Harbor news',
    kind: 'article' as const,
    description: 'About ferries',
    publishedAt: '2020-02-01',
    publishedFrom: { source: 'json-ld' as const, precision: 'day' as const },
    data: [{ '@type': 'Article', headline: 'Ferries' }],
    fields: { berths: 12, open: true },
  }
  return [
    page('ferry', 'Ferry', 'The ferry leaves at seven.\n\nTickets cost two crowns.', '2020-02-03', article),
    page('ferry', 'Ferry timetable', 'The ferry leaves at eight.\n\nTickets cost two crowns.', '2021-05-10', article),
    page(
      'ferry',
      'Ferry timetable',
      'The ferry leaves at nine.\n\nTickets cost four crowns.\n\nDogs travel free.',
      '2022-09-01',
      article,
    ),
    page('news', 'News of the harbor', 'A new ferry: the ferry timetable of the harbor ferry.', '2021-08-15'),
    page('old', 'Old ferry', 'The old ferry timetable, ferry by ferry.', '2020-03-01'),
    { url: 'https://harbor.example/old', removedAt: '2022-01-01' },
    page('storm', 'Storm', 'No ferry in a storm.', '2022-02-02'),
    page('hostile', '<b>Hostile</b> <script>window.pwned=1</script> harbor', hostileMarkdown, '2022-03-03'),
    ...Array.from({ length: 24 }, (_, n) =>
      page(
        `log/${n}`,
        `Log of week ${n}`,
        `Ships of week ${n}: barges, tugs and a lighter.`,
        `2021-${String((n % 12) + 1).padStart(2, '0')}-11`,
      ),
    ),
  ]
}
