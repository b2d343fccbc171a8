import { useEffect, useState } from 'preact/hooks'

const changed = new EventTarget()

/** What the browser keeps with an address of its history. */
interface Kept {
  /** The search from which the reader came. */
  search?: string
  /** True if that search is the address before in the history of the browser. */
  isBefore?: boolean
}

const keptHere = (): Kept => (history.state as Kept | null) ?? {}

/** Goes to an address of the console. @param replace - the address replaces the current one in the history of the browser. */
export function navigate(address: string, replace = false): void {
  if (address === location.pathname + location.search + location.hash) return
  if (replace) history.replaceState(history.state, '', address)
  else {
    const isSearch = location.pathname === '/'
    const kept: Kept = isSearch
      ? { search: location.pathname + location.search, isBefore: true }
      : { ...keptHere(), isBefore: false }
    history.pushState(kept, '', address)
    if (!address.includes('#')) scrollTo(0, 0)
  }
  changed.dispatchEvent(new Event('change'))
}

/** Goes to the search from which the reader came. @param otherwise - the address to go to if there was none. */
export function returnToSearch(otherwise: string): void {
  const { search, isBefore } = keptHere()
  if (isBefore) history.back()
  else navigate(search ?? otherwise)
}

/** The current address. The component is drawn again when it changes. */
export function useAddress(): { path: string; query: URLSearchParams; hash: string } {
  const [href, setHref] = useState(location.href)
  useEffect(() => {
    const update = () => setHref(location.href)
    changed.addEventListener('change', update)
    addEventListener('popstate', update)
    addEventListener('hashchange', update)
    return () => {
      changed.removeEventListener('change', update)
      removeEventListener('popstate', update)
      removeEventListener('hashchange', update)
    }
  }, [])
  const url = new URL(href)
  return { path: url.pathname, query: url.searchParams, hash: url.hash }
}

/** Follows links of the console without loading it again. Other links, and clicks that open a tab, are left to the browser. */
export function followLinks(): void {
  document.addEventListener('click', event => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link?.target !== '' || link.origin !== location.origin) return
    if (!isOfConsole(link.pathname) || (link.pathname === location.pathname && link.hash !== '')) return
    event.preventDefault()
    navigate(link.pathname + link.search + link.hash)
  })
}

function isOfConsole(path: string): boolean {
  return /^\/(?:page|crawls|access|health|sign-in|docs)?$/.test(path) || /^\/docs\/[^.]+$/.test(path)
}
