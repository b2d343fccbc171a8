import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Boundary } from './frame/boundary.tsx'
import { DeadEnd } from './frame/dead-end.tsx'
import { Failure } from './frame/failure.tsx'
import { Frame } from './frame/frame.tsx'
import { useAddress } from './frame/location.ts'
import { SearchView } from './search/search-view.tsx'
import { texts } from './texts.ts'

/** The views that the first view does not need. Each is a file of its own, which is loaded when it is opened. */
const lateViews = {
  page: () => import('./page/page-view.tsx').then(({ PageView }) => PageView),
  crawls: () => import('./operate/crawls-view.tsx').then(({ CrawlsView }) => CrawlsView),
  access: () => import('./operate/access-view.tsx').then(({ AccessView }) => AccessView),
  health: () => import('./operate/health-view.tsx').then(({ HealthView }) => HealthView),
  signIn: () => import('./operate/guard.tsx').then(({ SignInView }) => SignInView),
  docs: () => import('./docs/docs-view.tsx').then(({ DocsView }) => DocsView),
}

type ViewProps = { path: string; query: URLSearchParams; hash: string }

/** Draws a view after its file has been loaded. */
function Late({ name, ...props }: ViewProps & { name: keyof typeof lateViews }) {
  const [view, setView] = useState<{ name: string; View: ComponentType<ViewProps> }>()
  const [failure, setFailure] = useState<unknown>()
  useEffect(() => {
    lateViews[name]().then(View => setView({ name, View }), setFailure)
  }, [name])
  if (failure !== undefined) return <Failure failure={failure} onRetry={() => location.reload()} />
  return view?.name === name ? <view.View {...props} /> : null
}

function viewOf(address: ViewProps) {
  if (address.path === '/') return <SearchView query={address.query} />
  if (address.path === '/page') return <Late name="page" {...address} />
  if (address.path === '/crawls') return <Late name="crawls" {...address} />
  if (address.path === '/access') return <Late name="access" {...address} />
  if (address.path === '/sign-in') return <Late name="signIn" {...address} />
  if (address.path === '/health') return <Late name="health" {...address} />
  if (address.path === '/docs' || address.path.startsWith('/docs/')) return <Late name="docs" {...address} />
  return <DeadEnd title={texts.frame.notFound} text={texts.frame.notFoundText} />
}

export function App() {
  const address = useAddress()
  return (
    <Frame path={address.path}>
      <Boundary key={address.path}>{viewOf(address)}</Boundary>
    </Frame>
  )
}
