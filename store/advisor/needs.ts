import { type CallKind, callKinds } from '../../service/accounts/index.ts'
import { goalWords } from './goal-words.ts'

/** The needs that were recognized in a goal. */
export interface Needs {
  /** The services that the goal needs, in the order of `callKinds`. */
  services: readonly CallKind[]
  /** Work in the goal that the service does not do, such as `sending messages`. */
  beyond: readonly string[]
  /** True if the goal needs a mode that takes an API key: `webql` or `realtime_content`. */
  keyedMode: boolean
  /** True if the goal says that it must cost nothing. */
  free: boolean
}

/** Words for the work of a service. Verbs always count. Nouns count only if the goal names no other work. */
const services: Readonly<Record<CallKind, { verbs: ReadonlySet<string>; nouns: ReadonlySet<string> }>> = {
  search: {
    verbs: words(
      'search searches searching query queries querying lookup lookups find finds finding discover discovering research researching monitor monitoring track tracking investigate realtime_content webql',
    ),
    nouns: words('news results sources answers facts topics prices competitors headlines'),
  },
  fetch: {
    verbs: words(
      'fetch fetches fetching read reads reading download downloading extract extracting scrape scraping crawl crawling retrieve retrieving summarize summarizing summarise summarising',
    ),
    nouns: words('url urls page pages webpage webpages article articles website websites site sites markdown'),
  },
}

/**
 * Work that agents often do and that the service does not do, with the words or word pairs that name it. A name such as
 * `-email` counts only as the first word.
 */
const otherWork: readonly (readonly [work: string, names: ReadonlySet<string>])[] = [
  ['sending messages', words('-email emailing sms send sends sending write-email write-emails phone-call tweet')],
  ['making images, audio or video', words('image-generation video-generation draw drawing paint')],
  ['making images, audio or video', words('generate-image generate-images generate-video generate-videos')],
  ['making images, audio or video', words('create-image create-images create-video create-videos make-image')],
  ['translating', words('translate translates translating translation')],
  ['buying, booking or trading', words('book-flight book-flights book-hotel buy purchase order-pizza trade-stocks')],
  ['posting or publishing', words('post-to posting publish publishing')],
  ['running or hosting programs', words('deploy deploying compile run-code execute-code write-code')],
  ['training models', words('train-model train-models fine-tune finetune transcribe transcription')],
  ['storing files', words('upload uploading backup store-files')],
]

/** Words between a verb and its object: "generate an image", "generate 5 images". */
const between = words('a an the some my our new one two three of me with')

const freeWords =
  /\b(?:for free|free of charge|(?:at|for) (?:no|zero) cost|zero[- ]cost|without (?:paying|payment|any cost))\b/i

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '))
}

function meets(found: ReadonlySet<string>, names: ReadonlySet<string>): boolean {
  for (const name of names) if (found.has(name)) return true
  return false
}

/** Returns the words of a list, and the pairs of adjacent words. Pairs skip numbers and the words of {@link between}. */
function wordsAndPairs(list: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  let previous = ''
  for (const word of list) {
    found.add(word)
    if (between.has(word) || /^\d/.test(word)) continue
    found.add(`${previous}-${word}`)
    previous = word
  }
  return found
}

/** Recognizes the needs in a goal and its requirements. Only English words are recognized. */
export function recognizeNeeds(goal: string, requirements = ''): Needs {
  const list = goalWords(`${goal}\n${requirements}`)
  const found = wordsAndPairs(list)
  const beyond = [...new Set(otherWork.filter(([, names]) => meets(found, names)).map(([work]) => work))]
  const hasUrl = list.some(word => /^https?:\/\//.test(word))
  const needed = callKinds.filter(slug => {
    const { verbs, nouns } = services[slug]
    return (slug === 'fetch' && hasUrl) || meets(found, verbs) || (beyond.length === 0 && meets(found, nouns))
  })
  return {
    services: needed,
    beyond,
    keyedMode: found.has('webql') || found.has('realtime_content'),
    free: freeWords.test(goal) || freeWords.test(requirements),
  }
}
