import { useEffect } from 'preact/hooks'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { Failure } from '../frame/failure.tsx'
import { useLoaded } from '../frame/use-loaded.ts'
import { type LinkOf, Markdown, type PictureOf, webLink } from '../page/markdown.tsx'
import { Loading } from '../search/search-view.tsx'
import { texts } from '../texts.ts'

/** The view at `/docs`: the documents that came with the server. */
export function DocsView({ path, hash }: { path: string; hash: string }) {
  const name = path.replace(/^\/docs\/?/, '')
  const [list, retryList] = useLoaded('documents', api.documents)
  const documents = list.state === 'full' ? list.value.documents : []
  const shown = name === '' ? (documents[0]?.name ?? '') : name
  const [document_, retry] = useLoaded(shown === '' ? undefined : shown, () => api.document(shown))
  useEffect(() => {
    const title = documents.find(each => each.name === shown)?.title
    document.title = `${title ?? texts.docs.title} · asof`
  }, [shown, list.state])
  useEffect(() => {
    if (document_.state !== 'full') return
    if (hash === '') scrollTo(0, 0)
    else document.getElementById(`t-${decodeURIComponent(hash.slice(1))}`)?.scrollIntoView()
  }, [document_.state, shown, hash])

  if (list.state === 'failed') return <Failure failure={list.failure} onRetry={retryList} />
  const names = new Set(documents.map(each => each.name))
  return (
    <div class="docs-view">
      <h1 class="hidden">{texts.docs.title}</h1>
      <nav class="docs-list" aria-label={texts.docs.list}>
        <ul>
          {documents.map(each => (
            <li key={each.name}>
              <a href={`/docs/${each.name}`} aria-current={each.name === shown ? 'page' : undefined}>
                {each.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <article class="docs-text">
        {document_.state === 'loading' && <Loading />}
        {document_.state === 'failed' &&
          (document_.failure instanceof ApiError && document_.failure.status === 404 ? (
            <div class="state">
              <h2>{texts.docs.missing}</h2>
              <p>{texts.docs.choose}</p>
            </div>
          ) : (
            <Failure failure={document_.failure} onRetry={retry} />
          ))}
        {document_.state === 'full' && (
          <Markdown text={document_.value} linkOf={linkAmong(names, shown)} pictureOf={pictureOf} />
        )}
      </article>
    </div>
  )
}

/** Pictures are in `docs/`, beside the documents. A document of another folder, such as `../ARCHITECTURE.md`, names the folder too. */
const pictureOf: PictureOf = src => {
  const name = /^(?:docs\/)?([\w-]+\.(?:png|svg|webp|gif|jpg))$/.exec(src)?.[1]
  return name && `/docs/${name}`
}

const links = new Map<string, LinkOf>()

/** Links between the documents stay in the console. Those to other files of the project lead nowhere here. */
function linkAmong(names: ReadonlySet<string>, shown: string): LinkOf {
  const key = `${shown} ${names.size}`
  const known = links.get(key)
  if (known) return known
  const linkOf: LinkOf = href => {
    const web = webLink(href)
    if (web) return web
    const [file = '', anchor] = href.split('#', 2)
    const name = file === '' ? shown : nameOf(file)
    if (!names.has(name)) return undefined
    return { href: `/docs/${name}${anchor === undefined ? '' : `#${anchor}`}`, isLocal: true }
  }
  links.set(key, linkOf)
  return linkOf
}

/** The name of the document in a file: that of `../ARCHITECTURE.md` is `architecture`. */
function nameOf(file: string): string {
  return /([^/]+)\.md$/.exec(file)?.[1]?.toLowerCase() ?? ''
}
