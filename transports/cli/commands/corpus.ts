import type { Command } from 'commander'
import { commandContext } from '../command-context.ts'
import { onInterrupt } from '../interrupt.ts'
import { previewText } from '../output/crawl-text.ts'
import { privateHint } from '../output/private-hint.ts'
import type { Flags } from '../settings/settings.ts'

export function addCorpusCommand(program: Command): void {
  const corpus = program.command('corpus').description('check corpus definitions')
  corpus
    .command('check')
    .description(
      'check a definition, and show what would be fetched: asks for robots.txt, sitemaps and seeds, stores nothing',
    )
    .argument('<corpus.json...>')
    .option('--offline', 'check the definition alone')
    .option('--allow-private', 'allow fetching loopback and private addresses (env ASOF_ALLOW_PRIVATE)')
    .option('--json', 'print one JSON document')
    .action(async (files: string[], flags: Flags) => {
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
        context.progress.update(() => `looking at ${definition.name}`)
        previews.push(await previewCorpus(definition, { allowPrivate, signal }))
      }
      context.print(
        context.json
          ? JSON.stringify(previews.length === 1 ? previews[0] : previews)
          : previews.map(previewText).join('\n\n'),
      )
      const refused = previews.some(({ seeds }) => seeds.some(({ error }) => error?.startsWith('ASOF_ADDRESS_REFUSED')))
      if (refused) context.progress.line(`(${privateHint})`)
      if (previews.some(({ seeds }) => seeds.every(({ verdict }) => verdict !== 'fetched'))) process.exitCode = 1
    })
  corpus
    .command('schema')
    .description('print the JSON Schema of corpus definitions, for editors')
    .action(async () => {
      const { corpusJsonSchema } = await import('../../../crawler/index.ts')
      process.stdout.write(`${JSON.stringify(corpusJsonSchema(), undefined, 2)}\n`)
    })
}
