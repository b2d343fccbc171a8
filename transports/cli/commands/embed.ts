import { type EmbedReport, isAsofError } from '@asof/core'
import type { Command } from 'commander'
import { commandContext, withSharedData } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

/**
 * Throws an error of the engine again. If no embeddings model is configured, the error names the settings instead of the
 * option.
 */
function asUsageError(error: unknown): never {
  if (!isAsofError(error, 'ASOF_INVALID_OPTION')) throw error
  throw new UsageError(
    'no embeddings model is configured: set embed_model in asof.json, or ASOF_EMBED_MODEL, to local: and the name of a model that `asof model list` shows; or to the name of a model at the endpoint that embed_url (ASOF_EMBED_URL) names',
    { cause: error },
  )
}

export function addEmbedCommand(program: Command): void {
  program
    .command('embed')
    .description('compute missing embeddings with the configured model; run again to resume')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof embed --data ./docs-index'))
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const { progress, now } = context
      const stopped = await withSharedData(context, async ({ engine }, signal) => {
        const { captures: total } = await engine.stats()
        const beganAt = now()
        const onProgress = ({ captures, embedded }: EmbedReport) =>
          progress.update(() => {
            const rate = embedded / Math.max(1, (now() - beganAt) / 1000)
            return `${captures} of ${total} captures checked, ${embedded} embedded, ${rate.toFixed(1)} a second`
          })
        const report = await engine.embed({ signal, onProgress }).catch(asUsageError)
        const text = `${report.captures} captures checked, ${report.embedded} embedded${signal.aborted ? '; stopped' : ''}`
        context.print(context.json ? JSON.stringify(report) : text)
        return signal.aborted
      })
      if (stopped) process.exitCode = 1
    })
}
