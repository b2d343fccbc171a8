import type { Command } from 'commander'
import type { CorpusPreview, FieldPreview } from '../../../crawler/index.ts'
import { shownField } from '../../../service/crawls/index.ts'
import { commandContext, onInterrupt } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { previewText } from '../output/crawl-text.ts'
import { privateHint } from '../output/wording.ts'
import { folderSettings } from '../settings/server-settings.ts'
import { addSettingOptions } from '../settings/setting.ts'
import { examples, jsonOption } from './shared-options.ts'

/** The JSON document of a preview. Instants are written as in imports. */
function documentOf(preview: CorpusPreview): object {
  const shown = <Page extends { fields?: FieldPreview[] }>(page: Page) => ({
    ...page,
    fields: page.fields?.map(shownField),
  })
  const sitemaps = preview.sitemaps.map(sitemap => ({ ...sitemap, tried: sitemap.tried?.map(shown) }))
  return { ...preview, seeds: preview.seeds.map(shown), sitemaps }
}

export function addCorpusCommand(program: Command): void {
  const corpus = program
    .command('corpus')
    .helpCommand(false)
    .description('check corpus files, which define what to crawl')
  const check = corpus
    .command('check')
    .description(
      'check corpus files and preview the crawl: fetches robots.txt, sitemaps, seeds and a few pages, and stores nothing',
    )
    .argument('<corpus.json...>', 'corpus files')
    .option('--offline', 'check the files only, and fetch nothing')
    .option(...jsonOption)
    .addHelpText('after', examples('asof corpus check news.corpus.json'))
  addSettingOptions(check, folderSettings.allowPrivate).action(async (files: string[], flags: Flags) => {
    const { loadCorpus, previewCorpus } = await import('../../../crawler/index.ts')
    const definitions = await Promise.all(files.map(loadCorpus))
    const context = await commandContext(flags)
    if (flags.offline === true) {
      const names = definitions.map(({ name }) => name)
      context.print(context.json ? JSON.stringify(definitions) : names.map(name => `${name}: valid`).join('\n'))
      return
    }
    const signal = onInterrupt(line => context.progress.line(line))
    const { allowPrivate } = context.settings
    const previews = []
    for (const definition of definitions) {
      if (signal.aborted) break
      context.progress.update(() => `checking ${definition.name}`)
      previews.push(await previewCorpus(definition, { allowPrivate, signal }))
    }
    const documents = previews.map(documentOf)
    context.print(
      context.json
        ? JSON.stringify(documents.length === 1 ? documents[0] : documents)
        : previews.map(previewText).join('\n\n'),
    )
    const refused = previews.some(({ seeds }) => seeds.some(({ error }) => error?.startsWith('ASOF_ADDRESS_REFUSED')))
    if (refused) context.progress.line(privateHint)
    if (previews.some(({ seeds }) => seeds.every(({ verdict }) => verdict !== 'fetched'))) process.exitCode = 1
  })
  corpus
    .command('schema')
    .description('print the JSON Schema of corpus files, for editors')
    .addHelpText('after', examples('asof corpus schema > corpus.schema.json'))
    .action(async () => {
      const { corpusJsonSchema } = await import('../../../crawler/index.ts')
      process.stdout.write(`${JSON.stringify(corpusJsonSchema(), undefined, 2)}\n`)
    })
}
