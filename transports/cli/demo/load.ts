import type { AddReport, CaptureInput, Engine } from '@asof/core'
import { crawl } from '../../../crawler/index.ts'
import { frontierDir } from '../../../service/data-folder/index.ts'
import type { CommandContext } from '../command-context.ts'
import { crawlSummary, progressText } from '../output/crawl-text.ts'
import { type PackageReadme, packageReadmes, projectDocuments, projectRoot } from './project-files.ts'
import { releasesOf, versionsOfLog } from './release-history.ts'
import { notes, pagesOfDocuments, roadmaps } from './site-pages.ts'
import { serveSite } from './site-server.ts'

/** The facts about the loaded pages that the searches of the demo use. */
export interface LoadedDemo {
  siteUrl: string
  /** An instant between the two crawls, when the roadmap had its old text. Epoch milliseconds. */
  beforeChangeAt: number
  close(): Promise<void>
}

/** The port is fixed, so that a second run serves the site at the same URLs. */
const SITE_PORT = 8788

async function* readmeCaptures(
  packages: readonly PackageReadme[],
  context: CommandContext,
): AsyncGenerator<CaptureInput> {
  let read = 0
  for (const { name, description, markdown } of packages) {
    read += 1
    context.progress.update(() => `importing READMEs: ${read}`)
    yield {
      url: `https://www.npmjs.com/package/${name}`,
      title: name,
      markdown,
      description: description || undefined,
    }
  }
}

/** A log with fewer releases is no history. */
const MIN_RELEASES = 4

/** The change logs of packages as they were after each release. @param until - only releases before this instant, epoch ms. */
export function* logCaptures(packages: readonly PackageReadme[], until: number): Generator<CaptureInput> {
  for (const { name, changeLog = '' } of packages) {
    const releases = releasesOf(changeLog).filter(({ releasedAt }) => releasedAt < until)
    if (releases.length < MIN_RELEASES) continue
    for (const { version, writtenAt, markdown } of versionsOfLog(name, releases)) {
      yield {
        url: `https://unpkg.com/${name}/CHANGELOG.md`,
        title: `${name} ${version}: change log`,
        markdown,
        acquiredAt: writtenAt,
        publishedAt: new Date(writtenAt).toISOString().slice(0, 10),
        publishedFrom: { source: 'text', precision: 'day' },
        fields: { package: name, version },
      }
    }
  }
}

function addedText({ added, revised, unchanged, failures }: AddReport): string {
  return `${added} added, ${revised > 0 ? `${revised} revised, ` : ''}${unchanged} unchanged, ${failures.length} failed`
}

/**
 * Serves the project's documentation as a website on loopback, crawls it over HTTP, changes a page and crawls again. Then imports
 * the READMEs of the installed packages and the history of their change logs. The website is served until `close` is called.
 */
export async function loadDemo(engine: Engine, context: CommandContext, signal: AbortSignal): Promise<LoadedDemo> {
  const { progress, print, now, dir } = context
  const root = await projectRoot()
  const documents = pagesOfDocuments(await projectDocuments(root))
  const site = await serveSite([...documents, ...notes, roadmaps.before], SITE_PORT)
  const visit = async () => {
    const report = await crawl(engine, [site.url], {
      dir: frontierDir(dir),
      now,
      signal,
      allowPrivate: true,
      delayMs: 0,
      onProgress: event => progress.update(() => progressText(event)),
    })
    print(`  ${crawlSummary(report).replaceAll('\n', '\n  ')}`)
  }

  print(`1. Crawling this project's documentation, a website at ${site.url}`)
  await visit()
  const beforeChangeAt = now()
  print('2. The website publishes a new roadmap; crawling again')
  site.publish(roadmaps.after)
  await visit()

  print('3. Importing the README of every package installed under node_modules')
  const packages: PackageReadme[] = []
  for await (const found of packageReadmes(root)) packages.push(found)
  const readmes = await engine.add(readmeCaptures(packages, context))
  print(`  ${addedText(readmes)}`)
  print('4. Declaring the past: the change logs of these packages after each release')
  const logs = await engine.add(logCaptures(packages, now()))
  print(`  ${addedText(logs)}`)
  for (const { url, message } of [...readmes.failures, ...logs.failures].slice(0, 10)) print(`  ${url}: ${message}`)
  return { siteUrl: site.url, beforeChangeAt, close: () => site.close() }
}
