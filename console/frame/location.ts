import { useEffect, useState } from 'preact/hooks'

const changed = new EventTarget()

/** Goes to an address of the console. @param replace - the address replaces the current one in the history of the browser. */
export function navigate(address: string, replace = false): void {
  if (address === location.pathname + location.search + location.hash) return
  if (replace) history.replaceState(null, '', address)
  else {
    history.pushState(null, '', address)
    if (!address.includes('#')) scrollTo(0, 0)
  }
  changed.dispatchEvent(new Event('change'))
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
