import { useState } from 'preact/hooks'
import { admin } from '../api/admin.ts'
import { ApiError } from '../api/api-error.ts'
import type { CrawlPreview } from '../api/wire.ts'
import { messageOf } from '../frame/failure.tsx'
import { texts } from '../texts.ts'
import { CrawlPreviewView } from './crawl-preview.tsx'
import { Field, Switch } from './form.tsx'

type Kind = 'urls' | 'corpus'
type State =
  | { kind: 'idle' }
  | { kind: 'busy'; what: 'preview' | 'start' }
  | { kind: 'started'; name: string }
  | { kind: 'previewed'; preview: CrawlPreview }
  | { kind: 'failed'; problems: readonly string[] }

/** A new crawl: from URLs or a corpus definition. It can be previewed before it is started. */
export function CrawlForm({ onStarted }: { onStarted: () => void }) {
  const [kind, setKind] = useState<Kind>('urls')
  const [state, setState] = useState<State>({ kind: 'idle' })
  const send = async (form: HTMLFormElement, what: 'preview' | 'start') => {
    const fields = new FormData(form)
    const given = definitionIn(fields, kind)
    if (typeof given === 'string') return setState({ kind: 'failed', problems: [given] })
    setState({ kind: 'busy', what })
    try {
      if (what === 'preview')
        return setState({ kind: 'previewed', preview: await admin.change('crawls/preview', given) })
      const { name } = await admin.change('crawls/start', { ...given, ...limitsIn(fields) })
      setState({ kind: 'started', name })
      form.reset()
      onStarted()
    } catch (failure) {
      setState({ kind: 'failed', problems: problemsOf(failure) })
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    void send(form, event.submitter?.getAttribute('value') === 'preview' ? 'preview' : 'start')
  }
  const { crawls } = texts
  return (
    <>
      <form class="crawl-form" onSubmit={onSubmit}>
        <fieldset class="segments">
          <legend class="hidden">{crawls.from}</legend>
          {(['urls', 'corpus'] as const).map(each => (
            <label key={each}>
              <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
              <span>{crawls.kinds[each]}</span>
            </label>
          ))}
        </fieldset>
        <label class="field">
          <span>{crawls.hints[kind]}</span>
          <textarea
            key={kind}
            name="what"
            required
            rows={kind === 'urls' ? 3 : 10}
            class={kind === 'corpus' ? 'code' : undefined}
            placeholder={crawls.examples[kind]}
            spellcheck={false}
            autocapitalize="off"
          />
        </label>
        <div class="fields">
          <Field label={crawls.limits.max_pages} name="max_pages" type="number" min={1} required={false} />
          <Field label={crawls.limits.max_depth} name="max_depth" type="number" min={0} max={1_000} required={false} />
          <Field
            label={crawls.limits.delay_ms}
            name="delay_ms"
            type="number"
            min={0}
            max={3_600_000}
            required={false}
          />
          <Switch label={crawls.limits.watch} name="watch" />
        </div>
        <div class="acts">
          <button type="submit" class="button primary" value="start" disabled={state.kind === 'busy'}>
            {crawls.start}
          </button>
          <button type="submit" class="button" value="preview" disabled={state.kind === 'busy'}>
            {crawls.preview}
          </button>
          <output class={state.kind === 'failed' ? 'bad' : 'faint'}>
            {state.kind === 'busy' && (state.what === 'preview' ? crawls.previewing : crawls.starting)}
            {state.kind === 'started' && crawls.started(state.name)}
            {state.kind === 'failed' && state.problems.join(' ')}
          </output>
        </div>
      </form>
      {state.kind === 'previewed' && <CrawlPreviewView preview={state.preview} />}
    </>
  )
}

/** What to crawl, or why the text says nothing that can be crawled. */
function definitionIn(fields: FormData, kind: Kind): { urls: string[] } | { corpus: object } | string {
  const text = String(fields.get('what')).trim()
  if (kind === 'urls') return { urls: text.split(/\s+/) }
  try {
    const corpus: unknown = JSON.parse(text)
    return typeof corpus === 'object' && corpus !== null ? { corpus } : texts.crawls.noJson
  } catch {
    // No JSON: the reader is told so.
    return texts.crawls.noJson
  }
}

function limitsIn(fields: FormData): Record<string, number | boolean> {
  const numbers = ['max_pages', 'max_depth', 'delay_ms'].flatMap(name => {
    const text = String(fields.get(name) ?? '')
    return text === '' ? [] : [[name, Number(text)] as const]
  })
  return { ...Object.fromEntries(numbers), watch: fields.has('watch') }
}

function problemsOf(failure: unknown): string[] {
  if (failure instanceof ApiError && failure.problems.length > 0)
    return failure.problems.map(({ path, reason }) => `${path}: ${reason}.`)
  return [messageOf(failure)]
}
