import type { Command } from 'commander'
import type { ClusterHealth } from '../../../cluster/index.ts'
import { type CommandContext, commandContext } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { healthJson, healthText } from '../output/cluster-text.ts'
import { clusterSetup } from '../settings/settings.ts'
import { clusterPlaceOptions, dataOption, examples, jsonOption } from './shared-options.ts'

/** The cluster is loaded here, so that other commands start faster. */
const cluster = () => import('../../../cluster/index.ts')

/** Prints the health of a cluster. The exit code is 1 if something is wrong. */
function printHealth({ json, print }: CommandContext, health: ClusterHealth): void {
  const { database, search } = health
  print(json ? JSON.stringify(healthJson(health)) : healthText(health))
  if ('failure' in database || 'failure' in search || search.status === 'red') process.exitCode = 1
}

export function addClusterCommands(program: Command): void {
  const parent = program
    .command('cluster')
    .helpCommand(false)
    .description('create, watch and mend a cluster of OpenSearch and PostgreSQL')
  const add = (name: string, description: string, example: string) => {
    const command = parent.command(name).description(description)
    for (const option of clusterPlaceOptions(name)) command.option(...option)
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
      const { inspectCluster } = await cluster()
      printHealth(context, await inspectCluster(setup))
    },
  )
}
