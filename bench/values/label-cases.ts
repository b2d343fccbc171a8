/** A value that a page states beside a label, as a person read it there. */
export interface LabelCase {
  /** The beginning of the URL of the page. */
  url: string
  name: string
  schema: object
  /** Undefined if the page has several values under the label, or none that is one value of the type. */
  value: string | number | undefined
}

const text = { type: 'string' }
const number = { type: 'number' }
const day = { type: 'string', format: 'date' }

const of = (url: string, name: string, schema: object, value?: string | number): LabelCase => ({
  url,
  name,
  schema,
  value,
})

/** Read from pages of the collections. */
export const labelCases: readonly LabelCase[] = [
  of('https://claremore.com/library/', 'phone', text, '918-341-1564'),
  of('https://houstonspca.org/available-pets/', 'weight', text),
  of('https://hike-summit.com/trekking-backpack-40l', 'size', text, '55 x 30 x 20cm'),
  of('https://www.ifixit.com/products/moray', 'dimensions', text, '4.9" x 3.1" x .9" / 12.4 x 7.8 x 2.2 cm'),
  of('https://www.ifixit.com/products/pro-tech', 'dimensions', text, '8.25" x 5.6" x 2.75" / 21 x 14.2 x 7 cm'),
  of('https://www.ifixit.com/products/jimmy', 'material', text, '301 Stainless Steel'),
  of('https://www.sephora.com/product/augustinus-bader-the-cream', 'size', text, '1 oz/ 30 mL'),
  of('https://www.ghostwares.com.au/shop/p/white-speckle-mug', 'size', text, 'approx. 9.5 x 13 x 7cm'),
  of('https://kineticlabs.com/keyboards/keychron/keychron-k2-he', 'color', text, 'Black'),
  of('https://business.fau.edu/executive-education/professional', 'phone', text, '(561) 297-2709'),
  of('https://franshares.com/the-best-tutoring-franchises', 'founded', { type: 'integer' }),
  of('https://www.nccih.nih.gov/health/meditation', 'email', text, 'info@nccih.nih.gov'),
  of('https://www.skullcandy.com/products/crusher-anc-2', 'weight', number, 332),
  of('https://jococups.com/product/4oz-joco-cup/', 'sku', text, 'AU4'),
  of('https://nordrepublic.com/product/nord-zero/', 'sku', text, 'zero'),
  of('https://www.solostove.com/eu/en-bg/p/solo-stove-summit', 'material', text, 'Stainless steel'),
  of('https://www.solostove.com/eu/en-bg/p/solo-stove-summit', 'height', number),
  of('https://warrenaverett.com/services/hr-solutions/hr-consulting/', 'phone', text, '205.970.6313'),
  of('https://www.prosourcefit.com/products/extra-thick', 'material', text, 'NBR Foam'),
  of('https://lafeeca.com/products/dj-electric-kettle', 'color', text, 'Black'),
  of('https://uk.pcmag.com/computer-mice/127428/', 'weight', number),
  of('https://simplybirkenstock.com/birkenstock-arizona-sandal', 'color', text, 'Stone'),
  of('https://www.yeti.com/drinkware/tumblers/rambler-20oz', 'color', text, 'Venom Trio'),
  of('https://www.yeti.com/drinkware/tumblers/rambler-20oz', 'size', text),
  of('https://www.yeti.com/drinkware/tumblers/rambler-30oz', 'color', text, 'Venom Trio'),
  of('https://shainblumphoto.com/landscape-photography-photoshop', 'category', text, 'Lightroom Tutorial'),
  of('https://together.ch/de/karriere/events-messen/119', 'deadline', day, '2020-03-15'),
  of('https://www.rheinruhronline.de/essen/essen2/essenwestviertel', 'telefon', text, '0201-2402-0'),
  of('https://www.regiolanda.de/content/149-filmbuero', 'telefon', text, '0173 835 0314'),
  of('https://weinlachgummis.blogspot.com/2017/09/rezi', 'isbn', text, '9783453580565'),
  of('https://weinlachgummis.blogspot.com/2017/09/rezi', 'format', text, 'Broschur'),
  of('https://weinlachgummis.blogspot.com/2017/09/rezi', 'price', { type: 'number', title: 'Preis' }, 12.99),
  of('http://bummfilm.de/page/index.php', 'autor', text, 'Fabian Dittmann'),
  of('https://abenteuer-astronomie.de/astrofoto', 'datum', day, '2019-08-31'),
  of('https://abenteuer-astronomie.de/astrofoto', 'ort', text, 'Kasberg im Frankenland'),
  of('https://www.zoll.de/SharedDocs/Fachmeldungen', 'datum', day, '2021-10-18'),
  of('https://anglerboard.de/ams/raubfisch', 'preis', number, 159.9),
  of('https://breakingbelizenews.com/', 'posted', day, '2022-04-21'),
  of('https://www.portalspozywczy.pl/handel/', 'autor', text, 'www.portalspozywczy.pl'),
  of('https://linustechtips.com/topic/1571202', 'country', text, 'Canada'),
  of('https://astrobackyard.com/beginner-astrophotography', 'weight', number),
  of('https://keebsforall.com/blogs/mechanical-keyboards-101/top-7', 'dimensions', text),
  of('https://keebsforall.com/blogs/mechanical-keyboards-101/top-7', 'battery', number, 4000),
  of('https://entrepreneurshq.com/consultant-certification/', 'duration', text),
  of('https://coffeekev.com/best-drip-coffee-maker/', 'material', text),
  of('https://www.seriouseats.com/the-best-french-press', 'capacity', number),
  of('https://eu.jsonline.com/story/money/business/onramp', 'address', text),
  of('https://www.homegrounds.co/best-drip-coffee-maker-reviews/', 'capacity', text),
]
