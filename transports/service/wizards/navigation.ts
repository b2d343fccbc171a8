import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { given } from './structured-data.ts'
import type { Wizard, WizardAnswer, WizardCapture, WizardQuestion } from './wizard.ts'

/** What people add to a site's name to say that they want to go there. */
const wish = /\b(?:official|home\s?page|web\s?site|site|login|log in|sign in)\b/giu
const MAX_SITES = 3
/** Letters of a name that is looked up as a domain. */
const LEAST_NAME = 3
const MOST_NAME = 63

/** Letters and digits alone, folded: `The Guardian` and `theguardian` are one name. */
function nameKey(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

interface Site {
  /** Its home page, at the likelier address first. */
  homes: string[]
}

function homesOf(hosts: readonly string[], protocol = 'https:'): string[] {
  const protocols = protocol === 'http:' ? ['http:', 'https:'] : ['https:', 'http:']
  return protocols.flatMap(scheme => [...new Set(hosts)].map(host => `${scheme}//${host}/`))
}

/** The site whose host the query is: `docs.example.com`, `www.example.com`. */
function siteOfHost(query: string): Site | undefined {
  if (!/^[^\s/:@?#]+\.[^\s/:@?#]+$/.test(query)) return undefined
  const { hostname, domain, isIcann } = parse(query)
  if (!hostname || !domain || !isIcann) return undefined
  const url = URL.parse(`https://${hostname}/`)
  if (!url) return undefined
  const bare = url.host.replace(/^www\./, '')
  return { homes: homesOf([url.host, bare, `www.${bare}`]) }
}

/** The site of a capture, where the query is its host, its domain without the public suffix, or what it calls itself. */
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

/** The home page of a site as of the cut, if the index has it. */
async function homeOf({ homes }: Site, question: WizardQuestion): Promise<WizardCapture | undefined> {
  for (const url of homes) {
    const home = question.captures.find(capture => capture.url === url) ?? (await question.capture(url))
    if (home) return home
  }
  return undefined
}

/** The home page of the site that the query names. */
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
    if (tried.has(site.homes[0])) continue
    tried.add(site.homes[0])
    if (tried.size > MAX_SITES) break
    const home = await homeOf(site, question)
    if (!home) continue
    const fields = given({ name: home.siteName ?? home.title, title: home.title, host: new URL(home.url).host })
    answers.set(home.url, { capture: home, fields })
  }
  return [...answers.values()]
}

/**
 * The home page of a site whose domain is the query, though none of the best results is of it: few sites write their
 * name where a search would find it. Its title or the name it gives itself must hold the name too.
 */
async function homesByAddress(query: string, question: WizardQuestion): Promise<WizardAnswer[]> {
  const keys = [...new Set([nameKey(query), nameKey(query.replace(/^the\s+/i, ''))])]
  if (keys.some(key => key.length < LEAST_NAME || key.length > MOST_NAME)) return []
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
