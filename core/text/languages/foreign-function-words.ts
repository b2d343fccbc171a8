import { foldWord } from '../characters/fold.ts'

/**
 * Function words of languages other than English: articles, pronouns, prepositions, conjunctions, auxiliaries,
 * negations, question words, and the parts that an apostrophe splits off. Words that are often topics are left out,
 * such as French `or` and `car`, or Italian `sei` and `stato`.
 */
const wordLists: Readonly<Record<string, string>> = {
  ar: `في من على إلى عن مع ما ماذا لماذا متى أين كيف كم هل أي أية التي الذي الذين اللذان هو هي هم نحن أنا هذا هذه ذلك تلك
    هؤلاء كان كانت كانوا يكون تكون ليس ليست قد لقد لا لم لن أن إن أو و ثم بعد قبل بين عند عندما لدى كل بعض غير حتى إذا كما
    لكن بل منذ خلال حول فيه فيها به بها له لها لهم عليه عليها منه منها أنه أنها مما تم يتم وما ومن وفي هناك أكثر`,
  cs: `a i o u v ve k ke s se z ze na do od po pro při před za nad pod mezi bez u je jsou byl byla bylo byli být jsem není
    ale nebo že když jak jako kdy kde kdo co který která které kterého ten ta to ti ty tento tato toto on ona ono oni já my
    vy jeho její jejich svůj mě mi mu si by ne už jen také proč kolik jaký jaká jaké aby`,
  da: `og i jeg det at en et den de til er som på med han hun af for ikke der var mig sig men har om vi havde nu da fra ud
    sin dem os op hans hvor hvad hvem hvilken hvilke hvornår hvorfor hvordan hvis eller skal vil blev blive bliver kan kunne
    når være været dette denne disse efter under mod ved også meget mange dig din dit mit min deres hendes`,
  de: `der die das den dem des ein eine einen einem einer eines und oder aber sondern denn weil wenn dass ob als wie wer
    wen wem wessen was wann wo wohin woher warum weshalb wieso welche welcher welches welchen welchem viel viele vielen ich
    du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein meine dein deine sein seine seinen seinem seiner
    seines ihre ihren ihrem ihrer ihres unser unsere euer eure man sich dies diese dieser dieses diesen diesem jene jener
    jenes jeder jede jedes jeden jedem alle allen aller alles in im an am auf aus bei beim bis durch für gegen mit nach
    ohne seit über um unter von vom vor zu zum zur zwischen während ab ist sind war waren bin bist wird werden wurde wurden
    worden geworden hat haben hatte hatten habe kann können konnte konnten muss müssen musste mussten soll sollen sollte
    sollten will wollen wollte wollten darf dürfen würde würden nicht kein keine keinen keinem keiner auch nur noch schon
    sehr so dann da dort hier doch`,
  el: `ο η το οι τα του της των τον την τις τους στο στη στην στον στα στους στις και κι ή να θα δεν μη μην με σε για από προς
    παρά κατά μετά ως αντί που πως πώς πού πότε ποιος ποια ποιο ποιοι ποιες τι γιατί πόσο πόσα πόσοι είναι ήταν έχει έχουν
    είχε αν όταν αλλά όμως ενώ αυτός αυτή αυτό αυτοί αυτές αυτά εγώ εσύ εμείς μου σου μας σας ένας μια ένα`,
  es: `a al ante con contra de del desde durante en entre hacia hasta para por según sin sobre tras el la los las lo un una
    unos unas y e o u ni que pero sino si porque aunque como cuando donde cual cuales quien quienes cuanto cuanta cuantos
    cuantas cuyo cuya yo tú él ella ello ellos ellas nosotros vosotros usted ustedes me te se nos os le les mi mis tu tus su
    sus nuestro nuestra nuestros nuestras este esta esto estos estas ese esa eso esos esas aquel aquella es son era eran fue
    fueron ser sido está están estaba ha han había haber hay no más muy ya también`,
  fa: `و در به از که این آن را با برای تا بر یا هم نیز یک است بود شد می شود شده کرد کرده خود او ما شما من آنها چه چرا کجا کی
    کدام چگونه آیا چند اما اگر هر`,
  fi: `ja tai sekä mutta vaan että jos kun koska kuin niin myös on ovat oli olivat ole olla ollut olen ei eivät en et emme
    ette hän hänen he heidän minä minun sinä sinun me te se sen sitä siinä siitä ne niiden tämä tämän tätä tässä nämä tuo
    joka jonka jota jossa josta jotka mikä minkä mitä missä mistä mihin kuka kenen ketä milloin miksi miten kuinka mitkä
    montako kanssa`,
  fr: `le la les l un une des du de d au aux et ou mais donc ni que qu qui quoi dont où quand comment pourquoi combien quel
    quelle quels quelles lequel laquelle je j tu il elle on nous vous ils elles me m te t se s lui leur leurs y en mon ma
    mes ton ta tes son sa ses notre nos votre vos ce c cet cette ces cela ceci ça à dans par pour sur sous sans avec entre
    chez contre depuis pendant avant après est sont était étaient être suis es sommes êtes fut furent a ont avait avaient ai
    as avons avez avoir ne n pas plus si très aussi comme`,
  hi: `का के की को में से पर ने है हैं था थी थे हो और या एक यह ये वह वे इस उस इन उन कि जो तो भी ही तक साथ लिए नहीं क्या कौन कब कहाँ
    क्यों कैसे कितने कितनी कितना किस किसने मैं हम आप`,
  hu: `a az egy és vagy de hogy ha is nem ne van volt voltak lesz mint már még csak meg ki mi mit kit hol hova honnan mikor
    miért hogyan melyik mennyi hány milyen aki ami amely ez azt ezt en ön ő ők mi ti én te ezek azok szerint között után
    alatt`,
  id: `yang dan di ke dari untuk pada dengan dalam oleh ini itu adalah ialah apa siapa kapan mana bagaimana mengapa berapa
    atau juga tidak akan telah sudah ada sebagai saya kami kita dia mereka`,
  it: `il lo la l i gli le un uno una e ed o ma se che chi cui quale quali quanto quanta quanti quante quando dove dov come
    com perché di d del dello della dell dei degli delle a ad al allo alla all ai agli alle da dal dallo dalla dall dai
    dagli dalle in nel nello nella nell nei negli nelle con col su sul sullo sulla sull sui sugli sulle per tra fra io tu
    lui lei noi voi loro mi ti ci vi si ne mio mia tuo tua suo sua suoi sue nostro nostra vostro questo questa questi queste
    quest quello quella quelli quelle quell è sono era erano fu furono essere ha hanno ho hai aveva avevano avere c non più
    anche`,
  nl: `de het een en of maar want dat die dit deze wat wie waar wanneer waarom hoe hoeveel welk welke ik je jij hij zij ze
    wij we jullie u hem haar hun ons onze mijn jouw uw zijn zich van in op aan met als voor er om dan te bij uit naar tot
    over door na tegen zonder onder tussen is was waren ben bent wordt worden werd werden heeft hebben had hadden kan kunnen
    kon moet moeten zal zullen zou zouden niet geen ook nog al zo`,
  no: `og i jeg det at en et ei den de til er som på med han hun av for ikke der var meg seg men har om vi hadde nå da fra ut
    sin dem oss opp hans hvor hva hvem hvilken hvilket hvilke når hvorfor hvordan hvis eller skal vil ble bli blir kan kunne
    være vært dette denne disse etter under mot ved også deg din ditt mitt min deres hennes`,
  pl: `i a w we z ze na do od o po za przez dla przy pod nad przed między bez u się nie że to jest są był była było były być
    ale lub albo czy jak jako gdy kiedy gdzie skąd kto kogo komu co czego czym który która które którzy którego której
    których którym którą ten ta te tego tej tych tym on ona ono oni one ja ty my wy mnie mi cię ci go mu ją nas was im jego
    jej ich swój swoje swoją już tylko też także oraz więc bo aby żeby jeśli ile dlaczego jaki jaka jakie jakich`,
  pt: `a o as os um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para com sem sobre entre
    até desde contra ao à aos às e ou mas nem que se porque como quando onde quem qual quais quanto quanta quantos quantas
    eu tu ele ela eles elas nós vós você vocês me te lhe lhes meu minha teu tua seu sua seus suas nosso nossa dele dela
    deles delas este esta estes estas esse essa esses essas isso isto aquele aquela aquilo é são era eram foi foram ser está
    estão estava ter tem têm tinha há havia não mais muito já também`,
  ro: `și sau dar de la în din pe cu pentru prin despre între după până fără sub un o unui unei unor niște al a ai ale cel cea
    cei cele care ce cine când unde cum cât câți câte că să dacă nu este e sunt era erau fost a au am ai avea el ea ei ele
    eu tu noi voi se îi îl își lui lor acest această acești aceste mai`,
  ru: `и а но или да в во на с со к ко у о об от до из за по под над при про для без через между перед после что чтобы как
    так то же бы ли ни не нет если когда где куда откуда почему зачем сколько кто кого кому кем чего чему чем какой какая
    какое какие каких какому какую каком каким который которая которое которые которого которой которых которым которую чей
    я ты он она оно мы вы они меня мне мной тебя тебе его ему ей её их им ними нам нас вам вас него неё них ним себя себе
    мой моя моё мои твой свой своя свою свои своего своей наш ваш этот эта это эти этого этой этих этом эту тот та те того
    той тех том был была было были быть есть будет уже ещё только тоже также`,
  sv: `och i jag det att en ett den de till är som på med han hon av för inte där var mig sig men har om vi hade nu då från ut
    sin sitt sina dem oss upp hans hur vad vem vilka vilken vilket när varför eller ska skall vill blev bli blir kan kunde
    vara varit detta denna dessa efter under mot vid också du dig din ditt mitt min deras hennes`,
  tr: `ve ile de da bir bu şu o için gibi kadar daha en ki ne neden niçin nasıl nerede nereye nereden kim kimin hangi kaç mi mı
    mu mü ama fakat veya ya hem her hiç olan olarak oldu değil idi ise ben sen biz siz onlar onun bunun ona buna onu bunu`,
}

/** ISO 639-1 codes of the languages with a list. */
export const languagesWithFunctionWords: readonly string[] = Object.keys(wordLists)

const folded = new Map<string, ReadonlySet<string>>()

/** Returns the function words of a language, folded; `undefined` for English and for languages without a list. */
export function foreignFunctionWords(language: string): ReadonlySet<string> | undefined {
  const words = folded.get(language)
  if (words || !Object.hasOwn(wordLists, language)) return words
  const made = new Set(wordLists[language]!.split(/\s+/).map(word => foldWord(word)))
  folded.set(language, made)
  return made
}
