import { useEffect, useState } from 'preact/hooks'
import type { SearchRequest } from '../api/wire.ts'
import { Icon } from '../frame/icons.tsx'
import { texts } from '../texts.ts'

type Kind = keyof typeof texts.copy.kinds

/** The fields of a request that are given. */
function given(request: SearchRequest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined))
}

/** Quotes a text for a shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** The same search as a call of the API, of the library, or of the tool for agents. */
export function codeOf(kind: Kind, request: SearchRequest, origin: string): string {
  const fields = given(request)
  if (kind === 'curl') {
    return [
      `curl -s ${origin}/v1/search/public`,
      `-H 'X-Service-Title: my app' -H 'Content-Type: application/json'`,
      `-d ${shellQuoted(JSON.stringify(fields))}`,
    ].join(' \\\n  ')
  }
  const { query, ...options } = fields
  if (kind === 'library') {
    const named = Object.entries(options).map(([name, value]) => {
      const text = JSON.stringify(value)
      return `  ${camelCase(name)}: ${name === 'facets' || name === 'sort' ? text.replace(/\b(published|acquired)_at\b/g, '$1At') : text},\n`
    })
    const second = named.length === 0 ? '' : `, {\n${named.join('')}}`
    return `import { open } from 'asof'\n\nconst engine = await open('./data')\nconst { results } = await engine.search(${JSON.stringify(query === '*' ? '' : query)}${second})`
  }
  // The tool has neither a mode nor a filter.
  const { mode: _, filter: __, ...tool } = options
  return JSON.stringify(
    { method: 'tools/call', params: { name: 'search_web_pages', arguments: { query, ...tool } } },
    undefined,
    2,
  )
}

/** Copies a text. `onEnd` is called with whether the browser allowed it. */
function useCopy(): [state: 'copied' | 'failed' | undefined, copy: (text: string) => void] {
  const [state, setState] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (state !== 'copied') return
    const timer = setTimeout(() => setState(undefined), 1_600)
    return () => clearTimeout(timer)
  }, [state])
  const copy = (text: string) => {
    // Only pages of https and of this machine have a clipboard.
    if (!navigator.clipboard) return setState('failed')
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  return [state, copy]
}

/** A button that copies a text. @param props.isPrimary - it is the main button beside others. Default false. */
export function CopyButton({ text, label, isPrimary = false }: { text: string; label: string; isPrimary?: boolean }) {
  const [state, copy] = useCopy()
  return (
    <>
      <button
        type="button"
        class={`button ${isPrimary ? 'primary' : 'small'}`}
        aria-label={label}
        onClick={() => copy(text)}
      >
        <Icon name="copy" />
        {state === 'copied' ? texts.copy.copied : label}
      </button>
      <span class="hidden" role="status">
        {state === 'copied' ? texts.copy.copied : ''}
      </span>
      {state === 'failed' && <p class="bad">{texts.copy.failed}</p>}
    </>
  )
}

/** Shows the search as code, to copy it. */
export function CopyAs({ request }: { request: SearchRequest }) {
  const [kind, setKind] = useState<Kind>('curl')
  const code = codeOf(kind, request, location.origin)
  return (
    <div class="copy-as">
      <div class="copy-head">
        <fieldset class="segments">
          <legend class="hidden">{texts.copy.title}</legend>
          {(Object.keys(texts.copy.kinds) as Kind[]).map(each => (
            <label key={each}>
              <input type="radio" name="copy-kind" checked={each === kind} onChange={() => setKind(each)} />
              <span>{texts.copy.kinds[each]}</span>
            </label>
          ))}
        </fieldset>
        <CopyButton text={code} label={texts.copy.copy(texts.copy.kinds[kind])} />
      </div>
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </div>
  )
}
