import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { given } from './structured-data.ts'
import type { Wizard, WizardAnswer, WizardCapture, WizardQuestion } from './wizard.ts'

/** Words that people add to the name of a site that they want to visit. */
const wish = /\b(?:official|home\s?page|web\s?site|site|login|log in|sign in)\b/giu
const MAX_SITES = 3
/** Minimum and maximum length of a name that is tried as a domain. */
const MIN_NAME = 3
const MAX_NAME = 63

/**
 * Returns the letters and digits of a name in lower case, without accents, so that `The Guardian` and `theguardian` are
 * equal.
 */
function nameKey(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

interface Site {
  /** Possible URLs of the home page, most likely first. */
  homes: string[]
}

function homesOf(hosts: readonly string[], protocol = 'https:'): string[] {
  const protocols = protocol === 'http:' ? ['http:', 'https:'] : ['https:', 'http:']
  return protocols.flatMap(scheme => [...new Set(hosts)].map(host => `${scheme}//${host}/`))
}

/** Returns the site for a query that is a host name, such as `docs.example.com` or `www.example.com`. */
function siteOfHost(query: string): Site | undefined {
  if (!/^[^\s/:@?#]+\.[^\s/:@?#]+$/.test(query)) return undefined
  const { hostname, domain, isIcann } = parse(query)
  if (!hostname || !domain || !isIcann) return undefined
  const url = URL.parse(`https://${hostname}/`)
  if (!url) return undefined
  const bare = url.host.replace(/^www\./, '')
  return { homes: homesOf([url.host, bare, `www.${bare}`]) }
}

/**
 * Returns the site of a capture if the query is its host name, its domain without the public suffix, or its `siteName`.
 */
function siteOfCapture({ url, siteName }: WizardCapture, key: string): Site | undefined {
  const { host, hostname, protocol } = new URL(url)
  const { domain, domainWithoutSuffix } = parse(hostname)
  if (domain && domainWithoutSuffix && nameKey(domainToUnicode(domainWithoutSuffix) || domainWithoutSuffix) === key)
    return { homes: homesOf([domain, `www.${domain}`, host], protocol) }
  const calls = [hostname, domainToUnicode(hostname)].map(name => nameKey(name.replace(/^www\./, '')))
  if (calls.includes(key) || (siteName !== undefined && nameKey(siteName) === key))
    return { homes: homesOf([host], protocol) }
  return undefined
}

/** Returns the home page of a site, if the index has it as of the instant of the search. */
async function homeOf({ homes }: Site, question: WizardQuestion): Promise<WizardCapture | undefined> {
  for (const url of homes) {
    const home = question.captures.find(capture => capture.url === url) ?? (await question.capture(url))
    if (home) return home
  }
  return undefined
}

/** Answers with the home page of the site that the query names. */
export const navigation: Wizard = {
  name: 'navigation',
  async answer(question) {
    const query = question.query.trim().replace(wish, ' ').trim()
    const key = nameKey(query)
    if (key.length < 2) return []
    const named = siteOfHost(query)
    const sites = named ? [named] : question.captures.flatMap(capture => siteOfCapture(capture, key) ?? [])
    const answers = await homesIn(sites, question)
    return named || answers.length > 0 ? answers : homesByAddress(query, question)
  },
}

async function homesIn(sites: readonly Site[], question: WizardQuestion): Promise<WizardAnswer[]> {
  const tried = new Set<string>()
  const answers = new Map<string, WizardAnswer>()
  for (const site of sites) {
    const [likeliest] = site.homes
    if (likeliest === undefined || tried.has(likeliest)) continue
    tried.add(likeliest)
    if (tried.size > MAX_SITES) break
    const home = await homeOf(site, question)
    if (!home) continue
    const fields = given({ name: home.siteName ?? home.title, title: home.title, host: new URL(home.url).host })
    answers.set(home.url, { capture: home, fields })
  }
  return [...answers.values()]
}

/**
 * Tries the query as a domain, because a search by name finds few home pages. The title or site name of the page must
 * contain the name too.
 */
async function homesByAddress(query: string, question: WizardQuestion): Promise<WizardAnswer[]> {
  const keys = [...new Set([nameKey(query), nameKey(query.replace(/^the\s+/i, ''))])]
  if (keys.some(key => key.length < MIN_NAME || key.length > MAX_NAME)) return []
  for (const key of keys) {
    const captures = await question.search(`url:${key}`, 'webql')
    const homes = await homesIn(
      captures.flatMap(capture => siteOfCapture(capture, key) ?? []),
      question,
    )
    const confirmed = homes.filter(({ capture }) => nameKey(`${capture.siteName ?? ''}${capture.title}`).includes(key))
    if (confirmed.length > 0) return confirmed
  }
  return []
}
