import { clusterSettings } from '../settings/cluster-settings.ts'
import { mcpSettings } from '../settings/mcp-settings.ts'
import { llmSettings } from '../settings/model-settings.ts'
import { folderSettings, processSettings } from '../settings/server-settings.ts'
import { type OptionText, optionText } from '../settings/setting.ts'
import { allSettings } from '../settings/settings.ts'

export const dataOption: OptionText = ['--data <dir>', 'data folder (env ASOF_DATA; default: ./data)']

export const jsonOption: OptionText = ['--json', 'print one JSON document instead of text']

export const responseOption: OptionText = ['--json', 'print the response of the HTTP API as JSON']

export const privateOption = optionText(folderSettings.allowPrivate)

export const retainOption = optionText(folderSettings.retain)

export const sealOption = optionText(processSettings.sealedAt)

export const hostOption = optionText(processSettings.host)

export const portOption = optionText(processSettings.port)

/** The options of commands that can run on a cluster. */
export const clusterOptions = Object.values(clusterSettings).map(optionText)

const { isOn: _, shards, replicas, ...clusterPlace } = clusterSettings

/** The options of a command that works on a cluster. Only `init`, `load` and `reindex` lay out an index. */
export function clusterPlaceOptions(command: string): OptionText[] {
  const laysOut = ['init', 'load', 'reindex'].includes(command)
  return [...Object.values(clusterPlace), ...(laysOut ? [shards, replicas] : [])].map(optionText)
}

/** The options of commands that fetch pages live. */
export const liveOptions = [optionText(folderSettings.storeLive), optionText(folderSettings.liveRobots)]

/** The options of the language model that answers prompts. */
export const modelOptions = [optionText(llmSettings.baseUrl), optionText(llmSettings.model)]

/** The options of the tools that agents are offered besides search and fetch. */
export const mcpToolOptions = [
  optionText(mcpSettings.feedback),
  optionText(mcpSettings.verify),
  optionText(mcpSettings.allArguments),
]

/** The flags of all settings that have one. */
export const settingOptions = allSettings.flatMap(setting =>
  setting.flag === undefined ? [] : [optionText({ ...setting, flag: setting.flag })],
)

/** Explains the values of options with `<time>`, at the end of a help text. */
export const timeHelp = `
<time> is a date (2026-01-31), a timestamp (2026-01-31T10:00Z), or a delta back
from now (90min, 2h, 7d, 1mo, 1y).`

/** Returns example command lines, for the end of a help text. */
export function examples(...lines: string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map(line => `  ${line}`).join('\n')}`
}
