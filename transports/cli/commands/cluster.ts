import path from 'node:path'
import type { Command } from 'commander'
import type { ClusterHealth } from '../../../cluster/index.ts'
import { type CommandContext, commandContext, onInterrupt } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { clusterExaminationText, healthJson, healthText } from '../output/cluster-text.ts'
import { pluralize } from '../output/wording.ts'
import { wrap } from '../output/wrapped-text.ts'
import { addSettingOptions } from '../settings/setting.ts'
import { clusterSetup } from '../settings/settings.ts'
import { clusterPlaceOptions, dataOption, examples, jsonOption } from './shared-options.ts'

/** The cluster is loaded here, so that other commands start faster. */
const cluster = () => import('../../../cluster/index.ts')

/** Prints the health of a cluster. The exit code is 1 if something is wrong. */
function printHealth({ json, print }: CommandContext, health: ClusterHealth): void {
  const { database, search, objects } = health
  print(json ? JSON.stringify(healthJson(health)) : healthText(health))
  const isObjectsLost = objects !== undefined && 'failure' in objects
  if ('failure' in database || 'failure' in search || isObjectsLost || search.status === 'red') process.exitCode = 1
}

export function addClusterCommands(program: Command): void {
  const parent = program
    .command('cluster')
    .helpCommand(false)
    .description('create, watch and mend a cluster of OpenSearch and PostgreSQL')
  const add = (name: string, description: string, example: string) => {
    const command = parent.command(name).description(description)
    addSettingOptions(command, ...clusterPlaceOptions(name))
    return command
      .option(...dataOption)
      .option(...jsonOption)
      .addHelpText('after', examples(example))
  }
  const setupOf = async (flags: Flags) => {
    const context = await commandContext(flags)
    return { context, setup: await clusterSetup(context.dir, flags, process.env) }
  }
  add('init', 'create the tables and the index if they are missing', 'asof cluster init --cluster-shards 4').action(
    async (flags: Flags) => {
      const { context, setup } = await setupOf(flags)
      const { openCluster } = await cluster()
      const engine = await openCluster(setup)
      try {
        printHealth(context, await engine.health())
      } finally {
        await engine.close()
      }
    },
  )
  add('status', 'print nodes, shards, captures and open changes', 'asof cluster status').action(
    async (flags: Flags) => {
      const { context, setup } = await setupOf(flags)
      const { clusterTools } = await cluster()
      printHealth(context, await clusterTools(setup).health())
    },
  )
  add('sweep', 'delete objects that no page refers to from the object store', 'asof cluster sweep').action(
    async (flags: Flags) => {
      const {
        context: { json, print },
        setup,
      } = await setupOf(flags)
      const { clusterTools } = await cluster()
      const { deleted } = await clusterTools(setup).sweepObjects()
      print(
        json ? JSON.stringify({ deleted }) : `deleted ${pluralize(deleted, 'object')} of changes that were never made`,
      )
    },
  )
  add(
    'reindex',
    'build the index of OpenSearch again from PostgreSQL, while servers go on',
    'asof cluster reindex --cluster-shards 8',
  )
    .option('--abandon', 'give up a build that was begun, and delete what it has')
    .action(async ({ abandon, ...flags }: Flags & { abandon?: boolean }) => {
      const {
        context: { progress, json, print },
        setup,
      } = await setupOf(flags)
      const { clusterTools } = await cluster()
      const tools = clusterTools(setup)
      if (abandon) {
        const report = await tools.abandonReindex()
        const text = report.abandoned ? 'abandoned the new index' : 'no index is being built'
        print(json ? JSON.stringify(report) : text)
        return
      }
      const report = await tools.reindex({
        signal: onInterrupt(line => progress.line(`asof: ${line}`)),
        onProgress: (copied, captures) => progress.update(() => `indexed ${copied} of ${captures} captures`),
      })
      const { captures, index, finished } = report
      const text = finished
        ? `searches read the index ${index} with ${pluralize(captures, 'capture')}`
        : `stopped; run the command again to go on: so far ${pluralize(captures, 'capture')} of the index ${index}`
      print(json ? JSON.stringify(report) : wrap(text))
      if (!finished) process.exitCode = 1
    })
  add('doctor', 'compare what the servers have, and say what is wrong and what to do', 'asof cluster doctor --all')
    .option('--all', 'compare all captures and read all stored values, not a sample')
    .action(async ({ all, ...flags }: Flags & { all?: boolean }) => {
      const {
        context: { progress, json, print },
        setup,
      } = await setupOf(flags)
      const { clusterTools } = await cluster()
      const examination = await clusterTools(setup).examine({
        all,
        onProgress: (compared, captures) => progress.update(() => `compared ${compared} of ${captures} captures`),
      })
      print(json ? JSON.stringify(examination) : clusterExaminationText(examination))
      if (!examination.sound) process.exitCode = 1
    })
  const move = async (flags: Flags, dir: (context: CommandContext) => string, way: 'load' | 'save') => {
    const { context, setup } = await setupOf(flags)
    const { clusterTools } = await cluster()
    const { progress, json, print } = context
    const target = dir(context)
    const report = await clusterTools(setup)[way](target, {
      signal: onInterrupt(line => progress.line(`asof: ${line}`)),
      onProgress: (moved, captures) => progress.update(() => `moved ${moved} of ${captures} captures`),
    })
    const { captures, urls, finished } = report
    const did = finished ? 'moved' : 'stopped; run the command again to go on: so far'
    const text = `${did} ${pluralize(captures, 'capture')} of ${pluralize(urls, 'URL')}`
    print(json ? JSON.stringify(report) : wrap(text))
    if (!finished) process.exitCode = 1
  }
  add(
    'load',
    'move the index of the data folder into an empty cluster',
    'asof cluster load --data ./docs-index',
  ).action((flags: Flags) => move(flags, ({ dir }) => dir, 'load'))
  add('save', 'move the index of the cluster into a new data folder', 'asof cluster save ./docs-index')
    .argument('<dir>', 'data folder without an index; it is created')
    .action((dir: string, flags: Flags) => move(flags, () => path.resolve(dir), 'save'))
}
