import { printable, type SearchResponse } from '../../service/index.ts'

const bold = (text: string) => `\x1b[1m${text}\x1b[22m`
const dim = (text: string) => `\x1b[2m${text}\x1b[22m`
const plain = (text: string) => text

function day(timestamp: string | undefined): string {
  return timestamp === undefined ? 'undated' : `published ${timestamp.slice(0, 10)}`
}

/** One item of a wizard: its type and source, then its fields as they are. */
function wizardText({ wizard, url, acquired_at, ...fields }: NonNullable<SearchResponse['wizards']>[number]): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `   ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return [`[${wizard}] ${url}, indexed ${acquired_at}`, ...lines].map(printable).join('\n')
}

/** Search results for a reader: title, address and dates, snippet; matched words bold, or in `**…**` without colour. */
export function searchText(response: SearchResponse, colour: boolean): string {
  const [strong, faint] = colour ? [bold, dim] : [plain, plain]
  const blocks = response.results.map((result, index) => {
    const snippet = printable(result.snippet ?? '').replace(/\s+/g, ' ')
    const marked = colour ? snippet.replace(/\*\*([^*]+)\*\*/g, (_, word: string) => bold(word)) : snippet
    const acquired = result.acquired_at === undefined ? '' : `, indexed ${result.acquired_at}`
    const language = result.language === undefined ? '' : `, in ${result.language}`
    return [
      `${index + 1}. ${strong(printable(result.title) || result.url)}`,
      `   ${printable(result.url)}  ${faint(`${day(result.published_at)}${acquired}${language}`)}`,
      ...(marked === '' ? [] : [`   ${marked}`]),
    ].join('\n')
  })
  blocks.unshift(...(response.wizards ?? []).map(wizardText))
  if (response.warning !== undefined) blocks.unshift(printable(response.warning))
  if (response.results.length === 0) blocks.push('no results')
  return blocks.join('\n\n')
}
