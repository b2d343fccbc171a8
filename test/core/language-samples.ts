/**
 * For each language: its code, the title and the text of a page, a query of words in forms that the page does not have (except
 * for scripts without inflection), and what a snippet highlights of the page for it.
 */
export const samples = `
de
Wanderwege im Gebirge
Im Sommer öffnen die kleinen Hütten, und die Wanderer finden dort Betten und warme Suppen für die Nacht.
kleine Hütte mit warmer Suppe
kleinen Hütten warme Suppen

fr
Le marché du village
Chaque samedi les paysans vendent leurs légumes frais et les boulangers apportent des pains encore chauds.
le paysan vendait du légume
paysans vendent légumes

es
Los faros de la costa
Los antiguos faros guiaban a los pescadores que volvían de noche con sus barcas cargadas de sardinas.
un pescador vuelve en su barca
pescadores barcas

it
Botteghe degli artigiani
Nelle vecchie botteghe gli artigiani riparano orologi e costruiscono violini che suonano in tutto il mondo.
la vecchia bottega ripara un orologio
vecchie botteghe riparano orologi

pt
Jardins da cidade
Os moradores plantaram laranjeiras nas praças e regam as flores todas as manhãs antes de abrirem as lojas.
plantar uma laranjeira na praça
plantaram laranjeiras praças

nl
Fietsen langs de rivier
Langs de rivier liggen oude molens waar de fietsers even rusten en verse pannenkoeken met stroop eten.
een fietser bij de oude molen
fietsers oude molens

sv
Båtar i skärgården
På sommaren seglar familjerna mellan öarna och lagar sina gamla träbåtar i de lugna hamnarna vid kusten.
en gammal träbåt i hamnen
träbåtar hamnarna

fi
Metsän marjat
Syksyllä perheet keräävät metsissä mustikoita ja puolukoita, joista keitetään hilloa pitkää talvea varten.
kerätä mustikka metsästä talveksi
metsissä talvea

ru
Старые мельницы
На берегах этой реки ещё стоят деревянные мельницы, и мастера чинят их крылья каждую весну.
деревянная мельница на реке
реки деревянные мельницы

pl
Zamki nad Wisłą
Przewodnicy opowiadają turystom o rycerzach, którzy bronili tych zamków przed najeźdźcami ze wschodu.
przewodnik opowiada o rycerzu
opowiadają rycerzach

tr
Çarşıdaki ustalar
Çarşıdaki bakırcılar ve halıcılar dükkanlarını sabah erkenden açar, müşterilerine çay ikram ederler.
çarşı dükkan müşteri
Çarşıdaki dükkanlarını müşterilerine

ar
أسواق المدينة القديمة
يبيع التجار في الأسواق القديمة التوابل والأقمشة، ويزور السياح هذه المحلات كل يوم.
تاجر توابل في سوق
التوابل

he
גינות בעיר
שׁכנים רבים מגדלים עגבניות ופלפלים בגינות הקטנות שעל הגגות, ומחלקים את היבול בין כולם.
שכנים מגדלים עגבניות
שׁכנים מגדלים עגבניות

zh
山里的茶园
春天的时候农民上山采茶,他们把新鲜的叶子晒干,然后送到城里的市场出售。
茶
茶

ja
古い旅館
山の中の古い旅館では、温泉に入ったあとで地元の料理を食べることができます。
温泉旅館
旅館 温泉

th
ตลาดน้ำ
ทุกเช้าชาวบ้านพายเรือมาขายผลไม้และอาหารที่ตลาดน้ำใกล้วัดเก่า
ขายผลไม้ที่วัด
ขายผลไม้ วัด
`
  .trim()
  .split('\n\n')
  .map(sample => {
    const [language, title, text, query, shown] = sample.split('\n')
    return { language: language!, title: title!, text: text!, query: query!, shown: shown!.split(' ') }
  })
