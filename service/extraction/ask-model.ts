import type { AskModel, ModelQuestion } from './extract-values.ts'

/** Maximum length of a description in a question, characters. */
const MAX_DESCRIPTION = 200
/** Maximum length of a quote, UTF-16 units. A longer quote cannot be verified. */
const MAX_QUOTE = 2_000
/** Maximum number of quotes that answer one question. */
const MAX_QUOTES = 50

/**
 * Returns what asks a language model for quotes. The model only chooses passages: each is looked for in the page, and the value is read from
 * the passage.
 *
 * @param read - returns the answer of the model to an instruction about the page.
 */
export function askModel(read: (instruction: string) => Promise<string>): AskModel {
  return async questions => quotesIn(await read(instructionFor(questions)), questions)
}

function instructionFor(questions: readonly ModelQuestion[]): string {
  return [
    'For each property below, copy the shortest passage of the page that states its value, word by word.',
    'Answer with one JSON object: the path of each property, and the passage as a string, or null if the page does not state the value.',
    'A property of a list has an array of such passages. Never change, translate or compute anything.',
    ...questions.map(questionText),
  ].join('\n')
}

function questionText({ path, schema, isList }: ModelQuestion): string {
  const { type, format, allowed, title, description } = schema
  const about = [
    `${isList ? 'a list of ' : ''}${format ?? type}`,
    title,
    description?.slice(0, MAX_DESCRIPTION),
    allowed && `one of ${JSON.stringify(allowed)}`,
  ].filter(part => part !== undefined)
  return `${JSON.stringify(path)}: ${about.join('; ').replace(/\s+/g, ' ')}`
}

/** Reads the answer of a model. Returns no quotes if the answer is not a JSON object, which may have other text around it. */
function quotesIn(answer: string, questions: readonly ModelQuestion[]): Map<string, readonly string[]> {
  const quotes = new Map<string, readonly string[]>()
  let given: unknown
  try {
    given = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
  } catch {
    return quotes
  }
  if (typeof given !== 'object' || given === null) return quotes
  const answers = new Map<string, unknown>(Object.entries(given))
  for (const { path } of questions) {
    const given: unknown[] = [answers.get(path)].flat()
    const texts = given.filter(text => typeof text === 'string').filter(text => text.length <= MAX_QUOTE)
    if (texts.length > 0) quotes.set(path, texts.slice(0, MAX_QUOTES))
  }
  return quotes
}
