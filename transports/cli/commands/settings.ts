import type { Command } from 'commander'
import { commandContext } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { textStyle } from '../output/text-style.ts'
import { fill } from '../output/wrapped-text.ts'
import { defaultText, type Setting, unmarked } from '../settings/setting.ts'
import { allSettings, type EffectiveSetting, effectiveSettings } from '../settings/settings.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

const places = { flag: 'flag', environment: 'environment', file: 'asof.json', default: 'default' } as const

/** Returns the value of a setting as a person writes it. */
function valueText({ name, value, from }: EffectiveSetting): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (value !== undefined) return Array.isArray(value) ? value.join(',') : String(value)
  const setting: Setting | undefined = allSettings.find(known => known.name === name)
  const text = from === 'default' && setting ? defaultText(setting) : undefined
  return text === undefined ? '-' : unmarked(text)
}

export function addSettingsCommand(program: Command): void {
  program
    .command('settings')
    .description('list the settings with their values and where each value comes from')
    .option('--given', 'list only the settings that have another value than their default')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      `
A flag of a command wins over a variable of the environment, and a variable over
a key of asof.json in the data folder. The values of secrets are not printed.`,
    )
    .addHelpText('after', examples('asof settings --data ./docs-index', 'ASOF_PORT=9000 asof settings --given'))
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const all = await effectiveSettings(context.dir, flags, process.env)
      const settings = flags.given === true ? all.filter(({ from }) => from !== 'default') : all
      if (context.json) return context.print(JSON.stringify(settings))
      const { strong, faint } = textStyle(context.color)
      for (const setting of settings)
        context.print(
          fill([strong(setting.variable), valueText(setting), faint(`(${places[setting.from]})`)], '  ', '', '    '),
        )
      if (settings.length === 0) context.print('all settings have their defaults')
    })
}
