import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { invalidOption } from '@asof/extract/errors'
import type { Command } from 'commander'
import {
  answerRelevance,
  engineRelevance,
  faultText,
  jsonFault,
  parseRequest,
  type RelevanceResponse,
  wireRelevance,
} from '../../../service/index.ts'
import { commandContext, withData } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

function shown({ relevance, since }: RelevanceResponse): string {
  if (since === undefined) return 'no relevance is set'
  return `holds since ${since}\n${JSON.stringify(relevance, undefined, 2)}`
}

/** Reads the JSON of a file, or of standard input for `-`. */
async function readJson(file: string): Promise<unknown> {
  const json = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  try {
    return JSON.parse(json)
  } catch {
    const fault = jsonFault(json)
    throw invalidOption(file === '-' ? 'the input' : file, `is not JSON${fault ? `: ${faultText(fault)}` : ''}`)
  }
}

export function addRelevanceCommand(program: Command): void {
  const relevance = program
    .command('relevance')
    .helpCommand(false)
    .description('show or set how searches rank pages: weights, synonyms, stop words, pins and boosts')
  relevance
    .command('show')
    .description('print the relevance of the index, now or as it was')
    .option('--query-time <time>', 'the relevance that held at this time (default: now)')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof relevance show --query-time 2025-03-01'))
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const queryTime = typeof flags.queryTime === 'string' ? flags.queryTime : undefined
      const answer = answerRelevance(await withData(context, ({ engine }) => engine.relevance({ queryTime })))
      context.print(context.json ? JSON.stringify(answer) : shown(answer))
    })
  relevance
    .command('set')
    .description('set the relevance of the index from now on, as a whole; searches of the past keep theirs')
    .argument('<relevance.json>', 'a JSON file, or - for standard input')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof relevance set relevance.json', `echo '{}' | asof relevance set -`))
    .action(async (file: string, flags: Flags) => {
      const given = engineRelevance(parseRequest(wireRelevance, await readJson(file)))
      const context = await commandContext(flags)
      const answer = await withData(
        context,
        async ({ engine }) => {
          await engine.setRelevance(given)
          return answerRelevance(await engine.relevance())
        },
        { create: true },
      )
      context.print(context.json ? JSON.stringify(answer) : shown(answer))
    })
}
