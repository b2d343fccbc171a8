/** Headings of sections that are about other pages, in the most common languages of the web. */
const asideHeadings = new Set(
  (
    'related|related articles|related posts|related stories|related content|related news|related topics|related coverage|' +
    'related links|you may also like|you might also like|more from|read more|read next|up next|more stories|more news|' +
    'most popular|most read|popular posts|recommended|recommended for you|recommended reading|latest news|latest posts|' +
    'recent posts|trending|trending now|top stories|dont miss|share this|share this article|share this post|share|comments|' +
    'top rated comments|leave a comment|leave a reply|post a comment|tags|newsletter|subscribe|sign up|follow us|' +
    'about the author|advertisement|sponsored|something to consider|similar items|similar products|similar threads|' +
    'related items|related products|related questions|related threads|related searches|explore related items|' +
    'explore related questions|explore more|customers also bought|customers also viewed|people also viewed|' +
    'frequently bought together|recently viewed|recently viewed products|you might like|you may like|more like this|' +
    'hot network questions|latest from our blog|latest from the blog|from the blog|from our blog|keep reading|' +
    'what to read next|more to read|more to explore|tell us what you think|join the conversation|' +
    'das konnte sie auch interessieren|ahnliche artikel|ahnliche beitrage|mehr zum thema|verwandte artikel|weitere artikel|' +
    'auch interessant|lesen sie auch|kommentare|teilen|teilen mit|schlagworter|meistgelesen|neueste beitrage|' +
    'articles similaires|a lire aussi|lire aussi|sur le meme sujet|vous aimerez aussi|commentaires|partager|les plus lus|' +
    'articulos relacionados|noticias relacionadas|te puede interesar|lo mas leido|comentarios|compartir|relacionados|' +
    'articoli correlati|leggi anche|potrebbe interessarti|commenti|condividi|veja tambem|leia mais|leia tambem|' +
    'advert|advertising|anzeige|werbung|publicidad|publicidade|publicite|story continues below|article continues below|' +
    'article continues below advertisement|story continues below advertisement|continue reading below|see also|also read|' +
    'also see|read also|click here|recommended stories|suggested reading|further reading on this site|you might also enjoy|' +
    'you may also enjoy|more in this section|more headlines|more from our network|editors picks|editors pick|in case you missed it|' +
    'share via|share on|share this story|share this page|share this on|spread the word|print this page|' +
    'das konnte dich auch interessieren|auch auf|lies auch|lesen sie dazu auch|mehr dazu|mehr uber|weitere beitrage|' +
    'weitere themen|weitere meldungen|das konnte ihnen auch gefallen|beitrag teilen|artikel teilen|diesen artikel teilen|' +
    'diesen beitrag teilen|schreibe einen kommentar|kommentar schreiben|hinterlasse eine antwort|ahnliche themen|passend dazu|' +
    'voir aussi|a voir aussi|lire la suite|dans la meme rubrique|plus darticles|laisser un commentaire|' +
    'lea tambien|lee tambien|ver tambien|tambien te puede interesar|noticias relacionadas|deja un comentario|' +
    'leggi tutto|potrebbe interessarti anche|lascia un commento|ver mais|deixe um comentario|zie ook|geef een reactie|' +
    'gerelateerde artikelen|lees ook|lees meer|reacties|delen|relaterade artiklar|las ocksa|powiazane|czytaj takze|' +
    'zobacz takze|komentarze|читаите также|похожие статьи|комментарии|关联阅读|相关阅读|相关文章|相关新闻|関連記事|あわせて読みたい'
  ).split('|'),
)

/** Matches headings such as `More great stories`, `More on the strike` and `Related coverage from our desk`. */
const asidePattern =
  /^(?:more (?:\S+ ){1,3}(?:stories|articles|news|posts|coverage|reading|headlines)|(?:more|latest) (?:from|on|in|about) (?:\S+ ?){1,4}|related (?:\S+ ?){1,4}|(?:leave|post|write|add) (?:us )?a (?:comment|reply|response))$/

/** True if a heading introduces related stories, comments, sharing buttons and the like. */
export function isAsideHeading(text: string): boolean {
  const plain = isAscii.test(text) ? plainAscii(text) : plainWords(text)
  return asideHeadings.has(plain) || asideHeadings.has(plain.replace(/^(?:more |\d+ )/, '')) || asidePattern.test(plain)
}

const isAscii = /^[\0-\x7f]*$/

/** Returns the words of a text in lower case, without accents, joined by single spaces. */
function plainWords(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{M}'’]+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** The same as {@link plainWords}, but faster and only for ASCII. */
function plainAscii(text: string): string {
  return text
    .replaceAll("'", '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()
}
